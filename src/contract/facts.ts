// What the vault tells of how it stands, as plain facts: what of it is wrong, and what a metric is named, is derived in
// src/conditions/. Of each list that an operator makes long there are as many as fit.

import type { Observed } from "../std/histogram.ts"
import type { LoopDelay } from "../std/time/event-loop-delay.ts"
import type { NotifyTarget } from "../link/gate-settings.ts"
import type { HoldView, KeyView, LimitUse, SymbolsView } from "./bot-views.ts"
import type { Reason, Signs } from "./signing.ts"
import type { FreezeView } from "../link/calls/both-ways.ts"
import type { BudgetUse, Warning } from "./views.ts"

/**
 * From what alarms are derived. A gate has it without a token, while `notify` names a target: so there is nothing in it
 * of a request's body, of key material, and nothing that a bot wrote.
 */
export type Facts = Shared & {
  /** The vault's time, in milliseconds. */
  readonly at: number
  /** `since`: of a freeze. */
  readonly reasons: readonly (Omit<Reason, "note"> & { readonly since: number | null })[]
  /** Those that somebody may have to look at. */
  readonly prices: readonly {
    readonly symbol: string
    /** It is used, and more than half of the time that it is good for has passed. */
    readonly is_ageing: boolean
    readonly is_held_back: boolean
    /** It has come half as far from its anchor as it may. */
    readonly has_drifted: boolean
  }[]
  readonly endings: readonly Ending[]
  /** Clients by whose keys nothing is signed any more. */
  readonly keyless: readonly (Warning & { readonly client: string })[]
  readonly files_differ: { readonly since: number; readonly fix: string } | null
  /** For how long each other host hasn't been heard. */
  readonly hosts: readonly { readonly host: string; readonly silent_ms: number }[]
  readonly holds: readonly Pick<
    HoldView,
    "id" | "client" | "key" | "operation" | "policy" | "rule"
  >[]
}

type Shared = {
  readonly disk: { readonly free_bytes: number | null; readonly min_free_bytes: number }
  /** How far the venue's clock is ahead for certain; negative where it is behind. */
  readonly venue_ahead_ms: number
  /** The fullest first. */
  readonly limits: readonly LimitShare[]
  readonly budgets: readonly Omit<BudgetUse, "shares">[]
  /** Those under a guard. */
  readonly accounts: readonly AccountAge[]
  /** Guards on losses after which nothing opens. */
  readonly trips: readonly {
    /** `policy/name`. */
    readonly guard: string
    readonly account: string
    readonly since: number
  }[]
}

/** For how long an account wasn't read, or not since the vault started. */
export type AccountAge = {
  readonly account: string
  readonly unread_ms: number
  /** A minute more than it takes where nothing happens. */
  readonly is_late: boolean
  /** When the last reading was begun that showed a larger position than could be, and whether none has agreed with it yet. */
  readonly contradiction: { readonly at: number; readonly is_open: boolean } | null
}

/** How much of a limit is used, 1 being all, by whoever has used most of it. */
export type LimitShare = Pick<LimitUse, "policy" | "limit" | "mode"> & { readonly share: number }

/** An agent's approval or a client's token that ends before long, or has ended. */
export type Ending = Warning & {
  readonly of: "approval" | "token"
  readonly name: string
  /** What ends, by its name: how a sentence begins. */
  readonly what: string
  readonly at: number
  /** Within `agent_warning`. */
  readonly is_soon: boolean
}

/** What the gate is given, to tell people of. */
export type FactsForGate = {
  readonly targets: readonly NotifyTarget[]
  /** `null` where there is no target. */
  readonly facts: Facts | null
  /** Requests that were sent, and nobody knows what became of, until a gate has noted them. */
  readonly unknown: readonly { readonly record: string; readonly at: number }[]
  /** What a gate before had still to tell, in its own words, for one that has nothing yet. */
  readonly log: string | null
  /** When a test of all targets was last asked for; 0 for never. */
  readonly test: number
}

/** What waits for a person, with its body, to be told in words. */
export type HeldInFull = { readonly holds: readonly HoldView[]; readonly symbols: SymbolsView }

/** From what the vault's metrics are written. */
export type Measures = Shared & {
  /** By client, operation, result and reason. */
  readonly decisions: readonly (readonly [labels: readonly string[], count: number])[]
  readonly stages: Readonly<Record<"parse" | "judge" | "record" | "sign", Observed>>
  readonly commits: Commits
  readonly signs: Signs
  readonly reasons: readonly Pick<Reason, "code" | "scope" | "name" | "signs">[]
  readonly frozen: readonly Pick<FreezeView, "scope" | "name">[]
  /** Those first that end first, as of tokens. */
  readonly keys: readonly Pick<KeyView, "name" | "role" | "approval" | "expires_at" | "locked">[]
  readonly tokens: readonly { readonly client: string; readonly ends_at: number }[]
  readonly keyless: readonly string[]
  readonly files_differ: boolean
  readonly holds_pending: number
  readonly ledger_bytes: number
  /** Those that can't be used first. */
  readonly prices: readonly {
    readonly symbol: string
    readonly is_usable: boolean
    readonly as_of: number
  }[]
  readonly process: OwnMeasures
}

/** How long the ledger's commits took, and how many entries each carried. */
export type Commits = {
  readonly seconds: Observed
  readonly entries: Observed
  /** How long the one at work has taken by now, in seconds; 0 where none is. */
  readonly waited: number
  /** Of one of several hosts. */
  readonly fleet?: FleetMeasures
}

export type FleetMeasures = {
  readonly turn_waits: Observed
  readonly turn_holds: Observed
  /** The last entry that is here. */
  readonly head: number
  /** When another host spoke last, in seconds since 1970. */
  readonly heard: readonly (readonly [host: string, at: number])[]
}

/** What a process tells of itself. */
export type OwnMeasures = {
  readonly version: string
  readonly node: string
  readonly delay: LoopDelay
  readonly resident_bytes: number
}
