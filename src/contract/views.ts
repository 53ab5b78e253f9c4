// What bots and operators are shown, as it goes over the sockets and out as JSON: names in snake_case,
// times in milliseconds, amounts as decimal strings.

import type { TypedData } from "../venue/typed-data.ts"
import type { Alarm } from "./alarms.ts"
import type { BudgetView, KeyView, LimitUse, RecordView, HoldView } from "./bot-views.ts"
import type { Signing } from "./signing.ts"
import type { FreezeView } from "../link/calls/both-ways.ts"

/** A limit as an operator sees it. */
export type StandingLimit = LimitUse & {
  /** When the raise that `max` is of ends; null where there is none. */
  readonly raised_until: number | null
}

/** A raise that stands, whether it gives more than the files do or not. */
export type RaiseView = {
  /** `policy/name` */
  readonly limit: string
  readonly to: string
  readonly until: number
  /** What the files in force allow; `null` where they have no such limit. */
  readonly max: string | null
}

/** An account operation for a wallet held elsewhere to sign with `eth_signTypedData_v4`. */
export type TypedOperation = {
  readonly record: string
  /** The wallet's address. */
  readonly signer: string
  readonly typed_data: TypedData
  readonly expires_after: number
}

export type ClientView = {
  readonly name: string
  readonly keys: readonly string[]
  readonly rights: readonly string[]
  readonly allow_type_b: boolean
  /** No signed body is given to it. */
  readonly forward_only: boolean
  /** What a request of its is known by, where no header says it. */
  readonly idempotency_by: "header" | "client_order_id"
  /** When its token expires; `null` where it never does. */
  readonly expires_at: number | null
  /** That it has, by the vault's time. */
  readonly expired: boolean
  /** Its token is refused for good. */
  readonly revoked: boolean
}

/** What somebody should know, and what to do about it; a command of ours stands at the end, without the installation's place. */
export type Warning = { readonly message: string; readonly fix: string }

export type StatusView = {
  /** The vault's time, in milliseconds. */
  readonly at: number
  readonly version: string
  readonly freezes: readonly FreezeView[]
  readonly state: Signing
  /** The gravest first. */
  readonly alarms: readonly Alarm[]
  /** Of the files in force. */
  readonly policy_hash: string
  /** That those on disk are others; the same is among `warnings`. */
  readonly files_differ: Warning | null
  readonly network: string
  readonly records: number
  /** As many as fit, as of clients, freezes, budgets and warnings; `listKeys` and `listClients` have them all. */
  readonly keys: readonly KeyView[]
  readonly clients: readonly ClientView[]
  /** The 100 with the least room; `listLimits` has them all. */
  readonly limits: readonly StandingLimit[]
  /** The venue's rate budgets, but for those that are off. */
  readonly budgets: readonly BudgetUse[]
  /** The first 50 requests that wait for a person, with as many of their bodies as fit; `listHolds` has them all. */
  readonly holds: readonly HoldView[]
  /** How many requests were decided how since the vault started. */
  readonly decided: Readonly<Record<"allowed" | "refused" | "held", number>>
  /**
   * How long signing took, from judged to signed and recorded, since the vault started. `counts` has one more than
   * `bounds`, which are seconds: each is of what took at most that long, the last of the rest.
   */
  readonly signing: { readonly bounds: readonly number[]; readonly counts: readonly number[] }
  /** The last five, the newest first. */
  readonly last_refusals: readonly RefusalView[]
  /** Of the process that answers. */
  readonly pid: number
  /**
   * `service`: the vault is a unit of its own under systemd. `serve`: `countersign serve` started vault and
   * gate as one user. `null` in a command that opened the vault itself.
   */
  readonly started_by: "service" | "serve" | null
  /** Of what `state` doesn't tell, the gravest first. */
  readonly warnings: readonly Warning[]
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

/** One of the venue's rate budgets, with what of it only requests that reduce risk may use. */
export type BudgetUse = Pick<BudgetView, "scope" | "address" | "max" | "used"> & {
  readonly kept_for_cancels: number
  /** Of each client with a share of it: what is kept for it, and what it used. */
  readonly shares: readonly {
    readonly client: string
    readonly kept: number
    readonly used: number
  }[]
}

/** A record with its business fields as canonical JSON; `null` for a refusal, of which they aren't recorded. */
export type WholeRecord = RecordView & { readonly body: string | null }

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
