import type { ConsoleState, DecisionFeed, DecisionView } from "../link/console-views.ts"
import { withSample, type Sample } from "./rates.ts"

/** How the page stands with the daemon. */
export type Connection =
  | { readonly kind: "opening" }
  | { readonly kind: "live" }
  /** The gate is there, the vault isn't. */
  | { readonly kind: "away"; readonly why: string }
  | { readonly kind: "lost"; readonly retryAtMs: number }

/** A decision with a number of the page's own: the vault's begin anew when it does. */
export type Row = DecisionView & { readonly row: number }

export type Latency = {
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
}

/** Everything the page knows; views only show it. */
export type Model = {
  readonly connection: Connection
  readonly state: ConsoleState | undefined
  /** The newest first, a bounded number of each. */
  readonly decisions: readonly Row[]
  /** Those that weren't allowed: a busy bot would push them out of the others within a second. */
  readonly noes: readonly Row[]
  readonly missed: number
  readonly samples: readonly Sample[]
  readonly latencyBounds: readonly number[]
  /** The next decisions begin with those that are shown already. */
  readonly beginsAnew: boolean
  readonly lastRow: number
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
  beginsAnew: true,
  lastRow: 0,
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
  }
}

/** Puts new decisions before the others. */
export function withDecisions(model: Model, { decisions, missed }: DecisionFeed): Model {
  const rows = decisions
    .map((decision, index): Row => ({ ...decision, row: model.lastRow + 1 + index }))
    .reverse()
  const kept = model.beginsAnew ? { decisions: [], noes: [], missed: 0 } : model
  return {
    ...model,
    decisions: [...rows, ...kept.decisions].slice(0, maxRows),
    noes: [...rows.filter(isNo), ...kept.noes].slice(0, maxRows),
    missed: kept.missed + missed,
    beginsAnew: false,
    lastRow: model.lastRow + decisions.length,
  }
}

/** Notes that the stream can't be had; a new one will tell again what was decided last. */
export function withoutStream(model: Model, retryAtMs: number): Model {
  return { ...model, connection: { kind: "lost", retryAtMs }, beginsAnew: true }
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
    return { tone: "unknown", word: "No connection", sentence: "The page can't reach the daemon." }
  }
  if (connection.kind === "away") {
    return { tone: "unknown", word: "Vault away", sentence: connection.why }
  }
  if (state === undefined) {
    return { tone: "unknown", word: "Connecting", sentence: "Waiting for the vault." }
  }
  return standingOfVault(state)
}

function standingOfVault({ freezes, state, words }: ConsoleState): Standing {
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
  return { tone: "good", word: "Signing", sentence: words }
}
