"""Sends the same request until it is clear what became of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, TypeVar

from .answer import is_nothing_there
from .failures import Failure, failure_of
from .options import Repeating, pause, tell_nobody

Wanted = TypeVar("Wanted")

# The longest that a daemon is waited for which says when to ask again; most signatures are good
# for 15 s.
_LONGEST_PAUSE_S = 5.0


def send_until_clear(
    send: Callable[[], Wanted], renew: Callable[[], bool], by: Repeating
) -> Wanted:
    """Sends the same request, under the same idempotency key, until the venue's answer is clear.

    Doubt is a reason to send again, and the venue's 429 that asks for a short pause: what the
    daemon refuses before there is any doubt is raised. Once an answer was lost, no refusal of the
    daemon's ends the doubt, so `OutcomeUnknown` is raised until the venue's own answer comes, or
    the daemon knows that nothing arrived. `renew` then takes another key, if it may.
    """
    most_sends, pause_s = by.get("most_sends", 5), by.get("pause_s", 0.5)
    on_repeat = by.get("on_repeat", tell_nobody)
    in_doubt, sends = False, 0
    while True:
        sends += 1
        try:
            return send()
        except Failure as failure:
            in_doubt = _is_doubtful(failure, in_doubt)
            is_last = sends >= most_sends or not (
                (_is_nothing_there(failure) and renew()) or _is_worth_again(failure, in_doubt)
            )
            if not is_last:
                on_repeat(failure)
                wait_s = failure.retry_after_s
                wait_s = pause_s * 2 ** (sends - 1) if wait_s is None else wait_s
                is_last = not pause(min(wait_s, _LONGEST_PAUSE_S), by.get("stop"))
            if is_last and in_doubt and not failure.said.may_have_arrived:
                raise failure_of(replace(failure.said, may_have_arrived=True)) from failure
            if is_last:
                raise


def _is_doubtful(failure: Failure, was_in_doubt: bool) -> bool:
    """Only the venue can end a doubt, and the daemon where it knows that nothing arrived."""
    stays = failure.source != "venue" and not _is_nothing_there(failure)
    return failure.said.may_have_arrived or (stays and was_in_doubt)


def _is_nothing_there(failure: Failure) -> bool:
    return failure.source == "daemon" and is_nothing_there(failure.code, failure.data)


def _is_worth_again(failure: Failure, in_doubt: bool) -> bool:
    """Whether the same, under the same key, may be answered otherwise."""
    return _is_put_off(failure) or (in_doubt and not _is_last_word(failure))


def _is_put_off(failure: Failure) -> bool:
    """Whether the venue was asked too fast, and may be again before most signatures expire."""
    is_short = (failure.retry_after_s or 0.0) <= _LONGEST_PAUSE_S
    return failure.source == "venue" and failure.status == 429 and is_short


def _is_last_word(failure: Failure) -> bool:
    """Whether another send under this key would be told the same."""
    if failure.source != "daemon":
        return False
    if failure.code == "upstream_outcome_unknown":
        # The venue saw the same bytes again and refused them, which tells nothing of the first
        # time; its 429 only puts off.
        venue = failure.data.get("venue")
        return venue is not None and venue.get("status") != 429
    return failure.code in ("already_accepted", "idempotency_expired", "idempotency_conflict")
