"""When a call is made again, and when never."""

import threading
import time
import unittest
from typing import Any, Dict, List, Tuple

from countersign_client import Failure, NoRoom, OutcomeUnknown, Stopped, Unavailable, VenueRefused

from .canned import (
    LOST,
    ORDER,
    PATH,
    PLACED,
    SENT_DATA,
    UNKNOWN,
    UNREADABLE,
    Canned,
    Heard,
    answer,
    client_of,
    full,
    problem,
)


def stop_after(seconds: float) -> threading.Event:
    stop = threading.Event()
    threading.Timer(seconds, stop.set).start()
    return stop


def venues_429(retry_after: str) -> Canned:
    return answer("venue", 429, {"code": "10029", "msg": "", "data": {}}, Retry_After=retry_after)


PUT_OFF: Any = {"record": "rec_1", "state": "signed", "venue": {"status": 429, "code": "10029"}}
EXPIRED = problem(409, "idempotency_expired", PUT_OFF)


class Waiting(unittest.TestCase):
    def ask(self, wait_s: float, *answers: Canned) -> Tuple[bool, List[Heard], List[str]]:
        """Whether it is signed in the end, what was heard, and the failures that were waited for."""
        repeats: List[str] = []
        with client_of(*answers) as (client, heard):
            try:
                client.sign(
                    PATH,
                    ORDER,
                    idempotency_key="q-1",
                    wait_s=wait_s,
                    on_repeat=lambda failure: repeats.append(failure.code),
                )
            except Failure:
                return False, heard, repeats
        return True, heard, repeats

    def test_sends_it_again_as_it_was_once_there_is_room(self) -> None:
        started_s = time.monotonic()
        is_signed, heard, repeats = self.ask(1, full("1", 30), full("1", 20), answer("daemon"))
        self.assertTrue(is_signed)
        self.assertGreaterEqual(time.monotonic() - started_s, 0.05)
        self.assertEqual(repeats, ["10029", "10029"])
        asked = [(each.target, each.headers, each.body) for each in heard]
        self.assertEqual(asked, [asked[0]] * 3)

    def test_is_not_begun_where_it_would_pass_its_bound(self) -> None:
        is_signed, heard, repeats = self.ask(59.999, full("60", 60_000))
        self.assertEqual((is_signed, len(heard), repeats), (False, 1, []))

    def test_is_begun_where_it_just_fits(self) -> None:
        stop = threading.Event()
        with client_of(full("60", 60_000)) as (client, heard):
            with self.assertRaises(NoRoom):
                client.send(PATH, ORDER, wait_s=60, stop=stop, on_repeat=lambda _: stop.set())
        self.assertTrue(stop.is_set())
        self.assertEqual(len(heard), 1)

    def test_takes_no_longer_in_all_than_it_may(self) -> None:
        is_signed, heard, _ = self.ask(0.059, full("1", 20))
        self.assertEqual((is_signed, len(heard)), (False, 3))

    def test_asks_no_more_often_than_fifty_times_a_second(self) -> None:
        self.assertEqual(len(self.ask(0.059, full("1", 0))[1]), 3)

    def test_is_only_where_it_is_asked_for(self) -> None:
        self.assertEqual(len(self.ask(0, full("1", 1))[1]), 1)

    def test_is_for_the_venues_429_where_the_same_is_sent_again_and_nowhere_else(self) -> None:
        is_signed, heard, _ = self.ask(1, venues_429("0"), answer("daemon"))
        self.assertEqual((is_signed, len(heard)), (True, 2))
        with client_of(venues_429("0"), PLACED) as (client, heard):
            client.read("/v1/x", wait_s=1)
        self.assertEqual(len(heard), 2)
        with client_of(venues_429("0"), PLACED) as (client, heard):
            self.assertRaises(VenueRefused, client.send, PATH, ORDER, wait_s=1)
        self.assertEqual(len(heard), 1)

    def test_is_never_for_what_is_not_room(self) -> None:
        for what, refusal in (
            ("never", problem(429, "10029", {"retry_after_ms": None})),
            ("not room", problem(503, "overloaded", Retry_After="0")),
            ("no answer", LOST),
        ):
            with self.subTest(what):
                is_signed, heard, _ = self.ask(60, refusal)
                self.assertEqual((is_signed, len(heard)), (False, 1))

    def test_ends_when_it_is_told_to(self) -> None:
        with client_of(full("60", 60_000)) as (client, heard):
            with self.assertRaises(NoRoom):
                client.send(PATH, ORDER, wait_s=60, stop=stop_after(0.01))
        self.assertEqual(len(heard), 1)

    def test_can_be_for_a_read(self) -> None:
        with client_of(full("1", 20), PLACED) as (client, heard):
            client.read("/v1/trade/open-orders", {"limit": "1"}, wait_s=0.02)
        self.assertEqual(len(heard), 2)


class SendingUntilClear(unittest.TestCase):
    def send(self, *answers: Canned, most_sends: int = 3) -> Tuple[object, int, List[str]]:
        """What it came to, how often it was sent, and after which failures again."""
        repeats: List[str] = []
        last: object
        with client_of(*answers) as (client, heard):
            try:
                last = client.place(
                    ORDER,
                    idempotency_key="q-1",
                    pause_s=0.001,
                    most_sends=most_sends,
                    on_repeat=lambda failure: repeats.append(failure.code),
                )
            except Failure as failure:
                last = failure
        self.assertEqual({each.headers["Idempotency-Key"] for each in heard}, {"q-1"})
        return last, len(heard), repeats

    def test_sends_once_what_is_answered(self) -> None:
        self.assertEqual(self.send(PLACED)[1], 1)
        last, sends, _ = self.send(answer("venue", 400, {"code": "9"}))
        self.assertEqual((type(last), sends), (VenueRefused, 1))

    def test_makes_a_key_once_where_none_is_given_and_tells_it(self) -> None:
        with client_of(LOST, PLACED) as (client, heard):
            sent = client.cancel({"order_id": "7"}, pause_s=0.001)
            client.place(ORDER)
        first, again, other = [each.headers["Idempotency-Key"] for each in heard]
        self.assertEqual((first, again), (sent.idempotency_key, sent.idempotency_key))
        self.assertNotEqual(first, other)
        self.assertEqual(heard[0].target, f"{PATH}/cancel")

    def test_sends_again_what_the_venue_put_off_for_five_seconds_at_most(self) -> None:
        last, sends, repeats = self.send(venues_429("0"), venues_429("0"), PLACED)
        self.assertEqual((sends, repeats), (3, ["10029", "10029"]))
        last, sends, _ = self.send(venues_429("0"))
        self.assertEqual((type(last), sends), (VenueRefused, 3))
        last, sends, _ = self.send(venues_429("6"))
        self.assertEqual((type(last), sends), (VenueRefused, 1))
        again: Any = {**SENT_DATA, "venue": {"status": 429, "code": "10029"}}
        _, sends, _ = self.send(LOST, problem(504, "upstream_outcome_unknown", again), PLACED)
        self.assertEqual(sends, 3)

    def test_takes_a_new_key_where_its_own_has_expired_with_nothing_at_the_venue(self) -> None:
        with client_of(venues_429("0"), EXPIRED, PLACED) as (client, heard):
            sent = client.place(ORDER, pause_s=0.001)
        first, again, other = [each.headers["Idempotency-Key"] for each in heard]
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(sent.idempotency_key, other)

    def test_says_of_its_callers_key_that_another_may_be_used(self) -> None:
        for before in (venues_429("0"), LOST):
            last, sends, _ = self.send(before, EXPIRED)
            assert isinstance(last, Unavailable)
            self.assertEqual((last.code, last.data["state"], sends), ("idempotency_expired", "signed", 2))

    def test_leaves_to_its_caller_what_was_refused_without_a_doubt(self) -> None:
        last, sends, _ = self.send(problem(429, "limit_exhausted", Retry_After="1"))
        self.assertEqual((type(last), sends), (NoRoom, 1))

    def test_sends_again_under_the_same_key_what_is_in_doubt(self) -> None:
        for what, doubt in (
            ("no answer came", LOST),
            ("the venue gave no answer", UNKNOWN),
            ("the venue failed", UNREADABLE),
        ):
            with self.subTest(what):
                _, sends, repeats = self.send(doubt, PLACED)
                self.assertEqual((sends, len(repeats)), (2, 1))

    def test_stays_in_doubt_when_the_daemon_refuses_what_was_lost_before(self) -> None:
        last, sends, _ = self.send(LOST, problem(423, "frozen", {"scope": "all"}))
        assert isinstance(last, OutcomeUnknown)
        self.assertEqual((last.code, last.data, sends), ("frozen", {"scope": "all"}, 3))
        self.assertIsInstance(last.__cause__, Stopped)

    def test_ends_its_doubt_by_the_venues_own_refusal(self) -> None:
        last, _, _ = self.send(LOST, answer("venue", 400, {"code": "9"}))
        self.assertIsInstance(last, VenueRefused)

    def test_stops_where_another_send_would_be_told_the_same(self) -> None:
        again: Dict[str, Any] = {**SENT_DATA, "venue": {"status": 400, "code": "10012"}}
        record = {"record": "rec_1"}
        for last_word in (
            problem(504, "upstream_outcome_unknown", again),
            problem(409, "idempotency_expired", {**record, "state": "accepted"}),
            problem(409, "already_accepted", record),
            problem(409, "idempotency_conflict", record),
        ):
            last, sends, _ = self.send(UNKNOWN, last_word)
            self.assertEqual((type(last), sends), (OutcomeUnknown, 2))

    def test_waits_for_room_first_where_it_may(self) -> None:
        with client_of(full("1", 20), LOST, full("1", 20), PLACED) as (client, heard):
            client.place(ORDER, pause_s=0.001, wait_s=0.02)
        self.assertEqual(len(heard), 4)

    def test_waits_as_the_daemon_says_and_twice_as_long_each_time_where_it_does_not(self) -> None:
        for doubt, least_s in ((LOST, 0.02 + 0.04), (answer("venue", 503, Retry_After="0"), 0)):
            started_s = time.monotonic()
            with client_of(doubt, doubt, PLACED) as (client, _):
                client.place(ORDER, pause_s=0.02)
            took_s = time.monotonic() - started_s
            self.assertGreaterEqual(took_s, least_s)

    def test_waits_five_seconds_at_most_where_the_daemon_says_more(self) -> None:
        later = problem(503, "vault_unavailable", Retry_After="3600")
        with client_of(LOST, later, PLACED) as (client, heard):
            started_s = time.monotonic()
            client.place(ORDER, pause_s=0.001)
        self.assertEqual(len(heard), 3)
        self.assertTrue(4.9 < time.monotonic() - started_s < 30)

    def test_ends_when_it_is_told_to_in_doubt_as_it_is_then(self) -> None:
        with client_of(LOST) as (client, heard):
            with self.assertRaises(OutcomeUnknown):
                client.place(ORDER, pause_s=60, stop=stop_after(0.01))
        self.assertEqual(len(heard), 1)

    def test_sends_no_more_often_than_it_is_told(self) -> None:
        last, sends, repeats = self.send(LOST)
        self.assertEqual((type(last), sends, len(repeats)), (OutcomeUnknown, 3, 2))
        self.assertEqual(self.send(LOST, most_sends=1)[1], 1)

    def test_is_what_place_and_cancel_do_and_nothing_else_does(self) -> None:
        with client_of(LOST) as (client, heard):
            for call in (
                lambda: client.send(PATH, ORDER, idempotency_key="q-1"),
                lambda: client.sign(PATH, ORDER, idempotency_key="q-1"),
                lambda: client.freeze("all", "why"),
                client.heartbeat,
                client.whoami,
            ):
                with self.assertRaises(Failure):
                    call()
        self.assertEqual(len(heard), 5)
