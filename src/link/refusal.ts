import type { FieldError } from "../venue/field-error.ts"
import type { UndisclosedCode } from "../venue/profile.ts"

type Refused<Code extends string, Data = null> = {
  readonly code: Code
  /** One plain sentence. It may tell the bot's own values and the limits; never a secret. */
  readonly message: string
  /** Goes out as the envelope's `data`, so its names are in snake_case. */
  readonly data: Data
}

/** Which rule said no, and where it is written. */
export type Denial = {
  readonly policy: string | null
  readonly rule: string | null
  /** From the closed list in docs/error-codes.md. */
  readonly reason: string
  readonly file: string | null
  readonly line: number | null
  readonly asked: string | null
  readonly allowed: string | null
}

/** Every way the vault says no to a bot. It understood, and no signature leaves. */
export type Refusal =
  | Refused<"invalid_json", { readonly offset: number }>
  | Refused<"invalid_request", { readonly errors: readonly FieldError[] }>
  | Refused<"invalid_header", { readonly header: string }>
  | Refused<"unauthorized">
  | Refused<"too_many_bad_tokens", { readonly retry_after_ms: number }>
  | Refused<"policy_denied", Denial>
  | Refused<"wallet_key_required" | "wrong_network", { readonly key: string }>
  | Refused<"key_not_allowed", { readonly key: string | null }>
  | Refused<"target_not_allowed", { readonly key: string; readonly target: string }>
  /** `hold` is `null` where none was opened, `expires_at` where it has ended already. */
  | Refused<
      "approval_required",
      { readonly hold: string | null; readonly expires_at: number | null }
    >
  | Refused<"agent_revoked", { readonly key: string }>
  | Refused<"agent_expiring", { readonly key: string; readonly expires_at: number }>
  | Refused<"right_missing", { readonly right: string }>
  | Refused<"locked", { readonly key: string }>
  | Refused<
      "frozen",
      {
        readonly scope: "all" | "client" | "key"
        readonly name: string | null
        readonly reason: string
        readonly by: string
        readonly cancels: boolean
        readonly since: number
      }
    >
  /** `free_bytes` is `null` where it can't be told. */
  | Refused<"disk_low", { readonly free_bytes: number | null; readonly min_free_bytes: number }>
  /** The venue's clock against this machine's; negative where the venue's is behind. */
  | Refused<
      "clock_unsafe",
      { readonly venue_ahead_ms: number; readonly max_venue_offset_ms: number }
    >
  | Refused<"unknown_endpoint", { readonly path: string }>
  | Refused<"unknown_record">
  | Refused<"overloaded">
  | Refused<"idempotency_conflict", { readonly record: string }>
  | Refused<"idempotency_expired", { readonly record: string; readonly state: string }>
  /** `frees_at` and `retry_after_ms` are `null` when the limit never allows that much at once. */
  | Refused<
      "limit_exhausted",
      {
        readonly policy: string
        readonly limit: string
        readonly max: string
        readonly used: string
        readonly asked: string
        readonly frees_at: number | null
        readonly retry_after_ms: number | null
      }
    >
  /** The venue's own code, for what it would refuse. */
  | Refused<"10029", BudgetShortage<"address">>
  | Refused<"ip_budget_exhausted", BudgetShortage<"ip">>
  | Refused<"signer_pace", { readonly retry_after_ms: number }>
  | Refused<UndisclosedCode, { readonly endpoint: string; readonly add_line: string }>

export type RefusalCode = Refusal["code"]

/** `kept` is what of the budget is free and others'. The times are `null` when that never leaves it enough. */
type BudgetShortage<Scope> = {
  readonly scope: Scope
  readonly max: number
  readonly used: number
  readonly kept: number
  readonly asked: number
  readonly frees_at: number | null
  readonly retry_after_ms: number | null
}
