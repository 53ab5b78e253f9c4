#!/usr/bin/env python3
"""A small trading loop through Countersign: asks what is allowed, places, looks, cancels.

COUNTERSIGN_TOKEN_FILE names the file with the token; COUNTERSIGN_URL is where the daemon listens.
Python 3.9 or newer, its standard library alone.
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

PRICES = ["63000", "62900"]
SIZES = ["0.6", "0.3", "0.1"]
PAUSES_S = [0.5, 1, 2, 4, None]  # after each send; the last is the last
LONGEST_WAIT_S = 30
ANSWER_S = 20  # the daemon gives the venue 15 of them

URL = os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:8420")
with open(os.environ.get("COUNTERSIGN_TOKEN_FILE", "token"), encoding="ascii") as token_file:
    TOKEN = token_file.read().strip()
# The daemon is on this machine: no proxy.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Answer:
    """What came: who said it (`daemon`, `venue`, or `none` where nothing came), and what."""

    def __init__(self, source, status, retry_after, body):
        self.source, self.status, self.retry_after = source, status, retry_after
        self.code, self.msg = body.get("code", ""), body.get("msg", "")
        self.data = body.get("data") or {}

    def wanted(self):
        """What was asked for; ends the bot where it was refused."""
        if self.status // 100 == 2 and self.code == "0":
            return self.data
        sys.exit(f"{self.code}: {self.msg}")


def ask(path, body=None, key=None):
    """Asks the daemon: a GET, or with a body a POST."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if key is not None:
        headers["Idempotency-Key"] = key
    sent = None if body is None else json.dumps(body).encode()
    try:
        try:
            response = OPENER.open(urllib.request.Request(URL + path, sent, headers), timeout=ANSWER_S)
        except urllib.error.HTTPError as error:
            response = error  # an answer like any other
        with response:
            source = response.headers.get("Countersign-Source", "none")
            retry_after = response.headers.get("Retry-After")
            return Answer(source, response.status, retry_after, json.load(response))
    except (OSError, http.client.HTTPException, ValueError):
        return Answer("none", 0, None, {"code": "no_answer"})


def send(what, path, body, key):
    """Sends until it is clear what became of it. Returns `accepted`, `refused` or `unknown`, and the last answer."""
    in_doubt = False
    for pause_s in PAUSES_S:
        answer = ask(path, body, key)
        if answer.source == "venue" and answer.code == "0" and answer.status < 300:
            print(f"{what}: accepted")
            return "accepted", answer
        if answer.source == "venue" and answer.code not in ("", "0") and answer.status < 500:
            in_doubt = False
            break
        if answer.source == "daemon" and answer.code != "upstream_outcome_unknown":
            # limit_exhausted, a spent rate budget and the like, where there is a time; else it stays refused.
            wait_s = int(answer.retry_after or LONGEST_WAIT_S + 1)
            if wait_s > LONGEST_WAIT_S:
                break
            print(f"{what}: {answer.code}, again in {wait_s} s")
            time.sleep(wait_s)
            continue
        in_doubt = True
        # The venue saw the same bytes again and refused them, which tells nothing of the first time.
        if "venue" in answer.data or pause_s is None:
            break
        print(f"{what}: {answer.code or answer.status}, again under the same key")
        time.sleep(pause_s)
    print(f"{what}: {answer.code or answer.status}, {answer.msg}")
    return "unknown" if in_doubt else "refused", answer


def allowed_order(price):
    """The largest order at a price that policy lets us place."""
    for quantity in SIZES:
        order = {
            "symbol_id": 1,
            "is_buy": True,
            "order_type": "limit",
            "price": price,
            "quantity": quantity,
            "client_order_id": str(uuid.uuid4()),
        }
        refusal = ask("/check/v1/trade/orders", order).wanted()["refusal"]
        if refusal is None or refusal["code"] != "policy_denied":
            return order  # what else it may be, placing it will tell
        reason = refusal["data"]["reason"]
        print(f"check {quantity}: policy_denied, {reason}")
        if reason not in ("quantity_over_max", "notional_over_max"):
            return None
    return None


def place(order):
    """Places an order, once. Returns the id of what is open then, or None."""
    key = order["client_order_id"]
    outcome, answer = send(f"place {order['quantity']}", "/v1/trade/orders", order, key)
    records = ask(f"/records?idempotency_key={key}").wanted()["records"]
    print(f"record: {records[0]['state'] if records else 'none'}")
    if outcome == "accepted":
        return answer.data["order_id"]
    if outcome == "refused":
        return None
    return find_open(key, records[0]["expires_after"] if records else 0)


def find_open(client_order_id, expires_after):
    """Looks at the venue until the order is open there, or can't be accepted any more."""
    is_last = False
    while not is_last:
        is_last = time.time() * 1000 > expires_after
        # One page; a bot with more open orders turns pages.
        for order in ask("/v1/trade/open-orders?limit=100").wanted()["list"]:
            if order["client_order_id"] == client_order_id:
                print("open at the venue")
                return order["order_id"]
        time.sleep(0.5)
    sys.exit(f"{client_order_id} isn't open: it never arrived, or it is filled; look there.")


def cancel(order_id):
    """Cancels an order, or ends the bot."""
    key = f"cancel-{uuid.uuid4()}"
    outcome, _ = send("cancel", "/v1/trade/orders/cancel", {"order_id": order_id}, key)
    if outcome != "accepted":
        sys.exit(f"{order_id} may still be open; look at the venue.")


for each_price in PRICES:
    found = allowed_order(each_price)
    opened = found and place(found)
    if opened:
        cancel(opened)
