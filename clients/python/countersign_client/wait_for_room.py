"""Waits where the daemon says that a rate budget or a limit is spent."""

from __future__ import annotations

from typing import Callable, Optional, TypeVar

from .failures import Failure
from .options import CallOptions, pause, tell_nobody

Wanted = TypeVar("Wanted")

# So often at most the daemon is asked.
_LEAST_PAUSE_S = 0.02


def wait_for_room(
    ask: Callable[[], Wanted], by: CallOptions, may_ask_venue_again: bool
) -> Wanted:
    """Asks, and asks again when the daemon says that there is room.

    Raises the failure that is another one, or after which the next wait would pass `wait_s`.
    """
    left_s = by.get("wait_s", 0.0)
    on_repeat = by.get("on_repeat", tell_nobody)
    while True:
        try:
            return ask()
        except Failure as failure:
            pause_s = _pause_before(failure, may_ask_venue_again)
            if pause_s is None or pause_s > left_s:
                raise
            left_s -= pause_s
            on_repeat(failure)
            if not pause(pause_s, by.get("stop")):
                raise


def _pause_before(failure: Failure, may_ask_venue_again: bool) -> Optional[float]:
    """How long until there is room; None where it isn't room that is missing, or room never comes.

    What the daemon refuses by 429 was neither signed nor sent, so nothing is doubled. What the
    venue refuses so is sent again as it was under its idempotency key; without one it would be
    another request.
    """
    is_asked = failure.source == "daemon" or (failure.source == "venue" and may_ask_venue_again)
    if not is_asked or failure.status != 429 or failure.retry_after_s is None:
        return None
    return max(_LEAST_PAUSE_S, failure.retry_after_s)
