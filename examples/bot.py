#!/usr/bin/env python3
"""A small trading loop through Countersign: asks what is allowed, places, looks, cancels.

COUNTERSIGN_TOKEN_FILE names the file with the token; COUNTERSIGN_URL is where the daemon listens.
Python 3.9 or newer, and the package countersign-client.
"""

import math
import os
import sys
import time
import uuid
from typing import Callable, Optional

from countersign_client import Client, Failure, OutcomeUnknown
from countersign_client.contract import PlaceOrder

PRICES = ["63000", "62900"]
SIZES = ["0.6", "0.3", "0.1"]
LONGEST_WAIT_S = 30

client = Client(
    os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:8420"),
    token_file=os.environ.get("COUNTERSIGN_TOKEN_FILE", "token"),
)


def allowed_order(price: str) -> Optional[PlaceOrder]:
    """The largest order at a price that policy lets us place."""
    for quantity in SIZES:
        order: PlaceOrder = {
            "symbol_id": 1,
            "is_buy": True,
            "order_type": "limit",
            "price": price,
            "quantity": quantity,
            "client_order_id": str(uuid.uuid4()),
        }
        refusal = client.check("/v1/trade/orders", order)["refusal"]
        if refusal is None or refusal["code"] != "policy_denied":
            return order  # what else it may be, placing it will tell
        reason = refusal["data"]["reason"]
        print(f"check {quantity}: policy_denied, {reason}")
        if reason not in ("quantity_over_max", "notional_over_max"):
            return None
    return None


def place(order: PlaceOrder) -> Optional[str]:
    """Places an order, once. Returns the id of what is open then."""
    name = order["client_order_id"]
    what = f"place {order['quantity']}"
    try:
        sent = client.place(
            order, idempotency_key=name, wait_s=LONGEST_WAIT_S, on_repeat=repeat_of(what)
        )
    except OutcomeUnknown as unknown:
        tell(what, unknown)
        return find_open(name, expires_after=tell_record(name))
    except Failure as refused:
        tell(what, refused)
        tell_record(name)
        return None
    print(f"{what}: accepted")
    tell_record(name)
    return str(sent.data["order_id"])


def tell_record(key: str) -> int:
    """Says what the daemon has of a request, and returns when it expires, in milliseconds."""
    records = client.records(idempotency_key=key)
    print(f"record: {records[0]['state'] if records else 'none'}")
    return records[0]["expires_after"] or 0 if records else 0


def find_open(client_order_id: str, expires_after: int) -> str:
    """Looks at the venue until the order is open there, or can't be accepted any more."""
    is_last = False
    while not is_last:
        is_last = time.time() * 1000 > expires_after
        for page in client.pages("/v1/trade/open-orders", {"limit": "100"}):
            for order in page["list"]:
                if order["client_order_id"] == client_order_id:
                    print("open at the venue")
                    return str(order["order_id"])
        time.sleep(0.5)
    sys.exit(f"{client_order_id} isn't open: it never arrived, or it is filled; look there.")


def cancel(order_id: str) -> None:
    """Cancels an order, or ends the bot."""
    try:
        client.cancel(
            {"order_id": order_id}, wait_s=LONGEST_WAIT_S, on_repeat=repeat_of("cancel")
        )
    except Failure as failure:
        tell("cancel", failure)
        sys.exit(f"{order_id} may still be open; look at the venue.")
    print("cancel: accepted")


def repeat_of(what: str) -> Callable[[Failure], None]:
    """Says why it is sent again: there was no room yet, or it isn't clear what became of it."""

    def say(failure: Failure) -> None:
        in_doubt = isinstance(failure, OutcomeUnknown)
        how = "under the same key" if in_doubt else f"in {math.ceil(failure.retry_after_s or 0)} s"
        print(f"{what}: {failure.code or failure.status}, again {how}")

    return say


def tell(what: str, failure: Failure) -> None:
    """Says why a request wasn't accepted, or isn't known to be."""
    print(f"{what}: {failure.code or failure.status}, {failure.message}")


for each_price in PRICES:
    found = allowed_order(each_price)
    opened = found and place(found)
    if opened:
        cancel(opened)
