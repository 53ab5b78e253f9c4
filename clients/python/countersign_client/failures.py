"""What is raised where a call fails: a class for each thing that a bot does about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Literal, Mapping, Optional, Type, Union, cast

from .contract import (
    AddressBudgetExhaustedData,
    ApprovalRequiredData,
    ErrorCode,
    GuardExceededData,
    IpBudgetExhaustedData,
    LimitExhaustedData,
    PolicyDeniedData,
    SignerPaceData,
)

# Who says no: the daemon, the venue, or nobody, where no answer came.
Source = Literal["daemon", "venue", "none"]


@dataclass(frozen=True)
class Said:
    """What was said in place of what was asked for."""

    source: Source
    # The HTTP status; 0 where no answer came.
    status: int
    # A word of docs/error-codes.md, the venue's own code, or `no_answer`.
    code: str
    # For people; it may change.
    message: str
    # What docs/openapi.json has for the code, or the venue's own.
    data: Mapping[str, Any]
    # The id of the record, where there is one.
    record: Optional[str]
    # After how many seconds it may be asked again, where that is known.
    retry_after_s: Optional[float]
    # Whether what was sent may be at the venue all the same.
    may_have_arrived: bool
    idempotency_key: Optional[str] = None
    # The daemon's word for what to do about it.
    do: Optional[str] = None


class Failure(Exception):
    """Any way in which a call doesn't get what it asked for; its attributes are those of `Said`.

    Nothing of the request is at the venue, unless it is `OutcomeUnknown`.
    """

    data: Any

    def __init__(self, said: Said) -> None:
        super().__init__(said)
        self.said = said
        self.source = said.source
        self.status = said.status
        self.code = said.code
        self.message = said.message
        self.data = said.data
        self.record = said.record
        self.retry_after_s = said.retry_after_s
        self.idempotency_key = said.idempotency_key
        self.do = said.do

    def __str__(self) -> str:
        return f"{self.code or self.status}: {self.message}"


class OutcomeUnknown(Failure):
    """It may be at the venue, whatever `code` says: look there before it is asked anew."""


class PolicyDenied(Failure):
    """No rule allows it, or a deny matches: don't repeat it unchanged, act on `data["reason"]`."""

    data: PolicyDeniedData


class ApprovalRequired(Failure):
    """A person must release it: `data["hold"]` names it. Then send the very same request again."""

    data: ApprovalRequiredData


class NoRoom(Failure):
    """A limit or a rate budget is spent, or a guard is full: ask again after `retry_after_s`, or for less.

    `retry_after_s` is None where there never is that much room, or a guard waits for a reading.
    """

    data: Union[
        LimitExhaustedData,
        GuardExceededData,
        AddressBudgetExhaustedData,
        IpBudgetExhaustedData,
        SignerPaceData,
    ]


class Stopped(Failure):
    """Frozen or locked: place no more orders, and tell the operator, who alone ends it."""


class Unavailable(Failure):
    """The daemon or the venue can't now: ask again later, and tell the operator if it lasts."""


class Unauthorized(Failure):
    """The token isn't good: mend it."""


class NotPermitted(Failure):
    """The token isn't for this key, target or call: use another, or tell the operator."""


class InvalidRequest(Failure):
    """It can't be acted on as it is: mend the bot, or the line of venue.yaml that `data` names.

    `nothing_to_reduce`: there is no position for a reduce-only order, so it may be taken as closed.
    """


class VenueRefused(Failure):
    """The venue said no, in its own words."""


_FAMILY_OF: Dict[ErrorCode, Type[Failure]] = {
    "policy_denied": PolicyDenied,
    "approval_required": ApprovalRequired,
    "10029": NoRoom,
    "ip_budget_exhausted": NoRoom,
    "limit_exhausted": NoRoom,
    "guard_exceeded": NoRoom,
    "signer_pace": NoRoom,
    "frozen": Stopped,
    "guard_tripped": Stopped,
    "locked": Stopped,
    "clock_unsafe": Unavailable,
    "disk_low": Unavailable,
    "guard_unreadable": Unavailable,
    "internal": Unavailable,
    "isolated": Unavailable,
    "ledger_unavailable": Unavailable,
    "not_signing": Unavailable,
    "overloaded": Unavailable,
    "read_failed": Unavailable,
    "request_timeout": Unavailable,
    "restore_unaccepted": Unavailable,
    "signature_check_failed": Unavailable,
    "too_late": Unavailable,
    "upstream_unreachable": Unavailable,
    "vault_unavailable": Unavailable,
    "too_many_bad_tokens": Unauthorized,
    "token_expired": Unauthorized,
    "unauthorized": Unauthorized,
    "agent_expiring": NotPermitted,
    "agent_revoked": NotPermitted,
    "forward_only": NotPermitted,
    "key_not_allowed": NotPermitted,
    "right_missing": NotPermitted,
    "target_not_allowed": NotPermitted,
    "wallet_key_required": NotPermitted,
    "wrong_network": NotPermitted,
    "action_tag_undisclosed": InvalidRequest,
    "base_url_missing": InvalidRequest,
    "body_too_large": InvalidRequest,
    "check_expired": InvalidRequest,
    "check_mismatch": InvalidRequest,
    "check_required": InvalidRequest,
    "check_unknown": InvalidRequest,
    "headers_too_large": InvalidRequest,
    "idempotency_conflict": InvalidRequest,
    # Where nothing is at the venue; else it is in doubt, which counts first.
    "idempotency_expired": Unavailable,
    "invalid_header": InvalidRequest,
    "invalid_json": InvalidRequest,
    "invalid_request": InvalidRequest,
    "items_undisclosed": InvalidRequest,
    "method_not_allowed": InvalidRequest,
    "misdirected_host": InvalidRequest,
    "not_paginated": InvalidRequest,
    "nothing_to_reduce": InvalidRequest,
    "origin_refused": InvalidRequest,
    "read_group_undisclosed": InvalidRequest,
    "signing_type_undisclosed": InvalidRequest,
    "struct_undisclosed": InvalidRequest,
    "target_layout_undisclosed": InvalidRequest,
    "unknown_endpoint": InvalidRequest,
    "unknown_record": InvalidRequest,
    "unsupported_media_type": InvalidRequest,
    "already_accepted": OutcomeUnknown,
    "upstream_outcome_unknown": OutcomeUnknown,
}


def failure_of(said: Said) -> Failure:
    """What to raise; where the request may be at the venue that counts, whatever else is wrong."""
    if said.may_have_arrived:
        return OutcomeUnknown(said)
    if said.source == "venue":
        return VenueRefused(said)
    if said.source == "none":
        return Unavailable(said)
    return _FAMILY_OF.get(cast(ErrorCode, said.code), Failure)(said)
