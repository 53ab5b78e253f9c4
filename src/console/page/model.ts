import type { Decision, Look } from "../asks.ts"
import { withSample, type Sample } from "./rates.ts"
import { sentenceOf } from "./words.ts"

/** How the page stands with the daemon. */
export type Connection =
  | { readonly kind: "opening" }
  | { readonly kind: "live" }
  /** The console is there, the vault isn't. */
  | { readonly kind: "away"; readonly why: string }
  | { readonly kind: "lost"; readonly why: string }

/** Everything the page knows; views only show it. */
export type Model = {
  readonly connection: Connection
  /** The last one. */
  readonly look: Look | undefined
  /** The newest first, a bounded number of each. */
  readonly decisions: readonly Decision[]
  /** Those that weren't allowed: a busy bot would push them out of the others within a second. */
  readonly noes: readonly Decision[]
  /** Those that it wasn't told since it looked first. */
  readonly missed: number
  readonly samples: readonly Sample[]
}

/** Rows that are kept of each list. */
export const maxRows = 200

/** What is known before anything was heard. */
export const emptyModel: Model = {
  connection: { kind: "opening" },
  look: undefined,
  decisions: [],
  noes: [],
  missed: 0,
  samples: [],
}

/** Takes in how everything stands, and puts new decisions before the others. */
export function withLook(model: Model, look: Look): Model {
  const fresh = freshIn(model, look)
  const { allowed, refused } = look.decided
  const sample = { atMs: look.at, allowed, refused, answers: look.signing.counts }
  const recorded = look.recorded - (model.look?.recorded ?? look.recorded)
  return {
    connection: { kind: "live" },
    look,
    decisions: merged(fresh, model.decisions, look),
    noes: merged(fresh.filter(isNo), model.noes, look),
    missed: model.look === undefined ? 0 : model.missed + Math.max(0, recorded - fresh.length),
    samples: withSample(model.samples, sample),
  }
}

/** What of a look was decided since the one before; none of what was there when the page looked first. */
export function newsIn(model: Model, look: Look): readonly Decision[] {
  return model.look === undefined ? [] : freshIn(model, look)
}

function freshIn({ decisions: [newest] }: Model, { decisions }: Look): readonly Decision[] {
  return decisions.filter(({ seq }) => newest === undefined || seq > newest.seq)
}

/** A refusal that came once more is no new row: its count grew. */
function merged(
  fresh: readonly Decision[],
  known: readonly Decision[],
  { decisions }: Look,
): readonly Decision[] {
  const told = new Map(decisions.map(({ seq, times }) => [seq, times]))
  const grown = known.map((row) => ({ ...row, times: told.get(row.seq) ?? row.times }))
  return [...fresh, ...grown].slice(0, maxRows)
}

/** Notes that the console can't be reached. */
export function withoutConsole(model: Model, why: string): Model {
  return { ...model, connection: { kind: "lost", why } }
}

/** Notes that the console can't reach the vault. */
export function withoutVault(model: Model, why: string): Model {
  return { ...model, connection: { kind: "away", why } }
}

/** Whether a decision stopped a request, for good or until a person lets it pass. */
export function isNo({ result }: Decision): boolean {
  return result !== "allowed"
}

export type Standing = {
  readonly tone: "good" | "partly" | "stopped" | "unknown"
  readonly word: string
  readonly sentence: string
}

/** Whether it signs, in a word for the status line. */
export function standingOf({ connection, look }: Model): Standing {
  if (connection.kind === "lost") {
    return { tone: "unknown", word: "No connection", sentence: connection.why }
  }
  if (connection.kind === "away") {
    return { tone: "unknown", word: "Vault away", sentence: connection.why }
  }
  if (look === undefined) {
    return { tone: "unknown", word: "Connecting", sentence: "Waiting for the vault." }
  }
  return standingOfVault(look)
}

const wordsOfStops: Readonly<Record<string, string>> = { locked: "Locked", frozen: "Frozen" }

function standingOfVault({ state: { signs, words, reasons } }: Look): Standing {
  const sentence = sentenceOf(words)
  const [first] = reasons
  if (first === undefined) return { tone: "good", word: "Signing", sentence }
  const isFrozen = first.code === "frozen"
  if (signs === "nothing" || (isFrozen && first.scope === "all")) {
    return { tone: "stopped", word: wordsOfStops[first.code] ?? "Not signing", sentence }
  }
  return { tone: "partly", word: isFrozen ? "Partly frozen" : "Partly signing", sentence }
}
