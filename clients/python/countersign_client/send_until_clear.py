"""Sends the same request until it is clear what became of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, TypeVar

from .failures import Failure, failure_of
from .options import Repeating, pause, tell_nobody

Wanted = TypeVar("Wanted")

# The longest that a daemon is waited for which says when to ask again; most signatures are good
# for 15 s.
_LONGEST_PAUSE_S = 5.0


def send_until_clear(send: Callable[[], Wanted], by: Repeating) -> Wanted:
    """Sends the same request, under the same idempotency key, until the venue's answer is clear.

    Only doubt is a reason to send again: what the daemon refuses before there is any is raised.
    Once an answer was lost, no refusal of the daemon's ends the doubt, so `OutcomeUnknown` is
    raised until the venue's own answer comes.
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
            is_last = not in_doubt or sends >= most_sends or _is_last_word(failure)
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
    """Only the venue can end a doubt."""
    return failure.said.may_have_arrived or (failure.source != "venue" and was_in_doubt)


def _is_last_word(failure: Failure) -> bool:
    """Whether another send under this key would be told the same."""
    if failure.source != "daemon":
        return False
    if failure.code == "upstream_outcome_unknown":
        # The venue saw the same bytes again and refused them, which tells nothing of the first
        # time.
        return "venue" in failure.data
    return failure.code in ("already_accepted", "idempotency_expired", "idempotency_conflict")
