// What bots and operators are shown, as it goes over the sockets and out as JSON: names in snake_case,
// times in milliseconds, amounts as decimal strings.

import type { Refusal } from "./refusal.ts"

export type Verdict = {
  readonly policy: string
  readonly rule: string
  readonly file: string
  readonly line: number
  readonly verdict: "allows" | "denies" | "holds" | "does_not_match"
  readonly reason: string | null
}

export type KeyView = {
  readonly name: string
  readonly address: string
  readonly role: "wallet" | "agent"
  readonly wallet: string | null
  readonly targets: readonly string[]
  readonly network: string
  readonly approval: "unknown" | "approved" | "revoked"
  readonly expires_at: number | null
}

/** A reference price. `as_of` and `good_until` in milliseconds; `state` says whether it is used. */
export type PriceView = {
  readonly symbol: string
  readonly value: string | null
  readonly as_of: number | null
  readonly good_until: number | null
  /** `profile`, `operator`, or the client that fed it. */
  readonly by: string | null
  readonly state: "known" | "stale" | "unconfirmed" | "none"
}

/** A limit as it stands for one client and key. Amounts as decimals in its own unit. */
export type LimitView = {
  readonly policy: string
  readonly limit: string
  readonly file: string
  readonly line: number
  readonly mode: "enforce" | "observe"
  readonly max: string
  readonly used: string
  readonly asked: string
  /** When what was asked would fit, in milliseconds; `null` when it fits now or never will. */
  readonly frees_at: number | null
}

/** What of a limit is used, for one of those it is counted for. */
export type LimitUse = {
  readonly policy: string
  readonly limit: string
  readonly file: string
  readonly line: number
  readonly mode: "enforce" | "observe"
  readonly per: "client" | "key" | "symbol" | "account" | "all"
  /** The client, key or account; empty where it is counted for all. */
  readonly for: string
  /** The symbol or asset, where amounts of several are kept apart; else empty. */
  readonly of: string
  readonly max: string
  readonly used: string
}

/** A request that waits for a person. */
export type HoldView = {
  readonly id: string
  readonly state: "pending" | "released" | "refused" | "used" | "expired"
  readonly client: string
  readonly key: string
  readonly operation: string
  readonly target: string | null
  readonly policy: string
  readonly rule: string
  /** The business fields, canonical JSON. */
  readonly body: string
  /** What it can cost at worst, in words. */
  readonly worst_case: string
  readonly expires_at: number
}

export type RecordView = {
  readonly id: string
  readonly state: string
  readonly client: string
  readonly key: string | null
  readonly operation: string | null
  readonly nonce: number | null
  readonly expires_after: number | null
  readonly decided_at: number
  readonly policy_hash: string
  readonly refusal: Refusal | null
  readonly outcome: { readonly status: number | null; readonly code: string | null } | null
}

/** Whether a request would be signed, and what each rule and limit makes of it. */
export type CheckReport = {
  readonly would_sign: boolean
  readonly refusal: Refusal | null
  readonly verdicts: readonly Verdict[]
  readonly limits: readonly LimitView[]
}

export type ClientView = {
  readonly name: string
  readonly keys: readonly string[]
  readonly rights: readonly string[]
  readonly allow_type_b: boolean
}

export type StatusView = {
  readonly state: "ready"
  readonly policy_hash: string
  readonly network: string
  readonly records: number
  readonly keys: readonly KeyView[]
  readonly clients: readonly ClientView[]
  readonly warnings: readonly string[]
}

/** What a client may do, in plain words. */
export type PolicyView = {
  readonly client: string
  readonly keys: readonly string[]
  readonly entries: readonly {
    readonly kind: "allows" | "denies" | "limits" | "holds"
    readonly policy: string
    readonly entry: string
    readonly file: string
    readonly line: number
    readonly words: string
  }[]
}

/** The files on disk beside those that a person accepted last. */
export type CandidateView = {
  /** Of the files, to be named when they are accepted. */
  readonly hash: string
  readonly accepted: boolean
  readonly changes: readonly {
    readonly file: string
    readonly where: string
    readonly from: string | null
    readonly to: string | null
    readonly widens: boolean
  }[]
}

/** A request of the past that another set of files would refuse. */
export type ReplayedRefusal = {
  readonly record: string
  readonly client: string
  readonly operation: string
  readonly at: number
  readonly reason: string
  readonly policy: string | null
  readonly rule: string | null
}
