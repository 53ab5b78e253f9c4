"""Stands between the client and the daemon, and loses answers."""

import socket
import threading
from typing import List
from urllib.parse import urlsplit


class Relay:
    """Passes bytes on to the daemon and back; where it loses an answer, the connection ends."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._daemon = (str(parts.hostname), int(parts.port or 80))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._host = "127.0.0.1:{}".format(self._listener.getsockname()[1])
        self._sockets: List[socket.socket] = []
        self._to_lose = 0
        self.url = f"http://{self._host}"

    def __enter__(self) -> "Relay":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._sockets:
            each.close()

    def lose_next(self, answers: int) -> None:
        """Loses so many answers, each once the daemon has given it."""
        self._to_lose = answers

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            daemon = socket.create_connection(self._daemon)
            self._sockets += [client, daemon]
            for pump in (self._ask, self._answer):
                threading.Thread(target=pump, args=(client, daemon), daemon=True).start()

    def _ask(self, client: socket.socket, daemon: socket.socket) -> None:
        # The daemon wants its own port in Host.
        names = (self._host.encode(), "{}:{}".format(*self._daemon).encode())
        try:
            while True:
                chunk = client.recv(65_536)
                if not chunk:
                    return
                daemon.sendall(chunk.replace(*names))
        except OSError:
            pass

    def _answer(self, client: socket.socket, daemon: socket.socket) -> None:
        try:
            while True:
                chunk = daemon.recv(65_536)
                if self._to_lose > 0 or not chunk:
                    self._to_lose -= 1 if chunk else 0
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(chunk)
        except OSError:
            pass
