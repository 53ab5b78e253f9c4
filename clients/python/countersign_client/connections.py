"""Connections to the daemon: kept open between calls, one for each call that is under way."""

import os
import socket
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from typing import Callable, Deque, Dict, Iterator, Optional, Tuple
from urllib.parse import urlsplit

# The daemon closes one that was idle for 75 s; what is sent at that moment would be lost.
_LONGEST_IDLE_S = 60


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: Dict[str, str]
    body: Optional[bytes] = None


class Connections:
    """Threads may share it, and a process that was forked begins with none."""

    def __init__(self, url: str, timeout_s: float) -> None:
        """`url` is `http://host:port`, or `unix:` and the path of a socket.

        Raises ValueError for any other.
        """
        self._open = _opener_of(url)
        self._timeout_s = timeout_s
        self._idle: Deque[Tuple[HTTPConnection, float]] = deque()
        self._pid = os.getpid()

    @contextmanager
    def exchange(
        self, request: Request, timeout_s: Optional[float] = None
    ) -> Iterator[HTTPResponse]:
        """Sends a request, once. Its connection is kept if the whole answer was read.

        `timeout_s` is how long the daemon may be silent. Raises OSError or HTTPException.
        """
        connection = self._take()
        is_whole = False
        try:
            _set_timeout(connection, self._timeout_s if timeout_s is None else timeout_s)
            connection.request(request.method, request.target, request.body, request.headers)
            with connection.getresponse() as response:
                yield response
                is_whole = response.isclosed()
        finally:
            if is_whole and connection.sock is not None:
                self._idle.append((connection, time.monotonic()))
            else:
                connection.close()

    def close(self) -> None:
        """Closes those that are idle; another call opens a new one."""
        while self._idle:
            self._idle.pop()[0].close()

    def _take(self) -> HTTPConnection:
        if self._pid != os.getpid():
            # The parent goes on using the same sockets.
            self.close()
            self._pid = os.getpid()
        while True:
            try:
                connection, since = self._idle.pop()
            except IndexError:
                return self._open()
            if time.monotonic() - since < _LONGEST_IDLE_S and _is_silent(connection):
                return connection
            connection.close()


class _UnixConnection(HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _opener_of(url: str) -> Callable[[], HTTPConnection]:
    if url.startswith("unix:/"):
        return partial(_UnixConnection, url[len("unix:") :])
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError("The daemon's address is http://host:port, or unix:/path/of/a.sock.")
    return partial(HTTPConnection, parts.hostname, parts.port or 80)


def _set_timeout(connection: HTTPConnection, seconds: float) -> None:
    connection.timeout = seconds
    if connection.sock is not None:
        connection.sock.settimeout(seconds)


def _is_silent(connection: HTTPConnection) -> bool:
    """Whether nothing has come since the last answer, the connection's end neither."""
    try:
        connection.sock.settimeout(0)
        connection.sock.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False
