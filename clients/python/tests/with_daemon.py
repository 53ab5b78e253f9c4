"""The client before a real daemon and the sandbox.

COUNTERSIGN_URL is the daemon's address, COUNTERSIGN_TOKEN_FILE names the file with the token, and
COUNTERSIGN_SANDBOX is where the sandbox listens.
"""

import json
import os
import unittest
import urllib.request
import uuid
from decimal import Decimal
from typing import Any, Callable, Dict, Final, List, Mapping, Optional, cast

from countersign_client import (
    ApprovalRequired,
    Client,
    InvalidRequest,
    NoRoom,
    NotPermitted,
    OutcomeUnknown,
    PolicyDenied,
    Sent,
    Signed,
    Unauthorized,
    VenueRefused,
)
from countersign_client.contract import PlaceOrder

from .relay import Relay

URL = os.environ["COUNTERSIGN_URL"]
TOKEN_FILE = os.environ["COUNTERSIGN_TOKEN_FILE"]
SANDBOX = os.environ["COUNTERSIGN_SANDBOX"]
ORDERS: Final = "/v1/trade/orders"


def order(**fields: Any) -> PlaceOrder:
    """A limit order with a name of its own."""
    usual: Dict[str, Any] = {
        "symbol_id": 1,
        "is_buy": True,
        "order_type": "limit",
        "price": Decimal("63000"),
        "quantity": "0.1",
        "client_order_id": str(uuid.uuid4()),
    }
    return cast(PlaceOrder, {**usual, **fields})


def ask_venue(path: str, body: Optional[bytes] = None) -> Any:
    """Asks the sandbox itself."""
    request = urllib.request.Request(
        SANDBOX + path, body, {"Content-Type": "application/json"} if body else {}
    )
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)


def add_fault(kind: str, **settings: Any) -> None:
    """What happens to the next request that the sandbox gets."""
    fault = {"kind": kind, "times": 1, "path": ORDERS, **settings}
    ask_venue("/__sandbox/fault", json.dumps(fault).encode())


def open_orders(name: Optional[str]) -> List[Mapping[str, Any]]:
    """The orders that are open at the venue under a `client_order_id`."""
    orders: List[Mapping[str, Any]] = ask_venue("/v1/trade/open-orders?limit=100")["data"]["list"]
    return [each for each in orders if each["client_order_id"] == name]


class WithDaemon(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(URL, token_file=TOKEN_FILE)
        self.addCleanup(self.client.close)


class Trading(WithDaemon):
    def test_places_and_cancels_and_knows_what_became_of_it(self) -> None:
        wanted = order(price=Decimal("63000.5"))
        sent = self.client.place(wanted)
        found = open_orders(wanted.get("client_order_id"))
        self.assertEqual(
            [(each["order_id"], each["price"]) for each in found],
            [(sent.data["order_id"], "63000.5")],
        )
        self.client.cancel({"order_id": sent.data["order_id"]})
        self.assertEqual(open_orders(wanted.get("client_order_id")), [])

        record = self.client.record(sent.record or "")
        self.assertIn(record["state"], ("sent", "accepted"))
        self.assertEqual(record["idempotency_key"], sent.idempotency_key)
        by_name = self.client.records(client_order_id=wanted["client_order_id"])
        by_key = self.client.records(idempotency_key=sent.idempotency_key)
        self.assertEqual([each["id"] for each in [*by_name, *by_key]], [sent.record] * 2)

    def test_signs_what_the_venue_takes(self) -> None:
        signed = self.client.sign(ORDERS, order(client_order_id="é"), expires_in_ms=10_000)
        self.assertEqual(signed.body["expires_after"] - signed.body["nonce"], 10_000)
        self.assertEqual(ask_venue(ORDERS, signed.text)["code"], "0")

    def test_signs_a_batch_each_for_itself(self) -> None:
        name = str(uuid.uuid4())
        large = order(quantity="0.6")
        small = order(price="62000", client_order_id=name)
        exact = order(price=Decimal("62000"), client_order_id=name)
        refused, signed, again = self.client.sign_batch(
            [
                {"path": ORDERS, "body": large},
                {"path": ORDERS, "body": exact, "idempotency_key": name},
                {"path": ORDERS, "body": small, "idempotency_key": name},
            ]
        )
        assert isinstance(refused, PolicyDenied)
        assert isinstance(signed, Signed) and isinstance(again, Signed)
        self.assertEqual(refused.data["reason"], "quantity_over_max")
        self.assertEqual((signed.text, signed.is_repeat), (again.text, False))
        self.assertTrue(again.is_repeat)
        self.assertEqual(ask_venue(ORDERS, signed.text)["code"], "0")


class Refusals(WithDaemon):
    def test_by_policy_have_the_rule_and_what_is_allowed(self) -> None:
        with self.assertRaises(PolicyDenied) as raised:
            self.client.place(order(quantity="0.6"))
        refused = raised.exception
        self.assertEqual(refused.data["reason"], "quantity_over_max")
        self.assertEqual((refused.data["rule"], refused.data["allowed"]), ("quote", "0.5"))
        self.assertEqual((refused.status, refused.code), (403, "policy_denied"))
        record = self.client.record(refused.record or "")
        self.assertEqual(record["state"], "refused_here")

        report = self.client.check(ORDERS, order(quantity="0.6"))
        self.assertFalse(report["would_sign"])
        refusal = report["refusal"]
        assert refusal is not None and refusal["code"] == "policy_denied"
        self.assertEqual(refusal["data"]["reason"], "quantity_over_max")
        self.assertTrue(self.client.check(ORDERS, order())["would_sign"])

    def test_that_wait_for_a_person_name_the_hold(self) -> None:
        large = order(quantity="0.45")
        for _ in range(2):
            with self.assertRaises(ApprovalRequired) as raised:
                self.client.place(large)
            self.assertTrue((raised.exception.data["hold"] or "").startswith("hold_"))

    def test_by_a_limit_have_the_time_to_wait(self) -> None:
        spent = {"symbol_id": 2, "price": "3000", "quantity": "0.1"}
        self.client.place(order(**spent))
        with self.assertRaises(NoRoom) as raised:
            self.client.place(order(**spent), wait_s=1)
        self.assertEqual(raised.exception.code, "limit_exhausted")
        self.assertTrue(3000 < (raised.exception.retry_after_s or 0) <= 3600)
        [limit] = [each for each in self.client.limits()["limits"] if each["limit"] == "one"]
        self.assertEqual((limit["used"], limit["max"]), ("1", "1"))

    def test_by_the_venue_have_its_words(self) -> None:
        with self.assertRaises(VenueRefused) as raised:
            self.client.cancel({"order_id": "77"})
        self.assertEqual(raised.exception.source, "venue")
        self.assertRegex(raised.exception.code, r"^9\d{4}$")

    def test_are_of_their_classes(self) -> None:
        stranger = Client(URL, token="cs_nobodys")
        self.addCleanup(stranger.close)
        with self.assertRaises(Unauthorized):
            stranger.whoami()
        with self.assertRaises(NotPermitted):
            self.client.sign(ORDERS, order(), key="nobodys")
        with self.assertRaises(InvalidRequest) as raised:
            self.client.sign(ORDERS, {"symbol_id": 1, "is_buy": True, "qty": "1"})
        self.assertIn("/qty", [each["path"] for each in raised.exception.data["errors"]])
        with self.assertRaises(InvalidRequest):
            self.client.record("rec_nobodys")


class Doubts(WithDaemon):
    def test_end_when_the_answer_that_was_lost_is_told_again(self) -> None:
        with Relay(URL) as relay, Client(relay.url, token_file=TOKEN_FILE) as client:
            wanted = order()
            relay.lose_next(2)
            repeats: List[str] = []
            sent = client.place(
                wanted, pause_s=0.01, on_repeat=lambda failure: repeats.append(failure.code)
            )
        self.assertEqual((repeats, sent.is_repeat), (["no_answer"] * 2, True))
        found = open_orders(wanted["client_order_id"])
        self.assertEqual([each["order_id"] for each in found], [sent.data["order_id"]])

    def test_end_when_what_never_arrived_is_sent_again(self) -> None:
        add_fault("drop_before")
        wanted = order()
        sent = self.client.place(wanted, pause_s=0.01)
        self.assertTrue(sent.is_repeat)
        self.assertEqual(len(open_orders(wanted["client_order_id"])), 1)

    def test_last_where_the_venue_placed_it_and_refuses_it_the_second_time(self) -> None:
        add_fault("drop_after")
        wanted = order()
        with self.assertRaises(OutcomeUnknown) as raised:
            self.client.place(wanted, pause_s=0.01)
        self.assertEqual(raised.exception.code, "upstream_outcome_unknown")
        self.assertIn("venue", raised.exception.data)
        self.assertEqual(len(open_orders(wanted["client_order_id"])), 1)
        [record] = self.client.records(idempotency_key=raised.exception.idempotency_key)
        self.assertEqual(record["state"], "unknown")


class Reading(WithDaemon):
    symbols = "/v1/market/symbols"

    def test_has_a_list_item_by_item_and_page_by_page(self) -> None:
        items = [each["name"] for each in self.client.items(self.symbols, {"limit": "1"})]
        pages = list(self.client.pages(self.symbols, {"limit": "2"}, wait_s=30))
        self.assertEqual(items, ["BTC-PERP", "ETH-PERP", "BTC-USD"])
        self.assertEqual([len(each["list"]) for each in pages], [2, 1])
        self.assertEqual([each["name"] for page in pages for each in page["list"]], items)

    def test_is_refused_where_no_policy_allows_it(self) -> None:
        path = "/v1/account/settings"
        reads: List[Callable[[], object]] = [
            lambda: self.client.read(path),
            lambda: list(self.client.items(path)),
        ]
        for read in reads:
            with self.assertRaises(PolicyDenied) as raised:
                read()
            self.assertEqual(raised.exception.data["reason"], "read_not_allowed")


class Rights(WithDaemon):
    def test_are_told(self) -> None:
        me = self.client.whoami()
        self.assertEqual((me["client"], me["default_key"]), ("python", "mm"))
        self.assertEqual(sorted(me["rights"]), ["freeze", "heartbeat", "prices"])

    def test_feed_prices_say_who_is_there_and_freeze_others(self) -> None:
        [price] = self.client.prices({"BTC-PERP": Decimal("64100.5")})
        self.assertEqual((price["symbol"], price["state"]), ("BTC-PERP", "known"))
        beat = self.client.heartbeat()
        self.assertEqual((beat["frozen"], beat["then"]), (False, None))
        freeze = self.client.freeze("client", "the feed looks wrong", name="other")
        self.assertEqual((freeze["by"], freeze["cancels"]), ("python", True))


class AcrossAGateThatDies(WithDaemon):
    """The venue is slow; somebody kills the gate once the order is there, and another is started."""

    def test_places_once_and_says_so_or_that_it_is_unknown(self) -> None:
        wanted = order()
        repeats: List[str] = []
        try:
            came: object = self.client.place(
                wanted, most_sends=8, on_repeat=lambda failure: repeats.append(failure.code)
            )
        except OutcomeUnknown as unknown:
            came = unknown
        self.assertEqual(repeats[0], "no_answer")
        assert isinstance(came, (Sent, OutcomeUnknown))
        [found] = open_orders(wanted["client_order_id"])
        self.client.cancel({"order_id": found["order_id"]})
        records = self.client.records(idempotency_key=came.idempotency_key)
        self.assertEqual(len(records), 1)


class OverAUnixSocket(WithDaemon):
    def test_signs_and_reads(self) -> None:
        self.assertTrue(URL.startswith("unix:/"))
        self.assertEqual(self.client.whoami()["client"], "python")
        signed = self.client.sign(ORDERS, order())
        self.assertEqual(self.client.record(signed.record or "")["state"], "signed")
