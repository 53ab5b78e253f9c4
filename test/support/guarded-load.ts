import { setTimeout as sleep } from "node:timers/promises"

import type { GuardedAsk, GuardedAsks } from "./guarded-asks.ts"
import type { GuardedChecker } from "./guarded-checker.ts"
import type { GuardedSite } from "./guarded-site.ts"
import type { SeededRandom } from "./seeded-random.ts"

/** How many ask at once of each client, and how long each pauses at most. */
const callersOfClient = 5
const longestPauseMs = 60

/** The sandbox's IP budget has room for this, beside the readings. */
const postEveryMs = 110

/** Bots ask for openers with pauses of up to this: more at times than there is room for, and less at others. */
const openEveryMs = 450

/** A bot sends what it had signed this long before its end at most, where it waits for the last moment. */
const lastMomentMs = 40

export type GuardedCounts = {
  requests: number
  /** Signed requests that can enlarge a position, and the orders in them. */
  granted: number
  openers: number
  /** Of the openers that were answered, those that an omniscient guard would have granted, and that were among them. */
  fitting: number
  fittingGranted: number
  /** Signed requests that can't. */
  others: number
  /** Requests without an answer of the daemon's. */
  lost: number
  /** Signed requests that bots sent to the venue themselves, and that they never sent. */
  sent: number
  kept: number
  readonly refusals: Map<string, number>
}

export type GuardedLoad = {
  /** Asks from many callers at once until `isOver`, and waits until all is sent. */
  run(isOver: () => boolean): Promise<void>
  readonly counts: GuardedCounts
  /** Refusals of what cancels, or only reduces and could have reduced something, by the truth alone. */
  readonly wronged: readonly string[]
}

type Parts = {
  readonly site: Pick<GuardedSite, "daemon" | "venue" | "tokens">
  readonly random: SeededRandom
  readonly asks: GuardedAsks
  readonly checker: Pick<GuardedChecker, "catchUp" | "heldSince" | "wouldFit">
}

/** By the numbers of events; `undefined` where there is nothing. */
type Held = readonly (number | undefined)[]

type Asked = GuardedAsk & { readonly isForwarded: boolean; readonly token: string }

export function createGuardedLoad({ site, random, asks, checker }: Parts): GuardedLoad {
  const counts: GuardedCounts = {
    ...{ requests: 0, granted: 0, openers: 0, fitting: 0, fittingGranted: 0 },
    ...{ others: 0, lost: 0, sent: 0, kept: 0 },
    refusals: new Map(),
  }
  const wronged: string[] = []
  const sending = new Set<Promise<void>>()
  const [mayPost, mayOpen] = [pacer(() => postEveryMs), pacer(() => random.below(openEveryMs))]

  async function loop(token: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const isAnswered = await askOnce(token)
      await sleep(random.below(isAnswered ? longestPauseMs : longestPauseMs * 5))
    }
  }

  /** Resolves with whether there is an answer. */
  async function askOnce(token: string): Promise<boolean> {
    const ask = mayOpen() ? asks.opening() : asks.other()
    // Openers are refused more often than not, and what is refused isn't sent.
    const isForwarded = opens(ask) ? random.isOneIn(2) : mayPost()
    counts.requests += 1
    if (opens(ask) || ask.reduces.length > 0) await checker.catchUp()
    const before = { held: heldSince(ask), fits: checker.wouldFit(ask.openers, ask.changes) }
    const answer = await post({ ...ask, token, isForwarded })
    if (answer === undefined) {
      counts.lost += 1
      return false
    }
    count(ask, before.fits, answer.refused === undefined)
    if (answer.refused !== undefined) await refuse(ask, answer.refused, before.held)
    else if (!isForwarded) sendSigned(ask, answer.text)
    return true
  }

  async function post({ path, body, token, isForwarded }: Asked): Promise<Answered | undefined> {
    const expiresIn = String(300 + random.below(1_700))
    const headers = {
      ...{ Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      "Countersign-Expires-In": expiresIn,
    }
    const url = `${site.daemon.url}${isForwarded ? "" : "/sign"}${path}`
    const init = { method: "POST", headers, body: JSON.stringify(body) }
    return answeredBy(url, init)
  }

  /** Since when there is something to reduce for each of its orders that only does; nobody asks where it has others. */
  function heldSince(ask: GuardedAsk): Held {
    return opens(ask) ? [] : ask.reduces.map(({ id, isBuy }) => checker.heldSince(id, isBuy))
  }

  async function refuse(ask: GuardedAsk, code: string, before: Held): Promise<void> {
    counts.refusals.set(code, (counts.refusals.get(code) ?? 0) + 1)
    if (opens(ask)) return
    await checker.catchUp()
    const after = code === "nothing_to_reduce" ? heldSince(ask) : []
    // What there was before, and all the time until after, was there when it was judged.
    const isIdle = after.length > 0 && after.every((at, index) => at !== before[index] || !at)
    if (!isIdle) wronged.push(`${ask.path}: ${code}`)
  }

  function count(ask: GuardedAsk, fits: boolean, isGranted: boolean): void {
    const { length } = ask.openers
    if (fits) counts.fitting += length
    if (!isGranted) return
    counts.openers += length
    if (fits) counts.fittingGranted += length
    if (opens(ask)) counts.granted += 1
    else counts.others += 1
  }

  /** Sends soon, in the last moment, or never. */
  function sendSigned(ask: GuardedAsk, text: string): void {
    const isKept = opens(ask) ? random.isOneIn(6) : !mayPost()
    if (isKept) return void (counts.kept += 1)
    counts.sent += 1
    const { expires_after: endMs } = JSON.parse(text) as { readonly expires_after: number }
    const leftMs = Math.max(0, endMs - Date.now())
    const waitMs = random.isOneIn(3)
      ? leftMs - random.below(lastMomentMs)
      : random.below(leftMs + 1)
    const sent = sleep(Math.max(0, waitMs)).then(() => sendTo(site.venue.url + ask.path, text))
    sending.add(sent)
    void sent.finally(() => sending.delete(sent))
  }

  return {
    ...{ counts, wronged },
    async run(isOver) {
      const tokens = site.tokens.flatMap((token) => Array<string>(callersOfClient).fill(token))
      await Promise.all(tokens.map((token) => loop(token, isOver)))
      await Promise.all(sending)
    },
  }
}

function opens({ openers }: GuardedAsk): boolean {
  return openers.length > 0
}

/** Whether it is time for the next, so long after the one before. */
function pacer(pauseMs: () => number): () => boolean {
  let nextMs = 0
  return () => {
    const nowMs = performance.now()
    if (nowMs < nextMs) return false
    nextMs = nowMs + pauseMs()
    return true
  }
}

type Refused = {
  readonly code: string
  readonly data: { readonly kind?: string; readonly why?: string }
}

type Answered = { readonly text: string; readonly refused?: string }

/** The daemon's answers that say nothing about the request: a process of it was killed, or is about to come. */
const unanswered = new Set(["vault_unavailable", "ledger_unavailable"])

/** Codes of what was signed, whatever became of it at the venue. */
const isSent = (code: string): boolean => code.startsWith("upstream_")

/** `undefined` where nobody knows. */
async function answeredBy(url: string, init: RequestInit): Promise<Answered | undefined> {
  try {
    const response = await fetch(url, init)
    const text = await response.text()
    const isVenues = response.headers.get("countersign-source") === "venue"
    if (response.ok || isVenues) return { text }
    return answeredWith(text)
  } catch (error) {
    if (error instanceof TypeError) return undefined // nobody listens, or the answer was cut off
    throw error
  }
}

function answeredWith(text: string): Answered | undefined {
  const { code, data } = JSON.parse(text) as Refused
  if (unanswered.has(code)) return undefined
  const refused = [code, data.kind ?? data.why ?? ""].join(" ").trim()
  return isSent(code) ? { text } : { text, refused }
}

/** What the venue answers, and whether, is nobody's concern here. */
async function sendTo(url: string, body: string): Promise<void> {
  const headers = { "Content-Type": "application/json" }
  await fetch(url, { method: "POST", headers, body })
    .then((response) => response.arrayBuffer())
    .catch(() => undefined)
}
