// What bots and operators are shown, as it goes over the sockets and out as JSON: names in snake_case,
// times in milliseconds, amounts as decimal strings.

import type { KeyView, LimitUse } from "./bot-views.ts"
import type { FreezeView } from "./stop-views.ts"

export type {
  BudgetView,
  CheckReport,
  KeyView,
  LimitUse,
  LimitView,
  PriceView,
  RecordView,
  Verdict,
} from "./bot-views.ts"
export type { FreezeView } from "./stop-views.ts"

/** An account operation that the operator asked for, signed and not sent yet. */
export type SignedOperation = {
  readonly record: string
  readonly base_url: string | null
  readonly path: string
  /** Compact JSON, ready to send. */
  readonly body: string
  readonly expires_after: number
}

/** An account operation for a wallet held elsewhere to sign with `eth_signTypedData_v4`. */
export type TypedOperation = {
  readonly record: string
  /** The wallet's address. */
  readonly signer: string
  readonly typed_data: TypedData
  readonly expires_after: number
}

/** EIP-712's JSON form; integers beyond 2^53 as decimal strings. */
export type TypedData = {
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[]>
  >
  readonly primaryType: string
  readonly domain: Readonly<Record<string, string | number>>
  readonly message: Readonly<Record<string, string | number | boolean>>
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

export type ClientView = {
  readonly name: string
  readonly keys: readonly string[]
  readonly rights: readonly string[]
  readonly allow_type_b: boolean
  /** What a request of its is known by, where no header says it. */
  readonly idempotency_by: "header" | "client_order_id"
  /** Its token is refused for good. */
  readonly revoked: boolean
}

export type StatusView = {
  readonly freezes: readonly FreezeView[]
  /** `locked`: the keys are out of memory until they are unlocked. */
  readonly state: "ready" | "locked"
  readonly policy_hash: string
  readonly network: string
  readonly records: number
  readonly keys: readonly KeyView[]
  readonly clients: readonly ClientView[]
  readonly limits: readonly LimitUse[]
  /** The last five, the newest first. */
  readonly last_refusals: readonly RefusalView[]
  /** Of the process that answers. */
  readonly pid: number
  /**
   * `service`: the vault is a unit of its own under systemd. `serve`: `countersign serve` started vault and
   * gate as one user. `null` in a command that opened the vault itself.
   */
  readonly started_by: "service" | "serve" | null
  readonly warnings: readonly string[]
}

/** A refusal as it was recorded. */
export type RefusalView = {
  readonly record: string
  readonly at: number
  readonly client: string
  readonly operation: string | null
  readonly code: string
  /** Of a denial by policy. */
  readonly reason: string | null
  /** `policy/rule` or `policy/limit` that said no. */
  readonly by: string | null
  readonly message: string
  /** How often it came within its second. */
  readonly times: number
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
