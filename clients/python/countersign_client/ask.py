"""Asks the daemon: one request, one answer, and waiting for room between."""

from __future__ import annotations

import re
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import Callable, Dict, Iterator, Optional, TypeVar

from .answer import Answer, read_answer, silence
from .body import encode
from .connections import Connections, Request
from .contract import Payload
from .failures import Failure
from .options import CallOptions
from .wait_for_room import wait_for_room

Wanted = TypeVar("Wanted")


class Asker:
    """Knows the token, and how a call becomes HTTP."""

    def __init__(self, connections: Connections, token: str) -> None:
        """Raises ValueError when the token can't be one."""
        if re.fullmatch(r"cs_[A-Za-z0-9_-]+", token) is None:
            raise ValueError(
                "A token is cs_ and letters, digits, - and _; cut the line's end off."
            )
        self._connections = connections
        self._authorization = f"Bearer {token}"

    def ask(
        self,
        target: str,
        read: Callable[[Answer], Wanted],
        body: Optional[Payload] = None,
        by: CallOptions = {},
        shadow: bool = False,
    ) -> Wanted:
        """Asks by GET, or with a body by POST, and makes what is wanted of the answer.

        Raises Failure.
        """
        request = self.request(target, body, by)
        if shadow:
            request.headers["Countersign-Shadow"] = "1"

        def ask_once() -> Wanted:
            with self.exchange(request) as response:
                return read(read_answer(response, key_of(by)))

        return wait_for_room(ask_once, by, body is None or key_of(by) is not None)

    def request(self, target: str, body: Optional[Payload], by: CallOptions) -> Request:
        """Raises TypeError for a float in the body, ValueError for what can't be sent."""
        headers = {"Authorization": self._authorization, **_headers_of(by)}
        if body is None:
            return Request("GET", _visible(target), headers)
        headers["Content-Type"] = "application/json"
        return Request("POST", _visible(target), headers, encode(body))

    @contextmanager
    def exchange(
        self, request: Request, timeout_s: Optional[float] = None
    ) -> Iterator[HTTPResponse]:
        """Sends a request, once, and lets its answer be read.

        Raises Failure where no answer comes, or one that can't be read. Whatever goes wrong by
        now, bytes may have left: the outcome of what changes something is unknown.
        """
        try:
            with self._connections.exchange(request, timeout_s) as response:
                yield response
        except Failure:
            raise
        except Exception as error:
            # A word alone: an error's sentence may quote what was sent.
            message = f"No answer came from the daemon ({type(error).__name__})."
            key = request.headers.get("Idempotency-Key", request.headers.get("Countersign-Check"))
            raise silence(message, _changes(request), key) from error


def key_of(by: CallOptions) -> Optional[str]:
    """What a repeat is known by."""
    return by.get("idempotency_key", by.get("check"))


def _changes(request: Request) -> bool:
    """Whether the request may change something; a read and a check don't."""
    return request.method == "POST" and not request.target.startswith("/check/")


def _headers_of(options: CallOptions) -> Dict[str, str]:
    headers: Dict[str, str] = {}
    if "key" in options:
        headers["Countersign-Key"] = _visible(options["key"])
    if "expires_in_ms" in options:
        headers["Countersign-Expires-In"] = str(options["expires_in_ms"])
    if "idempotency_key" in options:
        headers["Idempotency-Key"] = _visible(options["idempotency_key"])
    if "check" in options:
        headers["Countersign-Check"] = _visible(options["check"])
    return headers


def _visible(text: str) -> str:
    """Raises ValueError for what can't stand in a request's first line or in a header."""
    if re.fullmatch("[!-~]+", text) is None:
        raise ValueError("Paths, keys' names and idempotency keys are visible characters of ASCII.")
    return text
