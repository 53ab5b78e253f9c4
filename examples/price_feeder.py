#!/usr/bin/env python3
"""Feeds Countersign a reference price from a source of your own, every few seconds.

PRICE_URL answers with JSON, and PRICE_POINTER says where the price is in it: /data/last. PRICE_SYMBOL is its symbol by
the name in venue.yaml. COUNTERSIGN_TOKEN_FILE names the file with the token of a client that was added with
--right prices; COUNTERSIGN_URL is where the daemon listens. Python 3.9 or newer, its standard library alone.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from typing import Any, Optional

EVERY_S = float(os.environ.get("PRICE_EVERY_S", "5"))
TIMEOUT_S = 4.0
LONGEST_ANSWER = 1_000_000
DAEMON = os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:8420")

# The daemon is on this machine: its token is for no proxy that the environment names.
TO_DAEMON = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def price_in(text: bytes, pointer: str) -> str:
    """The price in an answer, in the digits that it came in: a float would round them."""
    value: Any = json.loads(text, parse_float=str, parse_int=str)
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        value = value[int(step)] if isinstance(value, list) else value[step]
    if not isinstance(value, str):
        raise ValueError(f"{pointer} is no price")
    return value


def read_price() -> str:
    """Asks the source once."""
    with urllib.request.urlopen(os.environ["PRICE_URL"], timeout=TIMEOUT_S) as answer:
        return price_in(answer.read(LONGEST_ANSWER), os.environ["PRICE_POINTER"])


def feed(symbol: str, value: str, token: str) -> str:
    """Feeds a price. Returns what it is now: known, or unconfirmed until an operator confirms it."""
    request = urllib.request.Request(
        f"{DAEMON}/prices",
        data=json.dumps({"prices": [{"symbol": symbol, "value": value}]}).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    try:
        with TO_DAEMON.open(request, timeout=TIMEOUT_S) as answer:
            return str(json.load(answer)["data"]["prices"][0]["state"])
    except urllib.error.HTTPError as refused:
        with refused:
            return str(json.load(refused)["msg"])


def one_round(token: str) -> str:
    """What became of one price. Trouble is told, and the next round tries again: a feed never gives up."""
    symbol = os.environ["PRICE_SYMBOL"]
    try:
        value = read_price()
        return f"{symbol} {value}: {feed(symbol, value, token)}"
    except (OSError, ValueError, LookupError, TypeError) as trouble:
        return f"{symbol}: no price, {type(trouble).__name__}"


def main() -> None:
    """Feeds until it is ended; prints a line when something changes but the price."""
    with open(os.environ.get("COUNTERSIGN_TOKEN_FILE", "token"), encoding="ascii") as file:
        token = file.read().strip()
    last: Optional[str] = None
    while True:
        told = one_round(token)
        state = told.split(": ", 1)[1]
        if state != last:
            print(told, flush=True)
        last = state
        time.sleep(EVERY_S)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(0)
    except (KeyError, OSError) as missing:
        sys.exit(f"price_feeder: {missing}")
