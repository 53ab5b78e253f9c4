"""The client: a method for each call of the daemon's interface."""

from __future__ import annotations

import uuid
from os import PathLike
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, cast
from urllib.parse import quote

from .answer import Answer, Sent, Signed, data_of, read_result, sent_of, signed_of
from .ask import Asker, key_of
from .connections import Connections
from .contract import (
    PATH_OF,
    ApproveAgent,
    BatchRequest,
    BatchResults,
    BegunReading,
    CheckReport,
    FreezeView,
    HeartbeatView,
    Limits,
    Money,
    Payload,
    PlaceOrder,
    Prices,
    PriceView,
    Records,
    RecordView,
    Whoami,
    WritePath,
)
from .failures import Failure
from .lists import Query, items, pages, with_query
from .options import CallOptions, Repeating
from .send_until_clear import send_until_clear

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The business fields that a path takes; the daemon fills in nonce, expiry and signature.
Body = Union[PlaceOrder, ApproveAgent, Payload]


class Client:
    """A client of the daemon, which threads may share.

    Its calls raise a `Failure` of failures.py where they don't get what they ask for, TypeError
    for a float in a body, and ValueError for what can't be sent at all. What each option means
    stands in options.py.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8420",
        *,
        token: Optional[str] = None,
        token_file: Optional[Union[str, "PathLike[str]"]] = None,
        timeout_s: float = 20.0,
    ) -> None:
        """`url` may also be `unix:` and the path of the daemon's socket.

        Either the token or the path of a file that has it. `timeout_s` is how long the daemon may
        be silent; it gives the venue 15 s of that. Raises ValueError and OSError.
        """
        self._connections = Connections(url, timeout_s)
        self._asker = Asker(self._connections, _token(token, token_file))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that no call is using."""
        self._connections.close()

    def place(self, order: PlaceOrder, **by: Unpack[Repeating]) -> Sent:
        """Has an order signed and placed: `send_until_clear` to the path of orders."""
        return self.send_until_clear(PATH_OF["placeOrder"], order, **by)

    def cancel(self, order: Payload, **by: Unpack[Repeating]) -> Sent:
        """Has an order cancelled: `send_until_clear` to that path, as the venue documents it."""
        return self.send_until_clear(PATH_OF["cancelOrder"], order, **by)

    def send(self, path: WritePath, body: Body, **by: Unpack[CallOptions]) -> Sent:
        """Has a body signed and sent to the venue, once."""
        return self._asker.ask(path, sent_of, body, by)

    def send_until_clear(self, path: WritePath, body: Body, **by: Unpack[Repeating]) -> Sent:
        """The same, as often as it takes to know what became of it, under one idempotency key.

        Without `idempotency_key` it makes one, and another where that has expired with nothing at
        the venue; the answer and a failure tell it.
        """
        makes_keys = key_of(by) is None

        def renew() -> bool:
            if makes_keys:
                by["idempotency_key"] = uuid.uuid4().hex
            return makes_keys

        renew()
        return send_until_clear(lambda: self._asker.ask(path, sent_of, body, by), renew, by)

    def sign(self, path: WritePath, body: Body, **by: Unpack[CallOptions]) -> Signed:
        """Has a body signed, to be sent by the caller."""
        return self._asker.ask(f"/sign{path}", signed_of, body, by)

    def sign_batch(self, requests: Sequence[BatchRequest]) -> List[Union[Signed, Failure]]:
        """Has up to 100 bodies signed. Each result stands in its request's place, not raised."""

        def read(answer: Answer) -> List[Union[Signed, Failure]]:
            results = cast(BatchResults, data_of(answer))["results"]
            if len(results) != len(requests):
                raise ValueError("What came isn't a result for each request.")
            return [read_result(result, request) for result, request in zip(results, requests)]

        return self._asker.ask("/sign/batch", read, {"requests": requests})

    def check(self, path: WritePath, body: Body, **by: Unpack[CallOptions]) -> CheckReport:
        """Whether it would be signed, and why; nothing is signed or counted."""
        return cast(CheckReport, self._data(f"/check{path}", body, by))

    def recorded_check(
        self, path: WritePath, body: Body, **by: Unpack[CallOptions]
    ) -> Tuple[CheckReport, Optional[str]]:
        """The same, recorded: with its record as `check` the very same body is signed, once.

        None where it wasn't recorded: no policy is for the client, or it asks too often.
        """

        def read(answer: Answer) -> Tuple[CheckReport, Optional[str]]:
            return cast(CheckReport, data_of(answer)), answer.head.record

        return self._asker.ask(f"/check{path}", read, body, by, shadow=True)

    def read(
        self, path: str, query: Optional[Query] = None, **by: Unpack[CallOptions]
    ) -> Mapping[str, Any]:
        """Reads from the venue: the `data` of one answer, one page of a list."""
        return self._asker.ask(with_query(path, query), sent_of, None, by).data

    def pages(
        self, path: str, query: Optional[Query] = None, **by: Unpack[CallOptions]
    ) -> Iterator[Mapping[str, Any]]:
        """Reads a list page by page, each as `read` has it, asked for when it is wanted."""
        return pages(lambda of: self.read(path, of, **by), query or {})

    def items(
        self, path: str, query: Optional[Query] = None, *, key: Optional[str] = None
    ) -> Iterator[Any]:
        """Reads a whole list item by item, in one call; its pages are the daemon's concern.

        A failure after some items means that they aren't the whole list.
        """
        by: CallOptions = {} if key is None else {"key": key}
        return items(self._asker, with_query(path, {**(query or {}), "all": "true"}), by)

    def record(self, record: str) -> RecordView:
        """What became of one of this client's requests, by its record's id."""
        return cast(RecordView, self._data(f"/records/{quote(record, safe='')}"))

    def records(
        self, *, idempotency_key: Optional[str] = None, client_order_id: Optional[str] = None
    ) -> Sequence[RecordView]:
        """The same by exactly one of what it was called by; the newest first, at most 20."""
        asked = {"idempotency_key": idempotency_key, "client_order_id": client_order_id}
        query = {name: value for name, value in asked.items() if value is not None}
        read: Callable[[Answer], Records] = data_of
        target = with_query("/records", query)
        return self._asker.ask(target, lambda answer: read(answer)["records"])

    def limits(self) -> Limits:
        """What is used of the limits and of the venue's rate budgets."""
        return cast(Limits, self._data("/limits"))

    def whoami(self) -> Whoami:
        """What this token may do."""
        return cast(Whoami, self._data("/whoami"))

    def prices(self, values: Mapping[str, Money]) -> Sequence[PriceView]:
        """Gives up to 100 symbols their reference prices, and tells what became of each."""
        prices = [{"symbol": symbol, "value": value} for symbol, value in values.items()]
        read: Callable[[Answer], Prices] = data_of
        return self._asker.ask("/prices", lambda answer: read(answer)["prices"], {"prices": prices})

    def begin_reading(self, account: str) -> BegunReading:
        """Begins to read an account that the daemon leaves to this client; nothing of it may be older."""
        return cast(BegunReading, self._data("/account/begin", {"account": account}))

    def reading(self, ticket: str, reading: Payload) -> None:
        """Hands over what a reading found: all of `orders` and `positions`, and perhaps `equity`."""
        self._data("/account", {"ticket": ticket, "reading": reading})

    def freeze(self, scope: str, reason: str, name: Optional[str] = None) -> FreezeView:
        """Stops signing: `all`, or of the `client` or `key` of that name. No call ends it."""
        named = {} if name is None else {"name": name}
        return cast(FreezeView, self._data("/freeze", {"scope": scope, "reason": reason, **named}))

    def heartbeat(self) -> HeartbeatView:
        """Says that the bot is there."""
        return cast(HeartbeatView, self._data("/heartbeat", {}))

    def _data(self, target: str, body: Optional[Payload] = None, by: CallOptions = {}) -> Any:
        return self._asker.ask(target, data_of, body, by)


def _token(token: Optional[str], path: Optional[Union[str, "PathLike[str]"]]) -> str:
    if token is not None and path is None:
        return token
    if path is None or token is not None:
        raise ValueError("Give the client either a token or the path of a file that has it.")
    with open(path, encoding="ascii") as file:
        return file.read().strip()
