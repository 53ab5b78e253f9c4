import type { Decision, Entries, Look } from "../asks.ts"
import { type LossLines, withLosses } from "./equity-lines.ts"
import { emptyPast, type Past, pastSamples, type Sample, withPast, withSample } from "./rates.ts"
import { sentenceOf, groupedDecimal } from "./words.ts"

/** How the page stands with the daemon. */
type Connection =
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
  /** Those that weren't allowed: a busy bot would push them out of the others within seconds. */
  readonly noes: readonly Decision[]
  /** How often a refusal came once more, by its record. */
  readonly repeats: ReadonlyMap<string, number>
  /** The first entry of the ledger that was read, before which history goes on; the last one, after which news do. */
  readonly read: { readonly first: number; readonly last: number } | undefined
  /** Entries that came too fast to be read. */
  readonly skipped: number
  /** From before the first look to now. */
  readonly samples: readonly Sample[]
  /** What guards on losses counted since the first look. */
  readonly losses: LossLines
  /** What was decided before the first look, and what had been counted at it. */
  readonly past: { readonly counts: Past; readonly first: Sample } | undefined
}

/** Decisions that are kept of each list: more than are shown, so that a filter has some to choose from. */
export const maxKept = 5_000

/** What is known before anything was heard. */
export const emptyModel: Model = {
  connection: { kind: "opening" },
  look: undefined,
  decisions: [],
  noes: [],
  repeats: new Map(),
  read: undefined,
  skipped: 0,
  samples: [],
  losses: new Map(),
  past: undefined,
}

/** Takes in how everything stands, and puts new decisions before the others. */
export function withLook(model: Model, look: Look): Model {
  const { news } = look
  const { allowed, refused } = look.decided
  const sample = { atMs: look.at, allowed, refused, answers: look.signing.counts }
  const told: Model = {
    ...model,
    connection: { kind: "live" },
    look,
    decisions: [...news.decisions, ...model.decisions].slice(0, maxKept),
    noes: [...news.decisions.filter(isNo), ...model.noes].slice(0, maxKept),
    repeats: withRepeats(model.repeats, news),
    read: { first: model.read?.first ?? news.first, last: news.last },
    skipped: model.skipped + news.skipped,
    samples: withSample(model.samples, sample),
    losses: withLosses(model.losses, look),
  }
  if (model.past !== undefined) return told
  return counted({ ...told, past: { counts: emptyPast(look.at), first: sample } }, news)
}

/** Takes in a part of what was decided before the page looked, and puts it behind the others. */
export function withHistory(model: Model, history: Entries): Model {
  const { decisions } = history
  const told: Model = {
    ...model,
    decisions: [...model.decisions, ...decisions].slice(0, maxKept),
    noes: [...model.noes, ...decisions.filter(isNo)].slice(0, maxKept),
    repeats: withRepeats(model.repeats, history),
    read: model.read && { ...model.read, first: history.first },
  }
  return counted(told, history)
}

/** Counts what the ledger has of the time before the first look in the lines of the plots. */
function counted(model: Model, history: Entries): Model {
  if (model.past === undefined) return model
  const { counts, first } = model.past
  const past = { first, counts: withPast(counts, history) }
  const since = model.samples.filter(({ atMs }) => atMs >= counts.untilMs)
  return { ...model, past, samples: [...pastSamples(past.counts, first), ...since] }
}

function withRepeats(
  known: ReadonlyMap<string, number>,
  { repeats }: Entries,
): ReadonlyMap<string, number> {
  if (repeats.length === 0) return known
  const all = new Map(known)
  for (const { record, count } of repeats) {
    if (record !== null) all.set(record, (all.get(record) ?? 0) + count)
  }
  return new Map([...all].slice(-maxKept))
}

/** How often a decision came within its second. */
export function timesOf({ record }: Decision, { repeats }: Model): number {
  return 1 + (repeats.get(record) ?? 0)
}

/** What of a look was decided since the one before; none of what was there when the page looked first. */
export function newsIn(model: Model, { news }: Look): readonly Decision[] {
  return model.look === undefined ? [] : news.decisions
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

type Standing = {
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

/** Which decisions are shown; a part that is left out leaves none out. */
export type Filter = Readonly<Partial<Record<FilterPart, string | undefined>>>
export type FilterPart = (typeof filterParts)[number]

/** What decisions can be chosen by. */
export const filterParts = ["client", "key", "symbol", "code"] as const

/** Those that fit every part. */
export function matching(decisions: readonly Decision[], filter: Filter): readonly Decision[] {
  const wanted = filterParts.flatMap((part) => {
    const value = filter[part]
    return value === undefined ? [] : [[part, value] as const]
  })
  if (wanted.length === 0) return decisions
  return decisions.filter((each) =>
    wanted.every(([part, value]) => valuesOf(each, part).includes(value)),
  )
}

/** What there is to choose from, in the order of the alphabet; what was chosen stays there. */
export function choicesOf(
  decisions: readonly Decision[],
  part: FilterPart,
  chosen: string | undefined,
): readonly string[] {
  const values = new Set(decisions.flatMap((each) => valuesOf(each, part)))
  if (chosen !== undefined) values.add(chosen)
  return [...values].toSorted()
}

/** A denial is found by its code, which all of them have, and by its own reason. */
function valuesOf(decision: Decision, part: FilterPart): readonly string[] {
  const { client, key, symbols, code, reason } = decision
  const values = { client: [client], key: [key], symbol: symbols, code: [code, reason] }
  return values[part].filter((value) => value !== null)
}

/** What a screen reader is told of refusals. */
export type RefusalNews = ReturnType<typeof gatherRefusals>

/** Speech is slow: more often than this, nobody could listen. */
export const quietMs = 5_000

/** Gathers refusals into a sentence at a time, however many there are. */
export function gatherRefusals() {
  // A page in the background isn't drawn, so they may be many.
  let waiting: Waiting | undefined
  let said = ""
  let saidAtMs = -Infinity
  return {
    /** Takes new decisions in, the newest first. */
    hear(decisions: readonly Decision[]): void {
      const refusals = decisions.filter(({ result }) => result === "refused")
      const [last] = refusals
      if (last === undefined) return
      waiting = { count: (waiting?.count ?? 0) + refusals.length, last }
    },
    /** What is to be read out now, if anything: a sentence stays for a few seconds, and then there is none for a moment. */
    tell(nowMs: number): string {
      if (said !== "" && nowMs - saidAtMs < quietMs) return said
      // The same sentence in place of itself wouldn't be read again, so none comes between.
      if (said !== "" || waiting === undefined) return (said = "")
      said = newsOf(waiting)
      saidAtMs = nowMs
      waiting = undefined
      return said
    },
  }
}

type Waiting = { readonly count: number; readonly last: Decision }

function newsOf({ count, last: { message, reason, client } }: Waiting): string {
  const words = message ?? reason ?? "It says no reason."
  const start = count === 1 ? "Refused" : `${groupedDecimal(String(count))} refused, the last one`
  return `${start} for ${client}: ${words}`
}
