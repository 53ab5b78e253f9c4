// A small trading loop through Countersign: asks what is allowed, places, looks, cancels.
//
// COUNTERSIGN_TOKEN_FILE names the file with the token; COUNTERSIGN_URL is where the daemon listens.
// Go 1.19 or newer, its standard library alone.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var (
	prices = []string{"63000", "62900"}
	sizes  = []string{"0.6", "0.3", "0.1"}
	// After each send, in seconds; the last is the last.
	pauses = []float64{0.5, 1, 2, 4, 0}
)

const longestWait = 30 * time.Second

// The daemon gives the venue 15 s, and is on this machine: no proxy.
var daemon = http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{}}

var url, token string

func main() {
	log.SetFlags(0)
	url = environment("COUNTERSIGN_URL", "http://127.0.0.1:8420")
	text, err := os.ReadFile(environment("COUNTERSIGN_TOKEN_FILE", "token"))
	if err != nil {
		log.Fatal(err)
	}
	token = strings.TrimSpace(string(text))
	for _, price := range prices {
		order := allowedOrder(price)
		if order == nil {
			continue
		}
		if orderID := place(order); orderID != "" {
			cancel(orderID)
		}
	}
}

// An answer is what came: who said it (`daemon`, `venue`, or `none` where nothing came), and what.
type answer struct {
	source     string
	status     int
	retryAfter string
	Code       string          `json:"code"`
	Msg        string          `json:"msg"`
	Data       json.RawMessage `json:"data"`
}

type order struct {
	SymbolID      int    `json:"symbol_id"`
	IsBuy         bool   `json:"is_buy"`
	OrderType     string `json:"order_type"`
	Price         string `json:"price"`
	Quantity      string `json:"quantity"`
	ClientOrderID string `json:"client_order_id"`
}

// allowedOrder returns the largest order at a price that policy lets us place, or nil.
func allowedOrder(price string) *order {
	for _, quantity := range sizes {
		wish := &order{1, true, "limit", price, quantity, newKey("bot")}
		var report struct {
			Refusal *struct {
				Code string
				Data struct{ Reason string }
			}
		}
		ask("/check/v1/trade/orders", wish, "").into(&report)
		if report.Refusal == nil || report.Refusal.Code != "policy_denied" {
			return wish // what else it may be, placing it will tell
		}
		reason := report.Refusal.Data.Reason
		fmt.Printf("check %s: policy_denied, %s\n", quantity, reason)
		if reason != "quantity_over_max" && reason != "notional_over_max" {
			return nil
		}
	}
	return nil
}

// place places an order, once, and returns the id of what is open then, or "".
func place(wish *order) string {
	key := wish.ClientOrderID
	outcome, last := send("place "+wish.Quantity, "/v1/trade/orders", wish, key)
	var found struct {
		Records []struct {
			State        string
			ExpiresAfter int64 `json:"expires_after"`
		}
	}
	ask("/records?idempotency_key="+key, nil, "").into(&found)
	state, expiresAfter := "none", int64(0)
	if len(found.Records) > 0 {
		state, expiresAfter = found.Records[0].State, found.Records[0].ExpiresAfter
	}
	fmt.Println("record:", state)
	switch outcome {
	case "accepted":
		var placed struct {
			OrderID string `json:"order_id"`
		}
		last.into(&placed)
		return placed.OrderID
	case "unknown":
		return findOpen(key, expiresAfter)
	}
	return ""
}

// findOpen looks at the venue until the order is open there, or can't be accepted any more.
func findOpen(clientOrderID string, expiresAfter int64) string {
	for isLast := false; !isLast; time.Sleep(time.Second / 2) {
		isLast = time.Now().UnixMilli() > expiresAfter
		var open struct {
			List []struct {
				OrderID       string `json:"order_id"`
				ClientOrderID string `json:"client_order_id"`
			}
		}
		// One page; a bot with more open orders turns pages.
		ask("/v1/trade/open-orders?limit=100", nil, "").into(&open)
		for _, each := range open.List {
			if each.ClientOrderID == clientOrderID {
				fmt.Println("open at the venue")
				return each.OrderID
			}
		}
	}
	log.Fatalf("%s isn't open: it never arrived, or it is filled; look there.", clientOrderID)
	return ""
}

// cancel cancels an order, or ends the bot.
func cancel(orderID string) {
	body := map[string]string{"order_id": orderID}
	outcome, _ := send("cancel", "/v1/trade/orders/cancel", body, newKey("cancel"))
	if outcome != "accepted" {
		log.Fatalf("%s may still be open; look at the venue.", orderID)
	}
}

// send sends until it is clear what became of it: `accepted`, `refused` or `unknown`.
func send(what, path string, body any, key string) (outcome string, last answer) {
	outcome = "refused"
sending:
	for _, pause := range pauses {
		last = ask(path, body, key)
		switch {
		case last.source == "venue" && last.Code == "0" && last.status < 300:
			fmt.Printf("%s: accepted\n", what)
			return "accepted", last
		case last.source == "venue" && last.Code != "" && last.Code != "0" && last.status < 500:
			outcome = "refused"
			break sending
		case last.source == "daemon" && last.Code != "upstream_outcome_unknown":
			// limit_exhausted, a spent rate budget and the like, where there is a time; else it stays refused.
			seconds, err := strconv.Atoi(last.retryAfter)
			wait := time.Duration(seconds) * time.Second
			if err != nil || wait > longestWait {
				break sending
			}
			fmt.Printf("%s: %s, again in %d s\n", what, last.Code, seconds)
			time.Sleep(wait)
		default:
			outcome = "unknown"
			// The venue saw the same bytes again and refused them, which tells nothing of the first time.
			if pause == 0 || bytes.Contains(last.Data, []byte(`"venue":`)) {
				break sending
			}
			fmt.Printf("%s: %s, again under the same key\n", what, last.codeOrStatus())
			time.Sleep(time.Duration(pause * float64(time.Second)))
		}
	}
	fmt.Printf("%s: %s, %s\n", what, last.codeOrStatus(), last.Msg)
	return outcome, last
}

// ask asks the daemon: a GET, or with a body a POST.
func ask(path string, body any, key string) answer {
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			log.Fatal(err)
		}
		method = http.MethodPost
	}
	request, err := http.NewRequest(method, url+path, bytes.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	none := answer{source: "none", Code: "no_answer"}
	response, err := daemon.Do(request)
	if err != nil {
		return none
	}
	defer response.Body.Close()
	header := response.Header
	came := answer{
		source:     header.Get("Countersign-Source"),
		status:     response.StatusCode,
		retryAfter: header.Get("Retry-After"),
	}
	if json.NewDecoder(response.Body).Decode(&came) != nil {
		return none
	}
	return came
}

// into reads what was asked for, or ends the bot where it was refused.
func (a answer) into(wanted any) {
	if a.status/100 != 2 || a.Code != "0" {
		log.Fatalf("%s: %s", a.Code, a.Msg)
	}
	if err := json.Unmarshal(a.Data, wanted); err != nil {
		log.Fatal(err)
	}
}

func (a answer) codeOrStatus() string {
	if a.Code == "" {
		return strconv.Itoa(a.status)
	}
	return a.Code
}

func newKey(kind string) string {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	return fmt.Sprintf("%s-%x", kind, random)
}

func environment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
