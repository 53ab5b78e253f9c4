"""How a call is made."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Callable, Optional, TypedDict

if TYPE_CHECKING:
    from .failures import Failure


class CallOptions(TypedDict, total=False):
    """Each may be left out."""

    # The name of the key to sign with, or that a policy of reads is for.
    key: str
    # Shortens how long the signature is good.
    expires_in_ms: int
    # 1 to 64 visible characters of ASCII.
    idempotency_key: str
    # The record of an earlier check of the very same, by which it is signed once; in place of an
    # idempotency key.
    check: str
    # How long it may wait in all while the daemon says that a rate budget or a limit is spent, or
    # the venue that it is asked too fast, in seconds; 0 if left out. What would take longer is
    # raised at once.
    wait_s: float
    # Ends the waiting once it is set; a call that is under way goes on to its end.
    stop: threading.Event
    # Is told each failure after which it is sent again.
    on_repeat: Callable[[Failure], object]


class Repeating(CallOptions, total=False):
    """The same, and how it is sent again."""

    # How often it is sent at most; 5 if left out.
    most_sends: int
    # After the first send, where its answer doesn't say how long to wait, and then twice as long
    # each time; 0.5 if left out.
    pause_s: float


def pause(seconds: float, stop: Optional[threading.Event]) -> bool:
    """Waits for so long, or until `stop`; tells whether it was the whole time."""
    if stop is None:
        time.sleep(seconds)
        return True
    return not stop.wait(seconds)


def tell_nobody(_: Failure) -> None:
    """In place of `on_repeat`."""
