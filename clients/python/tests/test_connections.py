"""How connections are kept, dropped and shared."""

import os
import socket
import tempfile
import threading
import time
import unittest
from typing import List
from unittest import mock

from countersign_client import Client, OutcomeUnknown, Unavailable

from .canned import LOST, ORDER, PATH, PLACED, TOKEN, CannedDaemon, answer, client_of, daemon_of

ME = answer("daemon", 200, {"code": "0", "data": {"client": "bot"}})


class Connections(unittest.TestCase):
    def test_are_kept_from_call_to_call(self) -> None:
        with client_of(ME) as (client, heard):
            for _ in range(3):
                client.whoami()
        self.assertEqual([each.connection for each in heard], [1, 1, 1])

    def test_are_opened_anew_where_the_daemon_ended_them_and_nothing_is_sent_twice(self) -> None:
        with daemon_of(ME, PLACED) as (daemon, url), Client(url, token=TOKEN) as client:
            client.whoami()
            daemon.hang_up()
            client.send(PATH, ORDER)
        self.assertEqual([each.connection for each in daemon.heard], [1, 2])

    def test_are_not_used_when_they_were_idle_for_long(self) -> None:
        with client_of(ME) as (client, heard):
            client.whoami()
            an_hour_on = time.monotonic() + 60
            with mock.patch("countersign_client.connections.time.monotonic", lambda: an_hour_on):
                client.whoami()
        self.assertEqual([each.connection for each in heard], [1, 2])

    def test_are_dropped_after_an_answer_that_was_not_whole(self) -> None:
        with client_of(LOST, ME) as (client, heard):
            with self.assertRaises(Unavailable):
                client.whoami()
            client.whoami()
        self.assertEqual([each.connection for each in heard], [1, 2])

    def test_are_of_one_call_at_a_time_in_threads(self) -> None:
        names = [str(number) for number in range(40)]
        seen: List[str] = []
        with client_of(ME) as (client, heard):

            def ask(name: str) -> None:
                seen.append(client.record(name)["client"])

            threads = [threading.Thread(target=ask, args=(name,)) for name in names]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(seen, ["bot"] * 40)
        self.assertEqual(sorted(each.target[9:] for each in heard), sorted(names))

    def test_are_not_shared_with_a_process_that_is_forked(self) -> None:
        with client_of(ME) as (client, heard):
            client.whoami()
            child = os.fork()
            if child == 0:
                os._exit(0 if client.whoami()["client"] == "bot" else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            client.whoami()
        self.assertEqual([each.connection for each in heard], [1, 2, 1])

    def test_end_where_the_daemon_is_silent_for_too_long(self) -> None:
        silent = PLACED[:20]
        with client_of(silent, timeout_s=0.05) as (client, _):
            with self.assertRaisesRegex(OutcomeUnknown, "imeout"):
                client.send(PATH, ORDER)

    def test_that_can_not_be_opened_leave_a_doubt_as_a_lost_answer_does(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        client = Client(f"http://127.0.0.1:{port}", token=TOKEN)
        with self.assertRaisesRegex(OutcomeUnknown, "ConnectionRefusedError"):
            client.send(PATH, ORDER)

    def test_are_closed_with_the_client_which_may_go_on(self) -> None:
        with client_of(ME) as (client, heard):
            client.whoami()
            client.close()
            client.whoami()
        self.assertEqual([each.connection for each in heard], [1, 2])

    def test_may_be_to_a_unix_socket(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "gate.sock")
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            listener.listen()
            daemon = CannedDaemon((ME,), listener)
            with Client(f"unix:{path}", token=TOKEN) as client:
                client.whoami()
                client.whoami()
            daemon.close()
        self.assertEqual([each.connection for each in daemon.heard], [1, 1])
        self.assertEqual(daemon.heard[0].headers["Host"], "localhost")
