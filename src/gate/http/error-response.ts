import type { RefusalCode } from "../../link/views/refusal.ts"

/** What the gate itself says no to. */
type GateCode =
  | "origin_refused"
  | "method_not_allowed"
  | "request_timeout"
  | "body_too_large"
  | "unsupported_media_type"
  | "misdirected_host"
  | "headers_too_large"
  | "base_url_missing"
  | "upstream_unreachable"
  | "upstream_outcome_unknown"
  | "too_late"
  | "not_signing"
  | "not_paginated"
  | "read_failed"

/** What broke, as far as a bot is told. */
type BrokenCode =
  | "locked"
  | "internal"
  | "signature_check_failed"
  | "vault_unavailable"
  | "ledger_unavailable"
  | "clock_unsafe"

export type ErrorCode = RefusalCode | GateCode | BrokenCode

/** The one place where a code becomes an HTTP status. A new code fails the build here until it has one. */
export const statuses = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_header: 400,
  unauthorized: 401,
  token_expired: 401,
  policy_denied: 403,
  wallet_key_required: 403,
  key_not_allowed: 403,
  target_not_allowed: 403,
  wrong_network: 403,
  approval_required: 403,
  agent_revoked: 403,
  agent_expiring: 403,
  right_missing: 403,
  origin_refused: 403,
  unknown_endpoint: 404,
  unknown_record: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  already_accepted: 409,
  idempotency_conflict: 409,
  idempotency_expired: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  misdirected_host: 421,
  locked: 423,
  frozen: 423,
  limit_exhausted: 429,
  "10029": 429,
  ip_budget_exhausted: 429,
  signer_pace: 429,
  too_many_bad_tokens: 429,
  headers_too_large: 431,
  internal: 500,
  signature_check_failed: 500,
  action_tag_undisclosed: 501,
  struct_undisclosed: 501,
  signing_type_undisclosed: 501,
  items_undisclosed: 501,
  target_layout_undisclosed: 501,
  read_group_undisclosed: 501,
  base_url_missing: 501,
  upstream_unreachable: 502,
  not_paginated: 502,
  vault_unavailable: 503,
  not_signing: 503,
  ledger_unavailable: 503,
  restore_unaccepted: 503,
  isolated: 503,
  clock_unsafe: 503,
  disk_low: 503,
  overloaded: 503,
  upstream_outcome_unknown: 504,
  too_late: 504,
  read_failed: 504,
} as const satisfies Readonly<Record<ErrorCode, number>>

/** Every code that a bot can meet in an envelope of the daemon's. docs/error-codes.md lists the same. */
export const errorCodes: readonly string[] = Object.keys(statuses)

/** Whole seconds for `Retry-After`, rounded up; `undefined` where waiting alone doesn't help. */
export function retryAfterSeconds(code: ErrorCode, data: object | undefined): number | undefined {
  if (code === "vault_unavailable" || code === "overloaded") return 1
  if (statuses[code] !== 429) return undefined
  const waitMs = data !== undefined && "retry_after_ms" in data ? data.retry_after_ms : undefined
  if (waitMs === null) return undefined
  return typeof waitMs === "number" ? Math.max(1, Math.ceil(waitMs / 1_000)) : 1
}
