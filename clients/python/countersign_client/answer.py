"""Reads what the daemon answers, and whose words it has."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from http.client import HTTPResponse
from typing import Any, Mapping, Optional, Union, cast

from .contract import BatchRequest, BatchResult, Problem, SignedBody
from .failures import Failure, Said, failure_of

# With any other code of the daemon's, nothing of this request has left it.
_DOUBTFUL = ("upstream_outcome_unknown", "idempotency_expired", "already_accepted")


@dataclass(frozen=True)
class Signed:
    """A signed body. Send `text` unchanged: that was signed. `body` is the same, read."""

    text: bytes
    body: SignedBody
    # The id of the record.
    record: Optional[str]
    # It was signed before, under the same idempotency key.
    is_repeat: bool


@dataclass(frozen=True)
class Sent:
    """The venue's yes. `data` is as it came, but that a number with a point is a Decimal."""

    data: Mapping[str, Any]
    status: int
    # The id of the record.
    record: Optional[str]
    # It was signed before, under the same idempotency key.
    is_repeat: bool
    idempotency_key: Optional[str]


@dataclass(frozen=True)
class Head:
    """What an answer's status and headers say, and the key that was sent."""

    status: int
    record: Optional[str]
    retry_after_s: Optional[float]
    is_repeat: bool
    idempotency_key: Optional[str]

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


@dataclass(frozen=True)
class Answer:
    """A good answer: its text, and the same read as JSON."""

    head: Head
    text: bytes
    body: Mapping[str, Any]


def read_answer(response: HTTPResponse, idempotency_key: Optional[str] = None) -> Answer:
    """Reads a whole answer; one that doesn't say whose words it has isn't the daemon's.

    Raises Failure for a refusal, any other exception where it isn't the daemon's answer.
    """
    source = response.getheader("Countersign-Source")
    text = response.read()
    head = Head(
        status=response.status,
        record=response.getheader("Countersign-Record"),
        retry_after_s=_seconds_of(response.getheader("Retry-After")),
        is_repeat=response.getheader("Countersign-Repeat") == "1",
        idempotency_key=idempotency_key,
    )
    if source == "daemon":
        return _read_daemons(head, text)
    if source == "venue":
        return _read_venues(head, text)
    raise ValueError("What came isn't an answer of the daemon.")


def read_result(result: BatchResult, request: BatchRequest) -> Union[Signed, Failure]:
    """Reads what one request of a batch came to; a failure isn't raised.

    Raises any exception where it isn't the daemon's result.
    """
    head = Head(
        status=result["status"],
        record=result["record"],
        retry_after_s=result["retry_after"],
        is_repeat=result["repeat"],
        idempotency_key=request.get("idempotency_key", request.get("check")),
    )
    if result["body"] is not None:
        return signed_of(_read_daemons(head, result["body"].encode()))
    if result["error"] is None:
        raise ValueError("A result of a batch has neither a body nor an error.")
    return _daemons_no(head, result["error"])


def signed_of(answer: Answer) -> Signed:
    head = answer.head
    return Signed(answer.text, cast(SignedBody, answer.body), head.record, head.is_repeat)


def data_of(answer: Answer) -> Any:
    # As docs/openapi.json says; tests hold the daemon to it.
    return answer.body["data"]


def sent_of(answer: Answer) -> Sent:
    head, data = answer.head, answer.body.get("data") or {}
    return Sent(data, head.status, head.record, head.is_repeat, head.idempotency_key)


def silence(message: str, may_have_arrived: bool, idempotency_key: Optional[str]) -> Failure:
    """What is known where no answer came, or half of one."""
    return failure_of(
        Said("none", 0, "no_answer", message, {}, None, None, may_have_arrived, idempotency_key)
    )


def read_json(text: bytes) -> Any:
    """A number with a point becomes a Decimal.

    Raises ValueError, and what Decimal and the interpreter raise for text beyond their bounds.
    """
    return json.loads(text, parse_float=Decimal, parse_constant=_no_number)


def _read_daemons(head: Head, text: bytes) -> Answer:
    body = read_json(text)
    if not isinstance(body, dict):
        raise ValueError("What came isn't an answer of the daemon.")
    if head.is_good:
        return Answer(head, text, body)
    # As docs/openapi.json says; tests hold the daemon to it.
    raise _daemons_no(head, cast(Problem, body))


def _daemons_no(head: Head, problem: Problem) -> Failure:
    data, code = problem["data"], problem["code"]
    return failure_of(
        Said(
            source="daemon",
            status=head.status,
            code=code,
            message=problem["msg"],
            data=data,
            record=head.record,
            retry_after_s=_exactly(head.retry_after_s, data.get("retry_after_ms")),
            may_have_arrived=code in _DOUBTFUL and not is_nothing_there(code, data),
            idempotency_key=head.idempotency_key,
            # An older daemon has none.
            do=problem.get("do"),
        )
    )


def is_nothing_there(code: str, data: Mapping[str, Any]) -> bool:
    """Whether the key's request has expired without the venue having processed it."""
    return code == "idempotency_expired" and data.get("state") == "signed"


def _read_venues(head: Head, text: bytes) -> Answer:
    body = _venues_body(text)
    code, data = body.get("code", ""), body.get("data")
    if head.is_good and code == "0":
        return Answer(head, text, body)
    # As the daemon records it.
    is_no = isinstance(code, str) and code not in ("", "0")
    is_clear = is_no and head.status // 100 in (2, 4)
    raise failure_of(
        Said(
            source="venue",
            status=head.status,
            code=str(code),
            message=str(body.get("msg", "")),
            data=data if isinstance(data, dict) else {},
            record=head.record,
            retry_after_s=head.retry_after_s,
            may_have_arrived=not is_clear,
            idempotency_key=head.idempotency_key,
        )
    )


def _venues_body(text: bytes) -> Mapping[str, Any]:
    """Empty where it isn't in the venue's envelope."""
    try:
        body = read_json(text)
    except Exception:
        return {}
    return body if isinstance(body, dict) else {}


def _exactly(retry_after_s: Optional[float], exact_ms: Optional[int]) -> Optional[float]:
    """`Retry-After` is rounded up to a second; `data` often tells the millisecond."""
    if retry_after_s is None or exact_ms is None:
        return retry_after_s
    return min(retry_after_s, exact_ms / 1000)


def _seconds_of(header: Optional[str]) -> Optional[float]:
    is_number = header is not None and header.isascii() and header.isdigit()
    return float(header) if header is not None and is_number else None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} isn't JSON.")
