"""What docs/openapi.json says, as types. Made by npm run openapi."""

from decimal import Decimal
from typing import Any, Dict, Literal, Mapping, Optional, Sequence, TypedDict, Union

# An amount, never a float.
Money = Union[str, Decimal]

# The venue's operations that write.
Operation = Literal[
    "placeOrder",
    "modifyOrder",
    "cancelOrder",
    "chaseOrder",
    "placeBatch",
    "modifyBatch",
    "cancelBatch",
    "cancelAll",
    "setPositionMode",
    "setLeverage",
    "adjustIsolatedMargin",
    "approveAgent",
    "revokeAgent",
    "renewAgent",
    "createSub",
    "transfer",
    "withdraw",
]


WritePath = Literal[
    "/v1/trade/orders",
    "/v1/trade/orders/modify",
    "/v1/trade/orders/cancel",
    "/v1/trade/orders/chase",
    "/v1/trade/orders/batch",
    "/v1/trade/orders/batch/modify",
    "/v1/trade/orders/batch/cancel",
    "/v1/trade/orders/cancel-all",
    "/v1/account/position-mode",
    "/v1/account/leverage",
    "/v1/account/isolated-margin",
    "/v1/account/approve-agent",
    "/v1/account/revoke-agent",
    "/v1/account/renew-agent",
    "/v1/account/create-sub",
    "/v1/account/transfer",
    "/v1/account/withdraw",
]


# The daemon's words for what is wrong; a number is the venue's word too.
ErrorCode = Literal[
    "10029",
    "invalid_json",
    "invalid_request",
    "invalid_header",
    "unauthorized",
    "token_expired",
    "policy_denied",
    "guard_exceeded",
    "guard_tripped",
    "guard_unreadable",
    "nothing_to_reduce",
    "wallet_key_required",
    "key_not_allowed",
    "target_not_allowed",
    "wrong_network",
    "approval_required",
    "agent_revoked",
    "agent_expiring",
    "check_required",
    "right_missing",
    "forward_only",
    "origin_refused",
    "unknown_endpoint",
    "unknown_record",
    "method_not_allowed",
    "request_timeout",
    "already_accepted",
    "idempotency_conflict",
    "idempotency_expired",
    "check_unknown",
    "check_mismatch",
    "check_expired",
    "body_too_large",
    "unsupported_media_type",
    "misdirected_host",
    "locked",
    "frozen",
    "limit_exhausted",
    "ip_budget_exhausted",
    "signer_pace",
    "too_many_bad_tokens",
    "headers_too_large",
    "internal",
    "signature_check_failed",
    "action_tag_undisclosed",
    "struct_undisclosed",
    "signing_type_undisclosed",
    "items_undisclosed",
    "target_layout_undisclosed",
    "read_group_undisclosed",
    "base_url_missing",
    "upstream_unreachable",
    "not_paginated",
    "vault_unavailable",
    "not_signing",
    "ledger_unavailable",
    "restore_unaccepted",
    "isolated",
    "clock_unsafe",
    "disk_low",
    "overloaded",
    "upstream_outcome_unknown",
    "too_late",
    "read_failed",
]


# What to do about an error.
Act = Literal[
    "wait",
    "fix_request",
    "ask_operator",
    "ask_smaller",
    "wait_for_person",
    "check_first",
    "send_again",
    "look_at_record",
    "",
]


class AddressBudgetExhaustedData(TypedDict):
    scope: Literal["address"]
    max: int
    used: int
    # What of it is free and kept for others.
    kept: int
    asked: int
    # When there is room; null when there never is that much.
    frees_at: Optional[int]
    # How long until then.
    retry_after_ms: Optional[int]


class InvalidJsonData(TypedDict):
    # In bytes.
    offset: int


class InvalidRequestDataErrors(TypedDict):
    # A JSON Pointer into the body; empty for the body itself.
    path: str
    # A word of docs/error-codes.md.
    rule: str
    message: str


class InvalidRequestData(TypedDict):
    errors: Sequence[InvalidRequestDataErrors]


class InvalidHeaderData(TypedDict):
    header: str


class TokenExpiredData(TypedDict):
    # Milliseconds since 1970.
    expired_at: int


class _Denial(TypedDict):
    policy: Optional[str]
    rule: Optional[str]
    reason: Literal[
        "no_policy_applies",
        "no_rule_covers_endpoint",
        "endpoint_not_covered",
        "denied_by_rule",
        "idempotency_key_required",
        "check_required",
        "check_expired",
        "repeated_within",
        "expires_in_over_max",
        "symbol_without_max",
        "symbol_without_min",
        "quantity_over_max",
        "quantity_under_min",
        "quantity_unreadable",
        "notional_over_max",
        "notional_unknown",
        "slippage_required",
        "slippage_over_max",
        "price_outside_band",
        "reference_price_unknown",
        "price_match_band_required",
        "size_unreadable",
        "market_order_type_required",
        "full_tpsl_not_allowed",
        "approval_unreadable",
        "agent_address_not_allowed",
        "authorized_address_not_allowed",
        "valid_days_over_max",
        "order_unreadable",
        "limit_unreadable",
        "read_not_allowed",
        "symbol_not_allowed",
        "side_not_allowed",
        "order_type_not_allowed",
        "time_in_force_not_allowed",
        "flag_required",
        "flag_forbidden",
        "position_side_not_allowed",
        "margin_mode_not_allowed",
        "stp_mode_not_allowed",
        "algo_order_type_not_allowed",
        "client_order_id_not_allowed",
        "target_address_not_allowed",
        "label_not_allowed",
        "outside_hours",
        "body_field_not_allowed",
    ]
    file: Optional[str]
    line: Optional[int]
    asked: Optional[str]
    allowed: Optional[str]


class Denial(_Denial, total=False):
    # Which order of a batch it is about, a JSON Pointer; absent where it is no single one.
    path: str


PolicyDeniedData = Denial


GuardExceededData = TypedDict(
    "GuardExceededData",
    {
        "policy": str,
        "guard": str,
        "account": str,
        "kind": Literal[
    "max_position",
    "max_open_orders",
    "max_open_notional",
    "daily_loss",
    "loss",
    "drawdown",
],
        "measure": Optional[Literal["net", "gross", "notional"]],
        "symbol": Optional[str],
        "max": str,
        "measured": str,
        "in_flight": str,
        "asked": str,
        "worst": str,
        "room": str,
        "from": Optional[str],
        "equity": Optional[str],
        "freed": Optional[str],
        "read_at": int,
    },
)


class GuardTrippedData(TypedDict):
    policy: str
    guard: str
    # Its address.
    account: str
    kind: Literal["daily_loss", "loss", "drawdown"]
    # Milliseconds since 1970.
    since: int
    # When its day ends; null where only a person ends it.
    until: Optional[int]


class GuardUnreadableData(TypedDict):
    policy: str
    guard: str
    # A word of docs/error-codes.md.
    why: str
    # Its address; null where it isn't known.
    account: Optional[str]


class NothingToReduceData(TypedDict):
    policy: str
    guard: str
    # Its address.
    account: str
    # Of the first order, where there are several.
    symbol: str
    # Of the position that it would reduce.
    side: Literal["long", "short"]
    # The most that there may be to reduce.
    reach: str
    # When the reading began that says so.
    read_at: int


class WalletKeyRequiredData(TypedDict):
    key: str


class KeyNotAllowedData(TypedDict):
    key: Optional[str]


class TargetNotAllowedData(TypedDict):
    key: str
    target: str


WrongNetworkData = WalletKeyRequiredData


class ApprovalRequiredData(TypedDict):
    # null where none was opened.
    hold: Optional[str]
    # null where the hold has ended already.
    expires_at: Optional[int]


AgentRevokedData = WalletKeyRequiredData


class AgentExpiringData(TypedDict):
    key: str
    # Milliseconds since 1970.
    expires_at: int


class CheckRequiredData(TypedDict):
    policy: str
    file: str
    line: int
    # How old the check may be when it is signed by.
    within_ms: int


class RightMissingData(TypedDict):
    right: str


class UnknownEndpointData(TypedDict):
    path: str


class AlreadyAcceptedData(TypedDict):
    record: str
    nonce: int
    # Milliseconds since 1970.
    expires_after: int
    # What was signed, 32 bytes in hex.
    signing_hash: str
    # Of a single order.
    client_order_id: Optional[str]


class IdempotencyConflictData(TypedDict):
    record: str


class IdempotencyExpiredDataVenue(TypedDict):
    """By which the venue refused it for its pace."""

    status: int
    code: str


class _IdempotencyExpiredData(TypedDict):
    record: str
    # `signed`: nothing of it is at the venue, so a new key may be used.
    state: str


class IdempotencyExpiredData(_IdempotencyExpiredData, total=False):
    # By which the venue refused it for its pace.
    venue: IdempotencyExpiredDataVenue


class CheckMismatchData(TypedDict):
    # In what the request isn't the one that was checked.
    differs: Sequence[Literal["key", "operation", "target", "body"]]


class CheckExpiredData(TypedDict):
    age_ms: int
    within_ms: int


class Nothing(TypedDict):
    pass


LockedData = Union[WalletKeyRequiredData, Nothing]


class FreezeView(TypedDict):
    scope: Literal["all", "client", "key"]
    name: Optional[str]
    reason: str
    by: str
    # Whether cancels and reduce-only orders stay open.
    cancels: bool
    # Milliseconds since 1970.
    since: int


FrozenData = FreezeView


class LimitExhaustedData(TypedDict):
    policy: str
    limit: str
    max: str
    used: str
    asked: str
    # What could be asked now.
    room: str
    # When there is room; null when there never is that much.
    frees_at: Optional[int]
    # How long until then.
    retry_after_ms: Optional[int]


class IpBudgetExhaustedData(TypedDict):
    scope: Literal["ip"]
    max: int
    used: int
    # What of it is free and kept for others.
    kept: int
    asked: int
    # When there is room; null when there never is that much.
    frees_at: Optional[int]
    # How long until then.
    retry_after_ms: Optional[int]


class SignerPaceData(TypedDict):
    retry_after_ms: int


TooManyBadTokensData = SignerPaceData


class ActionTagUndisclosedData(TypedDict):
    endpoint: str
    # The line of venue.yaml to add.
    add_line: str


StructUndisclosedData = ActionTagUndisclosedData


SigningTypeUndisclosedData = ActionTagUndisclosedData


ItemsUndisclosedData = ActionTagUndisclosedData


TargetLayoutUndisclosedData = ActionTagUndisclosedData


class ReadGroupUndisclosedData(TypedDict):
    path: str
    add_line: str


class BaseUrlMissingData(TypedDict):
    add_line: str


class UpstreamUnreachableDataRecord(TypedDict):
    record: str
    # Milliseconds since 1970.
    expires_after: int


UpstreamUnreachableData = Union[UpstreamUnreachableDataRecord, Nothing]


class Signing(TypedDict):
    # What the vault signs now, as far as policies allow it.
    signs: Literal["all", "reduce_only", "cancels", "nothing"]
    # Why not all; the gravest first.
    reasons: Sequence[Literal[
        "not_running",
        "ledger_unavailable",
        "restore_unaccepted",
        "isolated",
        "clock_unsafe",
        "locked",
        "frozen",
        "disk_low",
        "agent_expiring",
        "price_stale",
        "price_unconfirmed",
        "action_tag_undisclosed",
    ]]


NotSigningData = Signing


class RestoreUnacceptedData(TypedDict):
    # What is signed all the same.
    signs: Literal["reduce_only", "cancels", "nothing"]
    # What the operator does about it.
    fix: str


IsolatedData = RestoreUnacceptedData


class ClockUnsafeDataReduceOnly(TypedDict):
    # What is signed all the same.
    signs: Literal["reduce_only", "cancels", "nothing"]
    # What the operator does about it.
    fix: str
    # Negative where the venue's clock is behind; null where this machine's leapt.
    venue_ahead_ms: Optional[int]
    max_venue_offset_ms: Optional[int]


ClockUnsafeData = Union[ClockUnsafeDataReduceOnly, Nothing]


class DiskLowData(TypedDict):
    # What is signed all the same.
    signs: Literal["reduce_only", "cancels", "nothing"]
    # What the operator does about it.
    fix: str
    # null where it can't be told.
    free_bytes: Optional[int]
    min_free_bytes: int


class UpstreamOutcomeUnknownDataVenue(TypedDict):
    status: int
    code: Optional[str]


class _UpstreamOutcomeUnknownData(TypedDict):
    record: str
    # Milliseconds since 1970.
    expires_after: int


class UpstreamOutcomeUnknownData(_UpstreamOutcomeUnknownData, total=False):
    venue: UpstreamOutcomeUnknownDataVenue


TooLateData = UpstreamUnreachableDataRecord


class PlaceOrderConditional(TypedDict):
    # A decimal above zero, at most 40 digits.
    trigger_price: Money
    trigger_by: Literal["last_price", "mark_price", "oracle_price"]


class _PlaceOrderTpsl(TypedDict):
    tpsl_mode: Literal["full", "partial"]


class PlaceOrderTpsl(_PlaceOrderTpsl, total=False):
    # A decimal above zero, at most 40 digits.
    tp_trigger_price: Money
    tp_trigger_by: Literal["last_price", "mark_price", "oracle_price"]
    tp_order_type: Literal["limit", "market"]
    # A decimal above zero, at most 40 digits.
    tp_order_price: Money
    # A decimal above zero, at most 40 digits.
    sl_trigger_price: Money
    sl_trigger_by: Literal["last_price", "mark_price", "oracle_price"]
    sl_order_type: Literal["limit", "market"]
    # A decimal above zero, at most 40 digits.
    sl_order_price: Money


class _PlaceOrder(TypedDict):
    symbol_id: int
    is_buy: bool
    # A decimal above zero, at most 40 digits.
    quantity: Money


class PlaceOrder(_PlaceOrder, total=False):
    """The business fields of an order. docs/error-codes.md lists the rules between them;
    `extra_fields` of venue.yaml may admit more."""

    client_order_id: str
    order_type: Literal["limit", "market"]
    time_in_force: Literal["gtc", "fok", "ioc"]
    # A decimal above zero, at most 40 digits.
    price: Money
    # A decimal from 0.0001 to 0.1, at most 40 digits.
    slippage: Money
    position_side: Literal["both", "long", "short"]
    margin_mode: Literal["cross", "isolated"]
    market_order_type: Literal["base", "quote"]
    stp_mode: Literal["cancel_maker", "cancel_taker", "cancel_both", "none"]
    price_match: Literal["queue_1", "queue_5", "counter_party_1", "counter_party_5"]
    algo_order_type: Literal["conditional", "tpsl", "attached_tpsl"]
    conditional: PlaceOrderConditional
    tpsl: Optional[PlaceOrderTpsl]
    flags: Sequence[Literal["post_only", "reduce_only"]]
    # Picks the key; must not contradict `Countersign-Key`.
    signer_address: str
    # The account that is operated; on what is signed as type A alone.
    target_address: str


class _ApproveAgent(TypedDict):
    service_chain: str
    # In mixed case its EIP-55 checksum must be right.
    agent_address: str
    # In mixed case its EIP-55 checksum must be right.
    authorized_address: str
    valid_days: int
    label: str
    signature_chain_id: int


class ApproveAgent(_ApproveAgent, total=False):
    """The members of the struct that is signed, and the chain of the signature."""

    # Picks the key; must not contradict `Countersign-Key`.
    signer_address: str


# Business fields that the venue's interface doesn't document, as the venue documents them
# elsewhere. The daemon fills in nonce, expiry and signature.
Payload = Mapping[str, Any]


class FreezeRequestAll(TypedDict):
    scope: Literal["all"]
    reason: str


class FreezeRequestClient(TypedDict):
    scope: Literal["client", "key"]
    name: str
    reason: str


FreezeRequest = Union[FreezeRequestAll, FreezeRequestClient]


HeartbeatRequest = Nothing


class PricesRequestPrices(TypedDict):
    symbol: str
    value: str


class PricesRequest(TypedDict):
    prices: Sequence[PricesRequestPrices]


class BeginReadingRequest(TypedDict):
    account: str


class _ReadingRequestReadingOrders(TypedDict):
    symbol: str
    is_buy: bool
    remaining: str
    reduce_only: bool


class ReadingRequestReadingOrders(_ReadingRequestReadingOrders, total=False):
    position_side: Literal["long", "short", "both"]
    price: str


class _ReadingRequestReadingPositions(TypedDict):
    symbol: str
    quantity: str


class ReadingRequestReadingPositions(_ReadingRequestReadingPositions, total=False):
    position_side: Literal["long", "short", "both"]


class _ReadingRequestReading(TypedDict):
    orders: Sequence[ReadingRequestReadingOrders]
    positions: Sequence[ReadingRequestReadingPositions]


class ReadingRequestReading(_ReadingRequestReading, total=False):
    equity: str
    venue_at: int


class ReadingRequest(TypedDict):
    ticket: str
    reading: ReadingRequestReading


class _BatchRequest(TypedDict):
    path: str
    body: Any


class BatchRequest(_BatchRequest, total=False):
    key: str
    expires_in: int
    idempotency_key: str
    check: str


class RefusalInvalidJson(TypedDict):
    code: Literal["invalid_json"]
    # One plain sentence. It may tell the bot's own values and the limits; never a secret.
    message: str
    data: InvalidJsonData


class RefusalInvalidRequest(TypedDict):
    code: Literal["invalid_request"]
    message: str
    data: InvalidRequestData


class RefusalInvalidHeader(TypedDict):
    code: Literal["invalid_header"]
    message: str
    data: InvalidHeaderData


class RefusalUnauthorized(TypedDict):
    code: Literal["unauthorized"]
    message: str
    data: None


class RefusalTokenExpired(TypedDict):
    code: Literal["token_expired"]
    message: str
    data: TokenExpiredData


class RefusalTooManyBadTokens(TypedDict):
    code: Literal["too_many_bad_tokens"]
    message: str
    data: SignerPaceData


class RefusalPolicyDenied(TypedDict):
    code: Literal["policy_denied"]
    message: str
    data: Denial


class RefusalWalletKeyRequired(TypedDict):
    code: Literal["wallet_key_required", "wrong_network"]
    message: str
    data: WalletKeyRequiredData


class RefusalKeyNotAllowed(TypedDict):
    code: Literal["key_not_allowed"]
    message: str
    data: KeyNotAllowedData


class RefusalTargetNotAllowed(TypedDict):
    code: Literal["target_not_allowed"]
    message: str
    data: TargetNotAllowedData


class RefusalApprovalRequired(TypedDict):
    code: Literal["approval_required"]
    message: str
    data: ApprovalRequiredData


class RefusalAgentRevoked(TypedDict):
    code: Literal["agent_revoked"]
    message: str
    data: WalletKeyRequiredData


class RefusalAgentExpiring(TypedDict):
    code: Literal["agent_expiring"]
    message: str
    data: AgentExpiringData


class RefusalForwardOnly(TypedDict):
    code: Literal["forward_only"]
    message: str
    data: None


class RefusalRightMissing(TypedDict):
    code: Literal["right_missing"]
    message: str
    data: RightMissingData


class RefusalLocked(TypedDict):
    code: Literal["locked"]
    message: str
    data: WalletKeyRequiredData


class RefusalFrozen(TypedDict):
    code: Literal["frozen"]
    message: str
    data: FreezeView


class RefusalRestoreUnaccepted(TypedDict):
    code: Literal["restore_unaccepted", "isolated"]
    message: str
    data: RestoreUnacceptedData


class RefusalClockUnsafe(TypedDict):
    code: Literal["clock_unsafe"]
    message: str
    data: ClockUnsafeDataReduceOnly


class RefusalDiskLow(TypedDict):
    code: Literal["disk_low"]
    message: str
    data: DiskLowData


class RefusalUnknownEndpoint(TypedDict):
    code: Literal["unknown_endpoint"]
    message: str
    data: UnknownEndpointData


class RefusalUnknownRecord(TypedDict):
    code: Literal["unknown_record"]
    message: str
    data: None


class RefusalOverloaded(TypedDict):
    code: Literal["overloaded"]
    message: str
    data: None


class RefusalIdempotencyConflict(TypedDict):
    code: Literal["idempotency_conflict"]
    message: str
    data: IdempotencyConflictData


class RefusalCheckUnknown(TypedDict):
    code: Literal["check_unknown"]
    message: str
    data: None


class RefusalCheckMismatch(TypedDict):
    code: Literal["check_mismatch"]
    message: str
    data: CheckMismatchData


class RefusalCheckRequired(TypedDict):
    code: Literal["check_required"]
    message: str
    data: CheckRequiredData


class RefusalCheckExpired(TypedDict):
    code: Literal["check_expired"]
    message: str
    data: CheckExpiredData


class RefusalAlreadyAccepted(TypedDict):
    code: Literal["already_accepted"]
    message: str
    data: AlreadyAcceptedData


class RefusalIdempotencyExpired(TypedDict):
    code: Literal["idempotency_expired"]
    message: str
    data: IdempotencyExpiredData


class RefusalGuardExceeded(TypedDict):
    code: Literal["guard_exceeded"]
    message: str
    data: GuardExceededData


class RefusalGuardTripped(TypedDict):
    code: Literal["guard_tripped"]
    message: str
    data: GuardTrippedData


class RefusalGuardUnreadable(TypedDict):
    code: Literal["guard_unreadable"]
    message: str
    data: GuardUnreadableData


class RefusalNothingToReduce(TypedDict):
    code: Literal["nothing_to_reduce"]
    message: str
    data: NothingToReduceData


class RefusalLimitExhausted(TypedDict):
    code: Literal["limit_exhausted"]
    message: str
    data: LimitExhaustedData


class Refusal10029(TypedDict):
    code: Literal["10029"]
    message: str
    data: AddressBudgetExhaustedData


class RefusalIpBudgetExhausted(TypedDict):
    code: Literal["ip_budget_exhausted"]
    message: str
    data: IpBudgetExhaustedData


class RefusalSignerPace(TypedDict):
    code: Literal["signer_pace"]
    message: str
    data: SignerPaceData


class RefusalActionTagUndisclosed(TypedDict):
    code: Literal[
        "action_tag_undisclosed",
        "struct_undisclosed",
        "signing_type_undisclosed",
        "items_undisclosed",
        "target_layout_undisclosed",
    ]
    message: str
    data: ActionTagUndisclosedData


class RefusalReadGroupUndisclosed(TypedDict):
    code: Literal["read_group_undisclosed"]
    message: str
    data: ReadGroupUndisclosedData


Refusal = Union[
    RefusalInvalidJson,
    RefusalInvalidRequest,
    RefusalInvalidHeader,
    RefusalUnauthorized,
    RefusalTokenExpired,
    RefusalTooManyBadTokens,
    RefusalPolicyDenied,
    RefusalWalletKeyRequired,
    RefusalKeyNotAllowed,
    RefusalTargetNotAllowed,
    RefusalApprovalRequired,
    RefusalAgentRevoked,
    RefusalAgentExpiring,
    RefusalForwardOnly,
    RefusalRightMissing,
    RefusalLocked,
    RefusalFrozen,
    RefusalRestoreUnaccepted,
    RefusalClockUnsafe,
    RefusalDiskLow,
    RefusalUnknownEndpoint,
    RefusalUnknownRecord,
    RefusalOverloaded,
    RefusalIdempotencyConflict,
    RefusalCheckUnknown,
    RefusalCheckMismatch,
    RefusalCheckRequired,
    RefusalCheckExpired,
    RefusalAlreadyAccepted,
    RefusalIdempotencyExpired,
    RefusalGuardExceeded,
    RefusalGuardTripped,
    RefusalGuardUnreadable,
    RefusalNothingToReduce,
    RefusalLimitExhausted,
    Refusal10029,
    RefusalIpBudgetExhausted,
    RefusalSignerPace,
    RefusalActionTagUndisclosed,
    RefusalReadGroupUndisclosed,
]


class Verdict(TypedDict):
    policy: str
    rule: str
    file: str
    line: int
    verdict: Literal["allows", "denies", "holds", "does_not_match"]
    reason: Optional[str]


class LimitView(TypedDict):
    policy: str
    limit: str
    file: str
    line: int
    mode: Literal["enforce", "observe"]
    # A decimal string, in the limit's own unit.
    max: str
    # A decimal string, in the limit's own unit.
    used: str
    # A decimal string, in the limit's own unit.
    asked: str
    # When what was asked would fit; null when it fits now or never will.
    frees_at: Optional[int]


class CheckReportFits(TypedDict):
    """Of a plain order that only its size stops: a smaller quantity that would be signed now,
    found by halving. One more of the asked quantity's last decimal wouldn't."""

    quantity: str


class _CheckReport(TypedDict):
    would_sign: bool
    refusal: Optional[Refusal]
    verdicts: Sequence[Verdict]
    limits: Sequence[LimitView]
    # What to do about the refusal; null without one.
    do: Optional[str]


class CheckReport(_CheckReport, total=False):
    # Of a plain order that only its size stops: a smaller quantity that would be signed now, found
    # by halving. One more of the asked quantity's last decimal wouldn't.
    fits: CheckReportFits


class Problem(TypedDict):
    """Any of the daemon's errors."""

    code: ErrorCode
    # For people; it may change.
    msg: str
    data: Mapping[str, Any]
    do: Act
    # The record's id, where there is one.
    trace_code: str


class BatchResult(TypedDict):
    # What the HTTP status would be: 200 where it was signed.
    status: int
    # `Countersign-Record`.
    record: Optional[str]
    # `Countersign-Repeat`.
    repeat: bool
    # Of the signature, in milliseconds.
    expires_after: Optional[int]
    # `Retry-After`, in seconds.
    retry_after: Optional[int]
    # The signed body as text, since not a byte of it may change on its way to the venue.
    body: Optional[str]
    error: Optional[Problem]


class BatchResults(TypedDict):
    results: Sequence[BatchResult]


class HeartbeatView(TypedDict):
    within_ms: Optional[int]
    then: Optional[Literal["freeze", "panic"]]
    # Whether something stops this client's orders by its default key now. A heartbeat never thaws.
    frozen: bool


class PriceView(TypedDict):
    symbol: str
    value: Optional[str]
    # Milliseconds since 1970.
    as_of: Optional[int]
    # Milliseconds since 1970.
    good_until: Optional[int]
    # profile, operator, or the client that fed it.
    by: Optional[str]
    state: Literal["known", "stale", "unconfirmed", "none"]
    # What the drift is measured from; null without one.
    anchor: Optional[str]
    # What was fed and isn't in force: it moved too fast, or waits for a person.
    pending: Optional[str]


class Prices(TypedDict):
    prices: Sequence[PriceView]


class BegunReading(TypedDict):
    ticket: str
    # Milliseconds since 1970.
    begun_at: int
    expires_in_ms: int
    # To be waited between the last list of orders and the positions.
    lag_ms: int


class KeyView(TypedDict):
    name: str
    # EIP-55.
    address: str
    role: Literal["wallet", "agent"]
    # The wallet key that an agent key trades for.
    wallet: Optional[str]
    # Further accounts that it may operate.
    targets: Sequence[str]
    # The domain separator of the network that it was made for.
    network: str
    approval: Literal["unknown", "approved", "revoked", "retired", "removed"]
    # When an agent's approval ends, in milliseconds.
    expires_at: Optional[int]
    # When it signed last; null when it never did.
    last_used: Optional[int]
    # Whether it has to be unlocked before it signs.
    locked: bool


class WhoamiSymbols(TypedDict):
    symbol_id: int
    name: str


class Whoami(TypedDict):
    client: str
    keys: Sequence[KeyView]
    # Signs what names no key.
    default_key: str
    rights: Sequence[str]
    # Whether it may sign with wallet keys.
    allow_type_b: bool
    # No signed body is given to it: `/v1/…` forwards, `/sign` refuses.
    forward_only: bool
    # Whether it trades on paper: nothing of its reaches the venue.
    paper: bool
    # As venue.yaml names them.
    symbols: Sequence[WhoamiSymbols]
    # What a rule is for. Whether a request is allowed, a check tells.
    operations: Sequence[str]
    # The patterns of paths that policy lets it read.
    reads: Sequence[str]
    # The network's, for account operations.
    service_chain: Optional[str]
    # One of them is an account operation's.
    signature_chain_ids: Sequence[int]


LimitUse = TypedDict(
    "LimitUse",
    {
        "policy": str,
        "limit": str,
        "file": str,
        "line": int,
        "mode": Literal["enforce", "observe"],
        "per": Literal["client", "key", "symbol", "account", "all"],
        "for": str,
        "of": str,
        "max": str,
        "used": str,
    },
)


class GuardUse(TypedDict):
    policy: str
    guard: str
    file: str
    line: int
    # Its address.
    account: str
    # As venue.yaml names it.
    account_name: str
    kind: Literal[
        "max_position",
        "max_open_orders",
        "max_open_notional",
        "daily_loss",
        "loss",
        "drawdown",
    ]
    # Of max_position.
    measure: Optional[Literal["net", "gross", "notional"]]
    # Of max_position.
    symbol: Optional[str]
    # Of max_position, but for gross.
    side: Optional[Literal["long", "short"]]
    # Null while it is a share of what isn't known.
    max: Optional[str]
    # By the last reading; null while it can't be told, as room.
    measured: Optional[str]
    # Signed, and not covered by that reading.
    in_flight: Optional[str]
    # What may be opened now.
    room: Optional[str]
    # When that reading began; null where there was none.
    read_at: Optional[int]
    # Of losses: since when nothing opens; null where it does.
    tripped_at: Optional[int]
    # Of losses: why what is lost can't be told, as in guard_unreadable; else null.
    loss_unknown: Optional[Literal["no_equity", "reading_old", "equity_changed"]]
    # Of losses: until when a person lets more be lost; null where nobody does.
    rearmed_until: Optional[int]


class BudgetView(TypedDict):
    scope: Literal["address", "ip"]
    # The rate-limit address; null for the IP budget.
    address: Optional[str]
    max: int
    used: int
    # What of that is the client's own.
    own: int
    # What its requests may weigh now, cancels apart: what is kept for others isn't in it.
    left: int


class Limits(TypedDict):
    limits: Sequence[LimitUse]
    guards: Sequence[GuardUse]
    budgets: Sequence[BudgetView]


class RecordViewOutcomeOrder(TypedDict):
    """What the venue calls the order that it took: its own words."""

    order_id: str
    state: str
    tx_hash: str


class RecordViewOutcome(TypedDict):
    """What the venue answered."""

    status: Optional[int]
    code: Optional[str]
    # What the venue calls the order that it took: its own words.
    order: Optional[RecordViewOutcomeOrder]


class RecordView(TypedDict):
    id: str
    state: Literal[
        "refused_here",
        "signed",
        "sent",
        "accepted",
        "refused",
        "unknown",
        "expired_unresolved",
    ]
    client: str
    key: Optional[str]
    operation: Optional[str]
    nonce: Optional[int]
    # Milliseconds since 1970.
    expires_after: Optional[int]
    # Milliseconds since 1970.
    decided_at: int
    policy_hash: str
    refusal: Optional[Refusal]
    # What the venue answered.
    outcome: Optional[RecordViewOutcome]
    # The header that it came with.
    idempotency_key: Optional[str]
    # Of a single order.
    client_order_id: Optional[str]


class Records(TypedDict):
    records: Sequence[RecordView]


class State(TypedDict):
    state: str


class BatchRequests(TypedDict):
    requests: Sequence[BatchRequest]


class SignedBodySignature(TypedDict):
    r: str
    s: str
    v: Literal[27, 28]


class _SignedBody(TypedDict):
    signer_address: str
    nonce: int
    # Milliseconds since 1970.
    expires_after: int
    signature: SignedBodySignature


class SignedBody(_SignedBody, total=False):
    """The business fields as they were sent, with what the daemon filled in."""

    target_address: str


PATH_OF: Dict[Operation, WritePath] = {
    "placeOrder": "/v1/trade/orders",
    "modifyOrder": "/v1/trade/orders/modify",
    "cancelOrder": "/v1/trade/orders/cancel",
    "chaseOrder": "/v1/trade/orders/chase",
    "placeBatch": "/v1/trade/orders/batch",
    "modifyBatch": "/v1/trade/orders/batch/modify",
    "cancelBatch": "/v1/trade/orders/batch/cancel",
    "cancelAll": "/v1/trade/orders/cancel-all",
    "setPositionMode": "/v1/account/position-mode",
    "setLeverage": "/v1/account/leverage",
    "adjustIsolatedMargin": "/v1/account/isolated-margin",
    "approveAgent": "/v1/account/approve-agent",
    "revokeAgent": "/v1/account/revoke-agent",
    "renewAgent": "/v1/account/renew-agent",
    "createSub": "/v1/account/create-sub",
    "transfer": "/v1/account/transfer",
    "withdraw": "/v1/account/withdraw",
}
