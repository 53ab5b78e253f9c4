"""Lists, item by item and page by page."""

import unittest
from decimal import Decimal
from typing import Any, List, Tuple

from countersign_client import Failure, PolicyDenied, Unavailable

from .canned import Canned, answer, client_of, full, problem

PATH = "/v1/trade/executions"
LINES = b'{"id":1,"price":63000.10}\n{"id":2,"note":"\xc3\xa9"}\n'


def stream(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> Canned:
    """A list as the daemon writes it."""
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nCountersign-Source: venue\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()
    return head + b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in chunks) + end


def page(items: List[Any], cursor: Any, has_more: bool) -> Canned:
    data = {"list": items, "next_cursor": cursor, "has_more": has_more}
    return answer("venue", 200, {"code": "0", "msg": "", "data": data, "trace_code": ""})


class Items(unittest.TestCase):
    def read(self, came: Canned) -> Tuple[List[Any], Any]:
        """The items that come, and the failure that ends them."""
        items: List[Any] = []
        closing = came.replace(b" OK\r\n", b" OK\r\nConnection: close\r\n", 1)
        with client_of(closing) as (client, _):
            try:
                for item in client.items(PATH):
                    items.append(item)
            except Failure as failure:
                return items, failure
        return items, None

    def test_come_one_by_one_however_the_stream_is_cut_into_chunks(self) -> None:
        wanted = [{"id": 1, "price": Decimal("63000.10")}, {"id": 2, "note": "é"}]
        for length in (1, 7, len(LINES)):
            chunks = [LINES[at : at + length] for at in range(0, len(LINES), length)]
            with self.subTest(length):
                self.assertEqual(self.read(stream(*chunks)), (wanted, None))

    def test_are_the_whole_list_only_where_the_stream_ends_properly(self) -> None:
        whole = stream(LINES)
        for length in range(len(whole) - 5, len(whole) - len(LINES) - 12, -1):
            with self.subTest(length):
                _, failure = self.read(whole[:length])
                self.assertIsInstance(failure, Unavailable)
        self.assertIsInstance(self.read(stream(LINES[:-1]))[1], Unavailable)
        self.assertIsInstance(self.read(stream(b"{]\n"))[1], Unavailable)

    def test_are_none_of_an_empty_list(self) -> None:
        self.assertEqual(self.read(stream()), ([], None))

    def test_are_asked_for_with_the_rest_of_the_query_and_a_key(self) -> None:
        with client_of(stream(LINES)) as (client, heard):
            list(client.items(PATH, {"limit": "1"}, key="mm"))
            list(client.items(PATH))
        targets = [f"{PATH}?limit=1&all=true", f"{PATH}?all=true"]
        self.assertEqual([each.target for each in heard], targets)
        self.assertEqual(heard[0].headers["Countersign-Key"], "mm")
        self.assertEqual(heard[1].connection, 1)

    def test_raise_what_is_wrong_with_the_first_page(self) -> None:
        for came, family in (
            (problem(403, "policy_denied"), PolicyDenied),
            (answer("venue", 200, {"code": "0", "data": {}}), Unavailable),
        ):
            items, failure = self.read(came)
            self.assertEqual((items, type(failure)), ([], family))

    def test_that_nobody_wants_any_more_give_their_connection_up(self) -> None:
        with client_of(stream(LINES)) as (client, heard):
            items = client.items(PATH)
            next(items)
            items.close()  # type: ignore[attr-defined]
            next(client.items(PATH))
        self.assertEqual([each.connection for each in heard], [1, 2])


class Pages(unittest.TestCase):
    def test_follow_the_cursor_until_there_is_no_more(self) -> None:
        answers = (page([1, 2], "c&1", True), full("1", 20), page([3], "c2", False))
        with client_of(*answers) as (client, heard):
            pages = [each["list"] for each in client.pages(PATH, {"limit": "2"}, wait_s=1)]
        self.assertEqual(pages, [[1, 2], [3]])
        targets = [f"{PATH}?limit=2", *[f"{PATH}?limit=2&cursor=c%261"] * 2]
        self.assertEqual([each.target for each in heard], targets)

    def test_are_asked_for_when_they_are_wanted(self) -> None:
        with client_of(page([1], "c1", True)) as (client, heard):
            next(client.pages(PATH))
            self.assertEqual(len(heard), 1)

    def test_end_by_a_failure_where_one_is_refused(self) -> None:
        with client_of(page([1], "c1", True), problem(403, "policy_denied")) as (client, _):
            with self.assertRaises(PolicyDenied):
                list(client.pages(PATH))
