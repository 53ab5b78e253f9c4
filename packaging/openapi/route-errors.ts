// Which codes a call may be answered with, by kind of call.

import type { ErrorCode } from "../../src/gate/http/problem.ts"

/** Of any call at all. */
export const openErrors: readonly ErrorCode[] = [
  "invalid_header",
  "origin_refused",
  "request_timeout",
  "misdirected_host",
  "headers_too_large",
]

/** Of any call but the one that says that the gate runs. */
export const readyErrors: readonly ErrorCode[] = [
  ...openErrors,
  "internal",
  "vault_unavailable",
  "overloaded",
]

/** Of any call with a token. */
export const callErrors: readonly ErrorCode[] = [
  ...readyErrors,
  "unauthorized",
  "token_expired",
  "too_many_bad_tokens",
  "ledger_unavailable",
]

/** Of any call with a body. */
export const bodyErrors: readonly ErrorCode[] = [
  ...callErrors,
  "body_too_large",
  "unsupported_media_type",
]

/** What would be refused is told in the answer. */
export const checkErrors: readonly ErrorCode[] = [...bodyErrors, "unknown_endpoint"]

export const batchErrors: readonly ErrorCode[] = [
  ...bodyErrors,
  "invalid_json",
  "invalid_request",
  "restore_unaccepted",
  "clock_unsafe",
  "locked",
  "signature_check_failed",
]

/** Of reads of the venue. */
export const readErrors: readonly ErrorCode[] = [
  ...callErrors,
  "unknown_endpoint",
  "policy_denied",
  "key_not_allowed",
  "ip_budget_exhausted",
  "read_group_undisclosed",
  "base_url_missing",
  "upstream_unreachable",
  "not_paginated",
  "read_failed",
]

export const metricsErrors: readonly ErrorCode[] = [...callErrors, "right_missing"]

export const rightErrors: readonly ErrorCode[] = [
  ...bodyErrors,
  "invalid_json",
  "invalid_request",
  "right_missing",
]

export const signErrors: readonly ErrorCode[] = [
  ...batchErrors,
  "unknown_endpoint",
  "policy_denied",
  "wallet_key_required",
  "key_not_allowed",
  "target_not_allowed",
  "wrong_network",
  "approval_required",
  "agent_revoked",
  "agent_expiring",
  "check_required",
  "forward_only",
  "check_unknown",
  "check_mismatch",
  "check_expired",
  "already_accepted",
  "idempotency_conflict",
  "idempotency_expired",
  "frozen",
  "guard_exceeded",
  "guard_tripped",
  "guard_unreadable",
  "nothing_to_reduce",
  "limit_exhausted",
  "10029",
  "ip_budget_exhausted",
  "signer_pace",
  "disk_low",
  "isolated",
  "action_tag_undisclosed",
  "struct_undisclosed",
  "signing_type_undisclosed",
  "items_undisclosed",
  "target_layout_undisclosed",
]

export const forwardErrors: readonly ErrorCode[] = [
  ...signErrors,
  "base_url_missing",
  "upstream_unreachable",
  "upstream_outcome_unknown",
  "too_late",
]
