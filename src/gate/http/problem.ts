import type { RefusalCode, Refused } from "../../contract/refusal.ts"
import { Fault, type FaultCode } from "../../std/fault.ts"

/** Why a bot gets no signature and no answer of the venue. */
export type Problem = {
  readonly code: ErrorCode
  /** One plain sentence that says what to do. */
  readonly message: string
  readonly data?: object
  readonly record?: string
  /** The methods of a route that was called with another. */
  readonly allow?: string
}

/** A request's header or first line that can't be acted on; `header` names it. */
export function invalidHeader(header: string, message: string): Problem {
  return { code: "invalid_header", message, data: { header } }
}

/** The vault's refusal, with the record it made of it. */
export function refusedByVault({ refusal, record }: Omit<Refused, "kind">): Problem {
  return {
    code: refusal.code,
    message: refusal.message,
    ...(refusal.data !== null && { data: refusal.data }),
    ...(record !== null && { record }),
  }
}

/**
 * What a bot learns when something broke. The sentence is the gate's own: a Fault's may name files
 * and sockets of this machine.
 */
export function problemOf(thrown: unknown): Problem {
  if (!(thrown instanceof Fault)) return botFaults.internal
  return isBotFault(thrown.code) ? botFaults[thrown.code] : botFaults.internal
}

const ledgerUnavailable: Problem = {
  code: "ledger_unavailable",
  message: "Nothing can be recorded, so nothing is signed; the vault's log says why.",
}

/** The Faults that a bot is told apart; every other is `internal`. */
const botFaults = {
  vault_unavailable: {
    code: "vault_unavailable",
    message: "The vault doesn't answer, so nothing is signed; see `countersign status`.",
  },
  keyring_locked: {
    code: "locked",
    message:
      "The keys are locked, so nothing is signed; the operator has to run countersign unlock.",
  },
  ledger_unavailable: ledgerUnavailable,
  ledger_unusable: ledgerUnavailable,
  clock_unsafe: {
    code: "clock_unsafe",
    message:
      "The clock can't be trusted, so only cancels and reduce-only orders are signed; see `countersign status`.",
  },
  signature_check_failed: {
    code: "signature_check_failed",
    message: "A signature failed its check and was thrown away; have the machine's memory checked.",
  },
  internal: {
    code: "internal",
    message: "Something failed inside countersign; its log says more.",
  },
} as const satisfies Partial<Record<FaultCode, Problem>>

/** The problem of a vault that isn't there. */
export const vaultUnavailable: Problem = botFaults.vault_unavailable

function isBotFault(code: FaultCode): code is keyof typeof botFaults {
  return Object.hasOwn(botFaults, code)
}

/**
 * The one place where a code becomes an HTTP status. A new code of the vault's fails the build here until it has one; the
 * others are what the gate itself says no to, and what broke, as far as a bot is told.
 */
export const statuses = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_header: 400,
  unauthorized: 401,
  token_expired: 401,
  policy_denied: 403,
  guard_exceeded: 403,
  guard_tripped: 403,
  guard_unreadable: 403,
  nothing_to_reduce: 403,
  wallet_key_required: 403,
  key_not_allowed: 403,
  target_not_allowed: 403,
  wrong_network: 403,
  approval_required: 403,
  agent_revoked: 403,
  agent_expiring: 403,
  check_required: 403,
  right_missing: 403,
  forward_only: 403,
  origin_refused: 403,
  unknown_endpoint: 404,
  unknown_record: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  already_accepted: 409,
  idempotency_conflict: 409,
  idempotency_expired: 409,
  check_unknown: 409,
  check_mismatch: 409,
  check_expired: 409,
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
} as const satisfies Readonly<Record<RefusalCode, number> & Record<string, number>>

export type ErrorCode = keyof typeof statuses

/** What a program does about a refusal: words that stay. */
export type Act =
  | "fix_request"
  | "ask_smaller"
  | "wait"
  | "check_first"
  | "ask_operator"
  | "wait_for_person"
  | "look_at_record"
  | "send_again"

/** What to do about each code, usually. */
export const acts = {
  invalid_json: "fix_request",
  invalid_request: "fix_request",
  invalid_header: "fix_request",
  unauthorized: "fix_request",
  token_expired: "ask_operator",
  policy_denied: "fix_request",
  guard_exceeded: "ask_smaller",
  guard_tripped: "ask_operator",
  guard_unreadable: "wait",
  nothing_to_reduce: "fix_request",
  wallet_key_required: "fix_request",
  key_not_allowed: "fix_request",
  target_not_allowed: "fix_request",
  wrong_network: "ask_operator",
  approval_required: "wait_for_person",
  agent_revoked: "ask_operator",
  agent_expiring: "ask_operator",
  check_required: "check_first",
  right_missing: "ask_operator",
  forward_only: "fix_request",
  origin_refused: "fix_request",
  unknown_endpoint: "fix_request",
  unknown_record: "fix_request",
  method_not_allowed: "fix_request",
  request_timeout: "send_again",
  already_accepted: "look_at_record",
  idempotency_conflict: "fix_request",
  idempotency_expired: "look_at_record",
  check_unknown: "check_first",
  check_mismatch: "fix_request",
  check_expired: "check_first",
  body_too_large: "fix_request",
  unsupported_media_type: "fix_request",
  misdirected_host: "fix_request",
  locked: "ask_operator",
  frozen: "ask_operator",
  limit_exhausted: "wait",
  "10029": "wait",
  ip_budget_exhausted: "wait",
  signer_pace: "wait",
  too_many_bad_tokens: "fix_request",
  headers_too_large: "fix_request",
  internal: "ask_operator",
  signature_check_failed: "ask_operator",
  action_tag_undisclosed: "ask_operator",
  struct_undisclosed: "ask_operator",
  signing_type_undisclosed: "ask_operator",
  items_undisclosed: "ask_operator",
  target_layout_undisclosed: "ask_operator",
  read_group_undisclosed: "ask_operator",
  base_url_missing: "ask_operator",
  upstream_unreachable: "send_again",
  not_paginated: "fix_request",
  vault_unavailable: "wait",
  not_signing: "wait",
  ledger_unavailable: "ask_operator",
  restore_unaccepted: "ask_operator",
  isolated: "wait",
  clock_unsafe: "ask_operator",
  disk_low: "ask_operator",
  overloaded: "wait",
  upstream_outcome_unknown: "look_at_record",
  too_late: "send_again",
  read_failed: "send_again",
} as const satisfies Readonly<Record<ErrorCode, Act>>

/** What `do` can be of a code: the usual, and where time alone frees nothing. */
export function actsOf(code: ErrorCode): readonly [Act, ...Act[]] {
  return code === "limit_exhausted" ? [acts[code], "ask_smaller"] : [acts[code]]
}

/** What to do about a refusal. */
export function actOf(code: ErrorCode, data: object | null | undefined): Act {
  const [usual, inVain = usual] = actsOf(code)
  return data != null && "retry_after_ms" in data && data.retry_after_ms === null ? inVain : usual
}

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
