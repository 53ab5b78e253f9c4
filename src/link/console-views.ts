// What the console is shown. Its page reads these as JSON: names in snake_case, times in milliseconds,
// amounts as decimal strings. Every list has a bound, whatever an installation holds.

import type { Alarm } from "./alarms.ts"
import type { FreezeView, HoldView, KeyView, LimitUse } from "./views.ts"

/** A decision as it fell. */
export type DecisionView = {
  /** Rises by one with each; the feed is asked for what came after one. */
  readonly seq: number
  readonly at: number
  readonly result: "allowed" | "refused" | "held"
  readonly client: string
  readonly key: string | null
  readonly operation: string | null
  /** What was asked, in words, where it could be read: `buy 0.1 BTC-PERP at 63000, limit`. */
  readonly asked: string | null
  /** `policy/rule` that allowed it, or that said no. */
  readonly by: string | null
  /** The code of a refusal, or a denial's reason; `null` for what was allowed. */
  readonly reason: string | null
  /** The refusal in a sentence; `null` for what was allowed. */
  readonly message: string | null
  /** Empty where a refusal was only counted, for want of room. */
  readonly record: string
}

/** What was decided after a given decision. */
export type DecisionFeed = {
  /** The oldest first. */
  readonly decisions: readonly DecisionView[]
  /** Decisions between that one and these that aren't kept any more. */
  readonly missed: number
  /** To ask with next. */
  readonly last: number
}

/** One of the venue's rate budgets, of a rolling minute. */
export type ConsoleBudget = {
  readonly scope: "address" | "ip"
  readonly address: string | null
  readonly max: number
  readonly used: number
  /** What of it only requests that reduce risk may use. */
  readonly kept_for_cancels: number
}

/** A request that waits for a person, with the command that lets it pass. A long `body` is cut. */
export type PendingHold = HoldView & { readonly command: string }

/** Everything but the decisions, as it stands now. */
export type ConsoleState = {
  readonly at: number
  readonly version: string
  readonly network: string
  readonly policy_hash: string
  /** What keeps the vault from signing, or that nothing does: `ready`, `locked`, `clock_unsafe`, `restore_unaccepted`. */
  readonly state: string
  /** The same in a sentence. */
  readonly words: string
  readonly freezes: readonly FreezeView[]
  /** The gravest first. */
  readonly alarms: readonly Alarm[]
  readonly keys: readonly KeyView[]
  readonly limits: readonly LimitUse[]
  readonly budgets: readonly ConsoleBudget[]
  readonly holds: readonly PendingHold[]
  /** Since the vault started. */
  readonly decided: Readonly<Record<DecisionView["result"], number>>
  /** When this session ends at the latest. */
  readonly session_ends_at: number
}
