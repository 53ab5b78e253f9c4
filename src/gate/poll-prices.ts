import { setTimeout as after } from "node:timers/promises"

import type { BotResults } from "../link/calls/methods.ts"
import type { PollRound } from "../link/calls/gate-methods.ts"
import type { BotLink } from "../contract/client.ts"
import { successCode, type VenueAnswer } from "./http/reply.ts"
import { causeFields, errorFields, type Log } from "./process/log.ts"
import { parseRawJson } from "./reads/fetch-read.ts"
import type { Sent } from "./upstream/exchange.ts"
import type { Upstream } from "./upstream/upstream.ts"

type PricePollDependencies = {
  readonly link: Pick<BotLink, "call">
  /** The venue of now, if one is configured. Without one nothing is polled. */
  readonly upstream: () => Pick<Upstream, "fetch"> | undefined
  readonly log: Log
  readonly idleMs?: number
}

/** The vault is asked at least this often: venue.yaml may begin to poll, or poll more often. */
const usualIdleMs = 2_000

/** So many prices fit a call. */
const maxPrices = 100

/**
 * Reads reference prices at the venue and hands them to the vault, as long as the gate runs. The vault says when, what
 * is read and where in an answer the prices are, and judges each of them. Never throws.
 */
export function pollPrices({ idleMs = usualIdleMs, ...deps }: PricePollDependencies): {
  /** Reads no more. What is under way is cut off. */
  stop(): void
} {
  const stopping = new AbortController()
  const { signal } = stopping
  const tell = tellChanges(deps.log, signal)
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      const { dueInMs, round } = await nextRound(deps)
      const paceMs = dueInMs ?? idleMs
      const pause = after(Math.min(paceMs, idleMs), undefined, { ref: false, signal })
      // What comes when the next round is due is too old for this one.
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(paceMs)])
      const read = round === null ? [] : readRound(deps, round, inTime)
      for await (const [path, trouble] of read) tell(path, trouble)
      await pause.catch(() => undefined) // it stops
    }
  }
  void poll()
  return { stop: () => stopping.abort() }
}

/** None while the vault is away, or no venue is configured. */
async function nextRound(deps: PricePollDependencies): Promise<BotResults["pricePoll"]> {
  const none = { dueInMs: null, round: null }
  if (deps.upstream() === undefined) return none
  return deps.link.call("pricePoll", {}).catch(() => none)
}

/** Reads the paths of a round, one after the other, so that orders have the connections. Tells of each what went wrong. */
async function* readRound(
  deps: PricePollDependencies,
  round: PollRound,
  signal: AbortSignal,
): AsyncGenerator<readonly [path: string, trouble: string | undefined]> {
  for (const path of round.paths) {
    const [plain = "", query = ""] = path.split("?")
    const ask = { path: plain, query, traceparent: undefined, signal }
    const sent = (await deps.upstream()?.fetch(ask)) ?? unsent
    if (sent.kind === "answered") yield [path, await feed(deps, { round, path }, sent.answer)]
    else yield [path, causeFields(sent.cause).code]
  }
}

/** A reload took the venue away. */
const unsent: Sent = { kind: "unsent", cause: "no venue" }

/** Hands over what an answer has. */
async function feed(
  { link }: PricePollDependencies,
  { round, path }: { readonly round: PollRound; readonly path: string },
  answer: VenueAnswer,
): Promise<string | undefined> {
  const prices = pricesIn(answer, round)
  let trouble = prices.length === 0 ? "no_price" : undefined
  try {
    for (let at = 0; at < prices.length; at += maxPrices) {
      const part = prices.slice(at, at + maxPrices)
      const fed = await link.call("polledPrices", { round: round.id, path, prices: part })
      if (fed.kind === "refused") trouble = fed.refusal.code
    }
    return trouble
  } catch (error) {
    return errorFields(error).code
  }
}

/** A line of log when a path begins to fail, fails otherwise, or works again. */
function tellChanges(log: Log, stopping: AbortSignal): (path: string, trouble?: string) => void {
  const troubles = new Map<string, string | undefined>()
  return (path, trouble) => {
    if (stopping.aborted || troubles.get(path) === trouble) return
    troubles.set(path, trouble)
    if (trouble === undefined) log({ level: "info", event: "price_poll_works", message: path })
    else log({ level: "warn", event: "price_poll_failed", code: trouble, message: path })
  }
}

/** No decimal that the vault takes is longer. */
const maxTextLength = 64

/**
 * The prices in an answer of the venue, as it wrote them, by the names of venue.yaml. Entries of other symbols are left
 * out, and so are those without a text or a number there. None where the answer isn't a success.
 */
export function pricesIn(
  { status, body }: Pick<VenueAnswer, "status" | "body">,
  { list, symbol, value, symbols }: PollRound,
): { symbol: string; value: string }[] {
  const answer = status >= 200 && status < 300 ? parseRawJson(body) : undefined
  if (at(answer, ["code"]) !== successCode) return []
  const entries = list === undefined ? [answer] : at(answer, list)
  if (!Array.isArray(entries)) return []
  const names = new Map(
    symbols.flatMap(
      ({ id, name }) =>
        [
          [name, name],
          [`${id}`, name],
        ] as const,
    ),
  )
  return entries.flatMap((entry: unknown) => {
    const name = names.get(textAt(entry, symbol) ?? "")
    const text = textAt(entry, value)
    return name === undefined || text === undefined ? [] : [{ symbol: name, value: text }]
  })
}

/** What the steps of a JSON Pointer lead to. */
function at(from: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, step) => {
    const isInside = typeof inner === "object" && inner !== null && Object.hasOwn(inner, step)
    return isInside ? (inner as Readonly<Record<string, unknown>>)[step] : undefined
  }, from)
}

/** The text of a string, or of a number as it was written. */
function textAt(entry: unknown, steps: readonly string[]): string | undefined {
  const found = at(entry, steps)
  const text = isRawJSON(found) ? JSON.stringify(found) : found
  return typeof text === "string" && text.length <= maxTextLength ? text : undefined
}

// As of 6.0 TypeScript's own types don't have it.
const { isRawJSON } = JSON as typeof JSON & { readonly isRawJSON: (value: unknown) => boolean }
