import type { AlarmName } from "../link/alarms.ts"
import type { ConsoleState, DecisionFeed, DecisionView } from "../link/console-views.ts"
import { withSample, type Sample } from "./rates.ts"

/** How the page stands with the daemon. */
export type Connection =
  | { readonly kind: "opening" }
  | { readonly kind: "live" }
  /** The gate is there, the vault isn't. */
  | { readonly kind: "away"; readonly why: string }
  | { readonly kind: "lost"; readonly why: string }

export type Latency = {
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
}

/** Everything the page knows; views only show it. */
export type Model = {
  readonly connection: Connection
  readonly state: ConsoleState | undefined
  /** The newest first, a bounded number of each. */
  readonly decisions: readonly DecisionView[]
  /** Those that weren't allowed: a busy bot would push them out of the others within a second. */
  readonly noes: readonly DecisionView[]
  /** Those that it wasn't told since it looked. */
  readonly missed: number
  readonly samples: readonly Sample[]
  readonly latencyBounds: readonly number[]
  /** It was told what had been decided before it looked. */
  readonly hasHistory: boolean
  /** Of the newest decision that it was told. The vault numbers them on as long as a session lasts. */
  readonly lastSeq: number
}

/** Rows that are kept of each list. */
export const maxRows = 200

/** What is known before anything was heard. */
export const emptyModel: Model = {
  connection: { kind: "opening" },
  state: undefined,
  decisions: [],
  noes: [],
  missed: 0,
  samples: [],
  latencyBounds: [],
  hasHistory: false,
  lastSeq: 0,
}

/** Takes in how everything stands. */
export function withState(
  model: Model,
  { vault, latency }: { readonly vault: ConsoleState; readonly latency: Latency },
): Model {
  const { allowed, refused } = vault.decided
  const sample = { atMs: vault.at, allowed, refused, answers: latency.counts }
  return {
    ...model,
    connection: { kind: "live" },
    state: vault,
    samples: withSample(model.samples, sample),
    latencyBounds: latency.bounds,
    // It comes along with a stream's first state; where it didn't, nothing had been decided.
    hasHistory: model.hasHistory || model.connection.kind === "live",
  }
}

/** Puts new decisions before the others. Each stream begins with those that are kept, known or not. */
export function withDecisions(model: Model, feed: DecisionFeed): Model {
  const fresh = freshIn(model, feed)
  const rows = fresh.toReversed()
  const missed = model.hasHistory ? feed.last - model.lastSeq - fresh.length : 0
  return {
    ...model,
    decisions: [...rows, ...model.decisions].slice(0, maxRows),
    noes: [...rows.filter(isNo), ...model.noes].slice(0, maxRows),
    missed: model.missed + Math.max(0, missed),
    hasHistory: true,
    lastSeq: Math.max(model.lastSeq, feed.last),
  }
}

/** What of a feed fell while the page looked, or while it would have. */
export function newsIn(model: Model, feed: DecisionFeed): readonly DecisionView[] {
  return model.hasHistory ? freshIn(model, feed) : []
}

function freshIn({ lastSeq }: Model, { decisions }: DecisionFeed): readonly DecisionView[] {
  return decisions.filter(({ seq }) => seq > lastSeq)
}

/** Notes that the stream can't be had. */
export function withoutStream(model: Model, why: string): Model {
  return { ...model, connection: { kind: "lost", why } }
}

/** Notes that the gate can't reach the vault. */
export function withoutVault(model: Model, why: string): Model {
  return { ...model, connection: { kind: "away", why } }
}

/** Whether a decision stopped a request, for good or until a person lets it pass. */
export function isNo({ result }: DecisionView): boolean {
  return result !== "allowed"
}

export type Standing = {
  readonly tone: "good" | "partly" | "stopped" | "unknown"
  readonly word: string
  readonly sentence: string
}

/** Whether it signs, in a word for the status line. */
export function standingOf({ connection, state }: Model): Standing {
  if (connection.kind === "lost") {
    return { tone: "unknown", word: "No connection", sentence: connection.why }
  }
  if (connection.kind === "away") {
    return { tone: "unknown", word: "Vault away", sentence: connection.why }
  }
  if (state === undefined) {
    return { tone: "unknown", word: "Connecting", sentence: "Waiting for the vault." }
  }
  return standingOfVault(state)
}

/** Cancels and reduce-only orders go on under these. */
const stopsOrders: readonly AlarmName[] = ["disk_low", "clock_stops_orders"]

function standingOfVault({ freezes, state, words, alarms }: ConsoleState): Standing {
  if (state !== "ready") {
    const word = state === "locked" ? "Locked" : "Not signing"
    return { tone: "stopped", word, sentence: words }
  }
  if (freezes.some(({ scope }) => scope === "all")) {
    return { tone: "stopped", word: "Frozen", sentence: "No orders are signed." }
  }
  if (freezes.length > 0) {
    const frozen = freezes.map(({ scope, name }) => `${scope} ${name ?? ""}`).join(", ")
    return { tone: "partly", word: "Partly frozen", sentence: `Stopped: ${frozen}.` }
  }
  if (alarms.some(({ name }) => stopsOrders.includes(name))) {
    return { tone: "partly", word: "Partly signing", sentence: "Only what reduces risk is signed." }
  }
  return { tone: "good", word: "Signing", sentence: "What policies allow is signed." }
}
