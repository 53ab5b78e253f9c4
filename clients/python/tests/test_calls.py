"""What a call sends, and what it refuses to send."""

import json
import tempfile
import unittest
from decimal import Decimal
from typing import Any, Dict, List, Tuple

from countersign_client import Client

from .canned import ORDER, PATH, PLACED, TOKEN, answer, client_of


class Calls(unittest.TestCase):
    def test_have_the_token_the_options_as_headers_and_the_body_as_json(self) -> None:
        with client_of(PLACED) as (client, heard):
            client.send(PATH, ORDER, key="mm", expires_in_ms=2000, idempotency_key="q-1", wait_s=1)
        asked = heard[0]
        self.assertEqual((asked.method, asked.target), ("POST", PATH))
        self.assertEqual(json.loads(asked.body), ORDER)
        self.assertLessEqual(
            {
                "Authorization": f"Bearer {TOKEN}",
                "Content-Type": "application/json",
                "Countersign-Key": "mm",
                "Countersign-Expires-In": "2000",
                "Idempotency-Key": "q-1",
            }.items(),
            asked.headers.items(),
        )

    def test_ask_with_get_where_there_is_no_body_the_query_encoded(self) -> None:
        records = answer("daemon", 200, {"data": {"records": []}})
        page = answer("venue", 200, {"code": "0", "data": {}})
        with client_of(records, records, records, page, page) as (client, heard):
            client.records(client_order_id="a&b")
            client.records(idempotency_key="q-1")
            client.record("rec/1")
            client.read("/v1/trade/open-orders", {"limit": "100"})
            client.read("/v1/trade/open-orders")
        self.assertEqual({each.method for each in heard}, {"GET"})
        self.assertEqual(
            [each.target for each in heard],
            [
                "/records?client_order_id=a%26b",
                "/records?idempotency_key=q-1",
                "/records/rec%2F1",
                "/v1/trade/open-orders?limit=100",
                "/v1/trade/open-orders",
            ],
        )

    def test_go_to_their_paths_with_their_bodies(self) -> None:
        with client_of(answer("daemon", 200, {"data": {"prices": []}})) as (client, heard):
            client.check(PATH, ORDER)
            client.prices({"BTC-PERP": Decimal("64100.50")})
            client.begin_reading("main")
            client.reading("t1", {"orders": [], "positions": [], "equity": Decimal("5.50")})
            client.freeze("client", "why", name="bot")
            client.freeze("all", "why")
            client.heartbeat()
            client.limits()
            client.whoami()
        self.assertEqual(
            [(each.target, each.body and json.loads(each.body)) for each in heard],
            [
                (f"/check{PATH}", ORDER),
                ("/prices", {"prices": [{"symbol": "BTC-PERP", "value": "64100.50"}]}),
                ("/account/begin", {"account": "main"}),
                (
                    "/account",
                    {"ticket": "t1", "reading": {"orders": [], "positions": [], "equity": "5.50"}},
                ),
                ("/freeze", {"scope": "client", "reason": "why", "name": "bot"}),
                ("/freeze", {"scope": "all", "reason": "why"}),
                ("/heartbeat", {}),
                ("/limits", b""),
                ("/whoami", b""),
            ],
        )

    def test_refuse_what_can_not_stand_in_a_request(self) -> None:
        with client_of(PLACED) as (client, heard):
            for wrong in ("", "q\r\nCountersign-Key: main", "q 1", "é"):
                with self.subTest(wrong), self.assertRaises(ValueError):
                    client.send(PATH, ORDER, idempotency_key=wrong)
                with self.subTest(wrong), self.assertRaises(ValueError):
                    client.read(wrong)
        self.assertEqual(heard, [])


class Bodies(unittest.TestCase):
    def sent(self, **fields: Any) -> Any:
        with client_of(PLACED) as (client, heard):
            body: Dict[str, Any] = {**ORDER, **fields}
            client.send(PATH, body)
        return json.loads(heard[0].body)

    def test_have_a_decimal_as_a_string_digit_for_digit(self) -> None:
        for given, text in (("63000.10", "63000.10"), ("1E+3", "1000"), ("1E-7", "0.0000001")):
            with self.subTest(given):
                self.assertEqual(self.sent(price=Decimal(given))["price"], text)

    def test_have_everything_else_as_it_is(self) -> None:
        nested = {"flags": ["post_only"], "tpsl": None, "conditional": {"trigger_price": "é"}}
        self.assertEqual(self.sent(**nested), {**ORDER, **nested})

    def test_have_no_float_wherever_it_stands(self) -> None:
        cases: List[Tuple[Dict[str, Any], str]] = [
            ({"price": 63000.1}, "/price"),
            ({"price": 63000.0}, "/price"),
            ({"price": float("nan")}, "/price"),
            ({"conditional": {"trigger_price": 0.1}}, "/conditional/trigger_price"),
            ({"orders": [{"price": "1"}, {"price": 0.1}]}, "/orders/1/price"),
        ]
        for fields, path in cases:
            with self.subTest(path), self.assertRaisesRegex(TypeError, f"^{path} is a float"):
                self.sent(**fields)

    def test_have_no_decimal_that_is_no_number_and_nothing_that_json_lacks(self) -> None:
        for value in (Decimal("NaN"), Decimal("Infinity")):
            with self.subTest(value), self.assertRaisesRegex(ValueError, "^/price isn't"):
                self.sent(price=value)
        for other in (b"1", {1, 2}, {1: "one"}, object()):
            with self.subTest(other), self.assertRaises(TypeError):
                self.sent(price=other)


class Tokens(unittest.TestCase):
    def test_come_from_an_argument_or_from_a_file(self) -> None:
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(f"{TOKEN}\n")
            file.flush()
            for given in (Client(token=TOKEN), Client(token_file=file.name)):
                self.assertNotIn(TOKEN, repr(given))
            with self.assertRaises(ValueError):
                Client(token=TOKEN, token_file=file.name)
        with self.assertRaises(ValueError):
            Client()
        with self.assertRaises(OSError):
            Client(token_file="/nowhere/a.token")

    def test_are_not_quoted_where_they_can_not_be_one(self) -> None:
        for wrong in ("secret", "cs_with-line-end\n", "cs_with space"):
            with self.subTest(wrong), self.assertRaises(ValueError) as raised:
                Client(token=wrong)
            self.assertNotIn(wrong, str(raised.exception))


class Addresses(unittest.TestCase):
    def test_are_of_plain_http_or_of_a_socket(self) -> None:
        for right in ("http://127.0.0.1:8420", "http://[::1]:8420/", "unix:/run/gate.sock"):
            Client(right, token=TOKEN)
        for wrong in (
            "https://127.0.0.1:8420",
            "127.0.0.1:8420",
            "http://",
            "http://127.0.0.1/v1",
            "http://127.0.0.1:port",
            "unix:gate.sock",
        ):
            with self.subTest(wrong), self.assertRaises(ValueError):
                Client(wrong, token=TOKEN)
