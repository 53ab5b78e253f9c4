import type { BotResults } from "../link/calls/methods.ts"
import type { PollRound } from "../link/calls/gate-methods.ts"
import type { BotLink } from "../contract/client.ts"
import { pollOn } from "./poll-on.ts"
import { successCode, type VenueAnswer } from "./http/reply.ts"
import { causeFields, errorFields, type Log } from "./process/log.ts"
import type { ChangeLines } from "./process/tell-changes.ts"
import { parseRawJson } from "./reads/fetch-read.ts"
import { at, textAt } from "./reads/pointers.ts"
import type { Sent } from "./upstream/exchange.ts"
import type { Upstream } from "./upstream/upstream.ts"

export type PollDependencies = {
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
export function pollPrices({ idleMs = usualIdleMs, ...deps }: PollDependencies) {
  return pollOn(linesOf(deps.log), async () => {
    const { dueInMs, round } = await nextRound(deps)
    const paceMs = dueInMs ?? idleMs
    return {
      pauseMs: Math.min(paceMs, idleMs),
      read: async (tell, stopping) => {
        // What comes when the next round is due is too old for this one.
        const inTime = AbortSignal.any([stopping, AbortSignal.timeout(paceMs)])
        const read = round === null ? [] : readRound(deps, round, inTime)
        for await (const [path, code] of read) {
          tell(path, code === undefined ? undefined : { code, message: path })
        }
      },
    }
  })
}

function linesOf(log: Log): ChangeLines {
  return {
    works: (message) => log({ level: "info", event: "price_poll_works", message }),
    fails: (trouble) => log({ level: "warn", event: "price_poll_failed", ...trouble }),
  }
}

/** None while the vault is away, or no venue is configured. */
async function nextRound(deps: PollDependencies): Promise<BotResults["pricePoll"]> {
  const none = { dueInMs: null, round: null }
  if (deps.upstream() === undefined) return none
  return deps.link.call("pricePoll", {}).catch(() => none)
}

/** Reads the paths of a round, one after the other, so that orders have the connections. Tells of each what went wrong. */
async function* readRound(
  deps: PollDependencies,
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
  { link }: PollDependencies,
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
