// A small trading loop through Countersign: asks what is allowed, places, looks, cancels.
//
// COUNTERSIGN_TOKEN_FILE names the file with the token; COUNTERSIGN_URL is where the daemon listens.
// Java 17 or newer, the JDK alone. It has no reader of JSON: a bot that does more than this should have one.

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

class Bot {
  static final List<String> PRICES = List.of("63000", "62900");
  static final List<String> SIZES = List.of("0.6", "0.3", "0.1");

  /** After each send, in milliseconds; the last is the last. */
  static final List<Integer> PAUSES_MS = List.of(500, 1_000, 2_000, 4_000, 0);

  static final int LONGEST_WAIT_S = 30;

  /** The daemon is on this machine: no proxy. */
  static final HttpClient HTTP = HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();

  static final String URL = environment("COUNTERSIGN_URL", "http://127.0.0.1:8420");
  static String token;

  public static void main(String[] args) throws IOException, InterruptedException {
    token = Files.readString(Path.of(environment("COUNTERSIGN_TOKEN_FILE", "token"))).strip();
    for (String price : PRICES) {
      Optional<Order> order = allowedOrder(price);
      Optional<String> orderId = order.isPresent() ? place(order.get()) : Optional.empty();
      if (orderId.isPresent()) cancel(orderId.get());
    }
  }

  record Order(String price, String quantity, String clientOrderId) {
    String json() {
      return """
          {"symbol_id": 1, "is_buy": true, "order_type": "limit", "price": "%s", "quantity": "%s", "client_order_id": "%s"}"""
          .formatted(price, quantity, clientOrderId);
    }
  }

  /** What came: who said it (`daemon`, `venue`, or `none` where nothing came), and what. */
  record Answer(String source, int status, int retryAfterS, String body) {
    /** The first text of a name: good for words and ids, which have no quotes in them. */
    Optional<String> text(String name) {
      return first("\"%s\":\"([^\"]*)\"".formatted(name), body);
    }

    /** The code; the status where there is none. */
    String code() {
      return text("code").filter(code -> !code.isEmpty()).orElse(Integer.toString(status));
    }

    boolean isGood() {
      return status / 100 == 2 && text("code").equals(Optional.of("0"));
    }

    /** Itself, or the bot ends where it isn't what was asked for. */
    Answer wanted() {
      if (!isGood()) throw new IllegalStateException(body);
      return this;
    }
  }

  /** How sending ended: `accepted`, `refused` or `unknown`. */
  record Sent(String outcome, Answer last) {}

  /** The largest order at a price that policy lets us place. */
  static Optional<Order> allowedOrder(String price) throws InterruptedException {
    for (String quantity : SIZES) {
      Order order = new Order(price, quantity, newKey("bot"));
      Answer report = ask("/check/v1/trade/orders", order.json(), null).wanted();
      // What else it may be, placing it will tell.
      if (!report.body().contains("\"refusal\":{\"code\":\"policy_denied\"")) return Optional.of(order);
      String reason = report.text("reason").orElse("");
      System.out.printf("check %s: policy_denied, %s%n", quantity, reason);
      if (!List.of("quantity_over_max", "notional_over_max").contains(reason)) break;
    }
    return Optional.empty();
  }

  /** Places an order, once. Returns the id of what is open then. */
  static Optional<String> place(Order order) throws InterruptedException {
    String key = order.clientOrderId();
    Sent sent = send("place " + order.quantity(), "/v1/trade/orders", order.json(), key);
    Answer record = ask("/records?idempotency_key=" + key, null, null).wanted();
    System.out.println("record: " + record.text("state").orElse("none"));
    return switch (sent.outcome()) {
      case "accepted" -> sent.last().text("order_id");
      case "unknown" -> {
        String expiresAfter = first("\"expires_after\":([0-9]+)", record.body()).orElse("0");
        yield Optional.of(findOpen(key, Long.parseLong(expiresAfter)));
      }
      default -> Optional.empty();
    };
  }

  /** Looks at the venue until the order is open there, or can't be accepted any more. */
  static String findOpen(String clientOrderId, long expiresAfter) throws InterruptedException {
    for (boolean isLast = false; !isLast; Thread.sleep(500)) {
      isLast = System.currentTimeMillis() > expiresAfter;
      // One page; a bot with more open orders turns pages.
      Answer open = ask("/v1/trade/open-orders?limit=100", null, null).wanted();
      Optional<String> orderId =
          Stream.of(open.body().split("\\{"))
              .filter(each -> each.contains(clientOrderId))
              .flatMap(each -> first("\"order_id\":\"([^\"]*)\"", each).stream())
              .findFirst();
      if (orderId.isPresent()) {
        System.out.println("open at the venue");
        return orderId.get();
      }
    }
    throw new IllegalStateException(
        clientOrderId + " isn't open: it never arrived, or it is filled; look there.");
  }

  /** Cancels an order, or ends the bot. */
  static void cancel(String orderId) throws InterruptedException {
    String body = "{\"order_id\": \"%s\"}".formatted(orderId);
    Sent sent = send("cancel", "/v1/trade/orders/cancel", body, newKey("cancel"));
    if (!sent.outcome().equals("accepted")) {
      throw new IllegalStateException(orderId + " may still be open; look at the venue.");
    }
  }

  /** Sends until it is clear what became of it. */
  static Sent send(String what, String path, String body, String key) throws InterruptedException {
    String outcome = "refused";
    Answer last = null;
    for (int pauseMs : PAUSES_MS) {
      last = ask(path, body, key);
      boolean isVenues = last.source().equals("venue");
      if (isVenues && last.isGood()) {
        System.out.println(what + ": accepted");
        return new Sent("accepted", last);
      }
      String code = last.text("code").orElse("");
      if (isVenues && !code.isEmpty() && !code.equals("0") && last.status() < 500) {
        outcome = "refused";
        break;
      }
      if (last.source().equals("daemon") && !code.equals("upstream_outcome_unknown")) {
        // limit_exhausted, a spent rate budget and the like, where there is a time; else it stays refused.
        if (last.retryAfterS() > LONGEST_WAIT_S) break;
        System.out.printf("%s: %s, again in %d s%n", what, code, last.retryAfterS());
        Thread.sleep(last.retryAfterS() * 1_000L);
        continue;
      }
      outcome = "unknown";
      // The venue saw the same bytes again and refused them, which tells nothing of the first time.
      if (pauseMs == 0 || last.body().contains("\"venue\":")) break;
      System.out.printf("%s: %s, again under the same key%n", what, last.code());
      Thread.sleep(pauseMs);
    }
    System.out.printf("%s: %s, %s%n", what, last.code(), last.text("msg").orElse(""));
    return new Sent(outcome, last);
  }

  /** Asks the daemon: a GET, or with a body a POST. The daemon gives the venue 15 s. */
  static Answer ask(String path, String body, String key) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(URL + path))
            .timeout(Duration.ofSeconds(20))
            .header("Authorization", "Bearer " + token);
    if (body != null) {
      request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
    }
    if (key != null) request.header("Idempotency-Key", key);
    try {
      HttpResponse<String> came = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
      String source = came.headers().firstValue("Countersign-Source").orElse("none");
      String after = came.headers().firstValue("Retry-After").orElse("999");
      return new Answer(source, came.statusCode(), Integer.parseInt(after), came.body());
    } catch (IOException lost) {
      return new Answer("none", 0, 999, "{\"code\":\"no_answer\"}");
    }
  }

  static Optional<String> first(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().findFirst().map(found -> found.group(1));
  }

  static String newKey(String kind) {
    return kind + "-" + UUID.randomUUID().toString().replace("-", "");
  }

  static String environment(String name, String otherwise) {
    return Optional.ofNullable(System.getenv(name)).orElse(otherwise);
  }
}
