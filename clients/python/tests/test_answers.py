"""What an answer is read as, and which failure a refusal is."""

import pickle
import typing
import unittest
from decimal import Decimal
from typing import Any, Callable, List

from countersign_client import (
    ApprovalRequired,
    Failure,
    InvalidRequest,
    NoRoom,
    NotPermitted,
    OutcomeUnknown,
    PolicyDenied,
    Signed,
    Stopped,
    Unauthorized,
    Unavailable,
    VenueRefused,
)
from countersign_client.contract import ErrorCode
from countersign_client.failures import Said, failure_of

from .canned import (
    LOST,
    ORDER,
    PATH,
    PLACED,
    SENT_DATA,
    TOKEN,
    UNKNOWN,
    UNREADABLE,
    Canned,
    answer,
    client_of,
    full,
    problem,
)


def failure_to(came: Canned) -> Failure:
    """What sending an order once raises."""
    with client_of(came) as (client, _):
        try:
            client.send(PATH, ORDER, idempotency_key="q-1")
        except Failure as failure:
            return failure
    raise AssertionError("it doesn't fail")


class Answers(unittest.TestCase):
    def test_has_the_venues_data_and_what_the_headers_say(self) -> None:
        headers = {"Countersign_Record": "rec_1", "Countersign_Repeat": "1"}
        body = {"code": "0", "msg": "", "data": {"order_id": "7"}, "trace_code": ""}
        with client_of(answer("venue", 200, body, **headers)) as (client, _):
            sent = client.send(PATH, ORDER, idempotency_key="q-1")
        self.assertEqual(sent.data, {"order_id": "7"})
        self.assertEqual((sent.record, sent.is_repeat, sent.status), ("rec_1", True, 200))
        self.assertEqual(sent.idempotency_key, "q-1")

    def test_has_the_signed_text_as_it_came_since_that_is_what_was_signed(self) -> None:
        text = '{"b":1, "a":"é"}'.encode()
        with client_of(answer("daemon", 200, text)) as (client, heard):
            signed = client.sign(PATH, ORDER)
        self.assertEqual((signed.text, signed.body), (text, {"b": 1, "a": "é"}))
        self.assertEqual((signed.record, signed.is_repeat), (None, False))
        self.assertEqual(heard[0].target, f"/sign{PATH}")

    def test_reads_numbers_with_a_point_exactly(self) -> None:
        body = b'{"code": "0", "data": {"last": 64100.10, "count": 3}}'
        with client_of(answer("venue", 200, body)) as (client, _):
            data = client.read("/v1/market/ticker")
        self.assertEqual((str(data["last"]), data["count"]), ("64100.10", 3))
        self.assertIsInstance(data["last"], Decimal)

    def test_has_the_results_of_a_batch_in_their_order(self) -> None:
        no = {"code": "policy_denied", "msg": "No.", "data": {"reason": "x"}, "trace_code": ""}
        empty = {"record": None, "repeat": False, "expires_after": None, "retry_after": None}
        results = [
            {**empty, "status": 403, "body": None, "error": no},
            {**empty, "status": 200, "body": '{"nonce":1}', "error": None},
        ]
        body = {"code": "0", "msg": "", "data": {"results": results}, "trace_code": ""}
        with client_of(answer("daemon", 200, body)) as (client, heard):
            refused, signed = client.sign_batch(
                [{"path": PATH, "body": ORDER, "idempotency_key": "q-1"}, {"path": PATH, "body": 1}]
            )
        assert isinstance(refused, PolicyDenied) and isinstance(signed, Signed)
        self.assertEqual((refused.idempotency_key, refused.status), ("q-1", 403))
        self.assertEqual((signed.text, signed.body), (b'{"nonce":1}', {"nonce": 1}))
        self.assertEqual(heard[0].target, "/sign/batch")


class Failures(unittest.TestCase):
    def test_have_a_refusals_code_data_record_status_and_time_to_wait(self) -> None:
        data = {"policy": "bot", "limit": "hourly"}
        headers = {"Retry_After": "12", "Countersign_Record": "rec_1"}
        failure = failure_to(problem(429, "limit_exhausted", data, **headers))
        assert isinstance(failure, NoRoom)
        self.assertEqual((failure.source, failure.status), ("daemon", 429))
        self.assertEqual((failure.code, failure.message), ("limit_exhausted", "No."))
        self.assertEqual((failure.data, failure.record), (data, "rec_1"))
        self.assertEqual((failure.retry_after_s, failure.idempotency_key), (12, "q-1"))
        self.assertEqual(str(failure), "limit_exhausted: No.")

    def test_have_the_time_to_wait_to_the_millisecond_where_the_refusal_tells_it(self) -> None:
        for header, exact_ms, wait_s in (
            ("2", 1001, 1.001),
            ("1", 1000, 1),
            ("1", None, 1),
            ("1", 3_600_000, 1),
            ("soon", 20, None),
        ):
            with self.subTest(header=header, exact_ms=exact_ms):
                self.assertEqual(failure_to(full(header, exact_ms)).retry_after_s, wait_s)

    def test_are_of_the_class_that_says_what_to_do(self) -> None:
        for code, family in (
            ("policy_denied", PolicyDenied),
            ("approval_required", ApprovalRequired),
            ("10029", NoRoom),
            ("frozen", Stopped),
            ("vault_unavailable", Unavailable),
            ("unauthorized", Unauthorized),
            ("right_missing", NotPermitted),
            ("invalid_request", InvalidRequest),
            ("a_code_of_tomorrow", Failure),
        ):
            with self.subTest(code):
                self.assertIs(type(failure_to(problem(400, code))), family)

    def test_have_a_class_for_every_code_of_the_contract(self) -> None:
        for code in typing.get_args(ErrorCode):
            may_have_arrived = code in (
                "upstream_outcome_unknown",
                "idempotency_expired",
                "already_accepted",
            )
            with self.subTest(code):
                failure = failure_to(problem(500, code))
                self.assertIsNot(type(failure), Failure)
                self.assertEqual(isinstance(failure, OutcomeUnknown), may_have_arrived)

    def test_are_doubts_where_the_request_may_have_arrived_and_only_there(self) -> None:
        for what, came, code, family in (
            ("no answer", LOST, "no_answer", OutcomeUnknown),
            ("a lost answer of the venue", UNKNOWN, "upstream_outcome_unknown", OutcomeUnknown),
            ("a failing venue", UNREADABLE, "", OutcomeUnknown),
            (
                "a failing venue with words",
                answer("venue", 500, {"code": "90001"}),
                *("90001", OutcomeUnknown),
            ),
            ("a yes with 400", answer("venue", 400, {"code": "0"}), "0", OutcomeUnknown),
            ("a list for an envelope", answer("venue", 200, []), "", OutcomeUnknown),
            ("half an answer", answer("daemon", 200, b"{"), "no_answer", OutcomeUnknown),
            ("half of its bytes", PLACED[:-5] + LOST, "no_answer", OutcomeUnknown),
            ("not the daemon's", answer(None, 200, {"code": "0"}), "no_answer", OutcomeUnknown),
            ("a no with 499", answer("venue", 499, {"code": "9"}), "9", VenueRefused),
            ("a no with 200", answer("venue", 200, {"code": "9", "data": {}}), "9", VenueRefused),
            ("a refusal", problem(403, "policy_denied"), "policy_denied", PolicyDenied),
        ):
            with self.subTest(what):
                closing = came.replace(b"Word\r\n", b"Word\r\nConnection: close\r\n", 1)
                failure = failure_to(closing)
                self.assertEqual((type(failure), failure.code), (family, code))

    def test_are_doubts_whatever_an_answer_is_like_that_came_to_what_changes_something(self) -> None:
        deep = b'{"code":"0","data":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        for what, came in (
            ("a deep yes", answer("venue", 200, deep)),
            ("a deep no", answer("venue", 400, deep)),
            ("a deep answer of the daemon", answer("daemon", 200, deep)),
            ("a deep refusal of the daemon", answer("daemon", 403, deep)),
            ("an exponent out of bounds", answer("venue", 200, b'{"code":"0","data":{"p":1.0e99999999999999999999}}')),
            ("a number without an end", answer("venue", 200, b'{"code":"0","data":%s}' % (b"1" * 5_000))),
            ("a code that is a number", answer("venue", 200, {"code": 5})),
            ("a code that is null", answer("venue", 400, {"code": None})),
            ("a redirection with words", answer("venue", 302, {"code": "9"})),
            ("a problem without its members", answer("daemon", 403, {})),
            ("a problem with other ones", answer("daemon", 403, {"code": [], "msg": 5, "data": 5})),
            ("words for a time", problem(429, "10029", {"retry_after_ms": "soon"}, Retry_After="1")),
            ("a status that isn't one", b"HTTP/1.1 999999 Word\r\n\r\n"),
            ("a length that isn't one", b"HTTP/1.1 200 Word\r\nContent-Length: -5\r\n\r\n"),
        ):
            with self.subTest(what):
                closing = came.replace(b"Word\r\n", b"Word\r\nConnection: close\r\n", 1)
                self.assertIs(type(failure_to(closing)), OutcomeUnknown)

    def test_are_doubts_where_a_signature_or_a_batch_comes_in_another_shape(self) -> None:
        requests: Any = [{"path": PATH, "body": ORDER}]
        shapes: List[Any] = [
            {},
            {"data": {}},
            {"data": {"results": []}},
            {"data": {"results": [{}]}},
            {"data": {"results": [{"status": 200, "body": 5}]}},
        ]
        for shape in shapes:
            with self.subTest(shape), client_of(answer("daemon", 200, shape)) as (client, _):
                self.assertRaises(OutcomeUnknown, client.sign_batch, requests)
                self.assertRaises(OutcomeUnknown, client.prices, {"BTC-PERP": "1"})

    def test_tell_a_deep_list_from_the_venue_as_one_that_could_not_be_read(self) -> None:
        deep = b"[" * 100_000 + b"]" * 100_000
        lines = answer("venue", 200, deep + b"\n", Content_Type="application/x-ndjson")
        page = answer("venue", 200, b'{"code":"0","data":{"list":' + deep + b"}}")
        with client_of(lines, page) as (client, _):
            self.assertRaises(Unavailable, lambda: list(client.items("/v1/x")))
            self.assertRaises(Failure, lambda: client.read("/v1/x"))

    def test_are_no_doubts_where_nothing_was_asked_to_change(self) -> None:
        with client_of(LOST) as (client, _):
            calls: List[Callable[[], object]] = [
                client.whoami,
                lambda: client.check(PATH, ORDER),
                lambda: client.read("/v1/x"),
            ]
            for call in calls:
                with self.assertRaises(Unavailable) as raised:
                    call()
                self.assertEqual(raised.exception.code, "no_answer")

    def test_tell_why_no_answer_came_by_a_word_without_what_was_sent(self) -> None:
        failure = failure_to(LOST)
        self.assertEqual(
            failure.message, "No answer came from the daemon (RemoteDisconnected)."
        )
        self.assertNotIn(TOKEN, repr(failure))

    def test_can_be_passed_between_processes(self) -> None:
        said = Said("daemon", 504, "too_late", "No.", SENT_DATA, "rec_1", None, False, "q-1")
        failure = pickle.loads(pickle.dumps(failure_of(said)))
        self.assertEqual((type(failure), failure.said), (Unavailable, said))
