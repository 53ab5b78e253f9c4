"""A daemon of tests, which gives answers that were made before."""

import json
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Dict, Final, Iterator, List, Mapping, Optional, Tuple

from countersign_client import Client

TOKEN = "cs_a-token-of-tests"
PATH: Final = "/v1/trade/orders"
ORDER: Any = {"symbol_id": 1, "is_buy": True, "quantity": "0.1"}

# The bytes of an answer. An empty one is a connection that ends.
Canned = bytes
LOST: Canned = b""


@dataclass(frozen=True)
class Heard:
    """One request, and the number of the connection that it came by."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    connection: int


class CannedDaemon:
    """Gives these answers, one a request; the last stays."""

    def __init__(self, answers: Tuple[Canned, ...], listener: socket.socket) -> None:
        self.heard: List[Heard] = []
        self._answers = answers
        self._listener = listener
        self._sockets: List[socket.socket] = []
        self._threads: List[threading.Thread] = []
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def close(self) -> None:
        # Wakes the thread that accepts.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.hang_up()
        for thread in self._threads:
            thread.join()

    def hang_up(self) -> None:
        """Ends all connections."""
        for each in self._sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(connection)
            number = len(self._sockets)
            thread = threading.Thread(target=self._serve, args=(connection, number))
            thread.start()
            self._threads.append(thread)

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while True:
                    heard = _hear(stream, number)
                    if heard is None:
                        return
                    answer = self._answers[min(len(self.heard), len(self._answers) - 1)]
                    self.heard.append(heard)
                    connection.sendall(answer)
                    if answer == LOST or b"Connection: close" in answer:
                        connection.shutdown(socket.SHUT_RDWR)
                        return
        except OSError:
            pass


def _hear(stream: Any, number: int) -> Optional[Heard]:
    first = stream.readline().decode()
    if first == "":
        return None
    method, target, _ = first.split(" ")
    headers: Dict[str, str] = {}
    while True:
        line = stream.readline().decode().rstrip("\r\n")
        if line == "":
            break
        name, _, value = line.partition(": ")
        headers[name] = value
    body = stream.read(int(headers.get("Content-Length", "0")))
    return Heard(method, target, headers, body, number)


@contextmanager
def client_of(*answers: Canned, timeout_s: float = 20.0) -> Iterator[Tuple[Client, List[Heard]]]:
    """A client of a daemon that gives these answers, and what the daemon heard."""
    with daemon_of(*answers) as (daemon, url):
        with Client(url, token=TOKEN, timeout_s=timeout_s) as client:
            yield client, daemon.heard


@contextmanager
def daemon_of(*answers: Canned) -> Iterator[Tuple[CannedDaemon, str]]:
    """The daemon and its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    daemon = CannedDaemon(answers, listener)
    try:
        yield daemon, f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        daemon.close()


def answer(
    source: Optional[str], status: int = 200, body: Any = None, **headers: str
) -> Canned:
    """An answer as HTTP has it; a header's `_` stands for `-`."""
    text = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
    lines = [f"HTTP/1.1 {status} Word", f"Content-Length: {len(text)}"]
    lines += [] if source is None else [f"Countersign-Source: {source}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + text


def problem(status: int, code: str, data: Any = None, **headers: str) -> Canned:
    body = {"code": code, "msg": "No.", "data": data or {}, "trace_code": ""}
    return answer("daemon", status, body, **headers)


def full(retry_after: str, exact_ms: Optional[int]) -> Canned:
    """A spent rate budget."""
    return problem(429, "10029", {"retry_after_ms": exact_ms}, Retry_After=retry_after)


SENT_DATA = {"record": "rec_1", "expires_after": 1}
UNKNOWN = problem(504, "upstream_outcome_unknown", SENT_DATA)
UNREADABLE = answer("venue", 503, b"<p>")
PLACED = answer("venue", 200, {"code": "0", "data": {"order_id": "7"}})
