import type { Refusal } from "../../contract/refusal.ts"
import type { Address } from "../../venue/address.ts"
import type { Lane } from "../../venue/payload/payload.ts"

export type BudgetScope = "address" | "ip"

/** The interface's "Limits": the most weight per window for an address, and for this machine's IP. */
export const budgetMax = { address: 2_400, ip: 1_200 } as const satisfies Record<
  BudgetScope,
  number
>

export const venueWindowMs = 60_000

/**
 * How much longer one request may take to the venue than another: its record's commit, the signature, the
 * network. A weight counts this much longer here than at the venue, so what fits here fits there too.
 */
export const windowMarginMs = 500

/** How long a weight counts here. */
export const budgetWindowMs = venueWindowMs + windowMarginMs

/**
 * The venue's 1,000 ms and a margin. When an address's budget is spent, one cancel for it passes in this time. When
 * the IP budget is spent, one request that reduces risk passes for each client.
 */
export const reserveEveryMs = 1_100

/** What of a budget may be used here, and what of that is kept free. */
export type BudgetTerms = {
  /** The most weight per window: all of the budget, or this host's part of it. */
  readonly max: number
  /** By client: the weight that it can always use, whatever others do. */
  readonly keptFor: ReadonlyMap<string, number>
  /** Only what reduces risk may use it. */
  readonly keptForCancels: number
}

/** What a request spends. A budget whose weight is `undefined` is neither asked nor counted. */
export type Spending = {
  readonly client: string
  /** `target_address`, or else the signer; `undefined` for a read, which uses no address's budget. */
  readonly address: Address | undefined
  readonly addressWeight: number
  readonly ipWeight: number
  readonly lane: Lane
  /** Counted but never stopped: a request from an operator or a panic. */
  readonly isForced?: true
  readonly terms: Readonly<Record<BudgetScope, BudgetTerms | undefined>>
}

/** Stands for weight that the venue has counted and this daemon hasn't. No client can have this name. */
export const nobody = ""

/** What a request asks of one budget. */
export type BudgetAsk = {
  readonly client: string
  readonly weight: number
  /** Requests that reduce risk may use all of it. */
  readonly lane: Lane
  /** Whether what `nobody` uses counts against it. */
  readonly heedsFill: boolean
  readonly terms: BudgetTerms
}

/** What a budget has left for a request. */
type BudgetRoom = {
  readonly max: number
  readonly used: number
  /** Free, but kept for others. */
  readonly kept: number
  readonly asked: number
}

/** What a budget has left for a request now. */
export function roomIn(window: RollingWindow, ask: BudgetAsk): BudgetRoom {
  const { max } = ask.terms
  const used = window.total() - (ask.heedsFill ? 0 : window.totalOf(nobody))
  return { max, used, kept: keptFrom(ask, (name) => window.totalOf(name)), asked: ask.weight }
}

/** Whether a request fits beside what is used and what is kept for others. */
export function isEnough({ max, used, kept, asked }: BudgetRoom): boolean {
  return used + kept + asked <= max
}

/** When a request fits, if nothing else comes; `undefined` when it never does. */
export function fitsAtMs(window: RollingWindow, ask: BudgetAsk): number | undefined {
  const { max } = ask.terms
  let { used } = roomIn(window, ask)
  const left = new Map([...ask.terms.keptFor.keys()].map((name) => [name, window.totalOf(name)]))
  for (const { client, weight, untilMs } of window.ends()) {
    if (ask.heedsFill || client !== nobody) used -= weight
    if (left.has(client)) left.set(client, (left.get(client) ?? 0) - weight)
    const kept = keptFrom(ask, (name) => left.get(name) ?? 0)
    if (isEnough({ max, used, kept, asked: ask.weight })) return untilMs
  }
  return undefined
}

/** The unused shares of others, and what is kept for cancels. */
function keptFrom({ client, lane, terms }: BudgetAsk, usedBy: (name: string) => number): number {
  if (lane !== "open") return 0
  let kept = terms.keptForCancels
  for (const [name, share] of terms.keptFor) {
    if (name !== client) kept += Math.max(0, share - usedBy(name))
  }
  return kept
}

/**
 * A reserve that one request may take in each `reserveEveryMs`, in turns. A turn lasts `reserveEveryMs`, so a client that
 * asks often gets no more turns, and one that doesn't come delays the next no longer than that.
 */
export type Reserve = Pick<Turns, "take" | "refuse"> & {
  /** When a client may take it, if nobody else does before. */
  freeAtMs(client: string, nowMs: number): number
}

/** Starts free, with nobody waiting. */
export function openReserve(): Reserve {
  let takenMs = -Infinity
  const turns = openTurns()
  return {
    freeAtMs: (client, nowMs) => takenMs + (1 + turns.before(client, nowMs)) * reserveEveryMs,
    take(client, nowMs) {
      takenMs = nowMs
      turns.take(client, nowMs)
    },
    refuse: (client, nowMs) => turns.refuse(client, nowMs),
  }
}

/** How long a refused client counts as waiting: some ask again only after seconds. */
const waitsForMs = 10_000

/** Of the clients that wait for what many share, the one that had it longest ago is next. */
export type Turns = ReturnType<typeof openTurns>

/** Starts with nobody waiting. */
export function openTurns() {
  const takenMsBy = new Map<string, number>()
  const refusedMsBy = new Map<string, number>()
  const lastMs = (client: string): number => takenMsBy.get(client) ?? -Infinity
  return {
    /** How many of those that wait come before a client. */
    before(client: string, nowMs: number): number {
      let count = 0
      for (const [other, refusedMs] of refusedMsBy) {
        if (nowMs < refusedMs + waitsForMs && lastMs(other) < lastMs(client)) count += 1
      }
      return count
    },
    /** The client has it now and waits no longer. */
    take(client: string, nowMs: number): void {
      takenMsBy.set(client, nowMs)
      refusedMsBy.delete(client)
    },
    /** The client waits from now on. */
    refuse: (client: string, nowMs: number) => void refusedMsBy.set(client, nowMs),
  }
}

/**
 * The refusal by a budget. For an address it has the venue's code and words; for the IP the venue's aren't
 * disclosed. The sentence has no numbers, so that repeated refusals are recorded as one.
 */
export function budgetExhausted(short: Shortage, nowMs: number): Refusal {
  const { scope, max, used, kept, asked, retryAfterMs } = short
  const amounts = {
    ...{ max, used, kept, asked },
    frees_at: retryAfterMs === undefined ? null : nowMs + retryAfterMs,
    retry_after_ms: retryAfterMs ?? null,
  }
  const advice =
    retryAfterMs === undefined
      ? "what is kept for others never leaves it that much"
      : "frees_at says when it has room"
  return scope === "ip"
    ? {
        code: "ip_budget_exhausted",
        message: `Rate limit exceeded: the IP budget has no room for it, so it wasn't sent; ${advice}.`,
        data: { scope, ...amounts },
      }
    : {
        code: "10029",
        message: `Rate limit exceeded: the budget of this request's address has no room for it, so it wasn't sent; ${advice}.`,
        data: { scope, ...amounts },
      }
}

/** A budget that has no room for a request; `retryAfterMs` is `undefined` when it never has. */
export type Shortage = BudgetRoom & {
  readonly scope: BudgetScope
  readonly retryAfterMs: number | undefined
}

/** The weight of one request, and its client. */
export type Weighed = {
  readonly client: string
  readonly weight: number
  /** The venue has counted it too, if it was sent. */
  readonly isCertain: boolean
}

/** Weights that each count for the same time. They must be added in the order of time. */
export type RollingWindow = ReturnType<typeof rollingWindow>

type Ending = Weighed & { readonly untilMs: number }
type Part = Weighed & { readonly atMs: number }

/** How many forgotten parts may stay in the array: removing them moves all that count. */
const maxForgotten = 1_000

/** Starts empty. What is added at t counts while the time is below t + `lengthMs`. */
export function rollingWindow(lengthMs: number) {
  const parts: Part[] = []
  let first = 0
  let total = 0
  const byClient = new Map<string, number>()
  const totalOf = (client: string): number => byClient.get(client) ?? 0
  const change = (client: string, by: number): void => {
    total += by
    byClient.set(client, totalOf(client) + by)
  }
  return {
    add(weighed: Weighed, atMs: number): void {
      const last = parts.at(-1)
      const latestMs = Math.max(atMs, last?.atMs ?? atMs)
      if (last !== undefined && first < parts.length && isAlike(last, weighed, latestMs)) {
        parts[parts.length - 1] = { ...last, weight: last.weight + weighed.weight }
      } else parts.push({ ...weighed, atMs: latestMs })
      change(weighed.client, weighed.weight)
    },
    /** Forgets weights whose time is over. */
    moveTo(nowMs: number): void {
      for (let part = parts[first]; part !== undefined; part = parts[first]) {
        if (nowMs < part.atMs + lengthMs) break
        change(part.client, -part.weight)
        first += 1
      }
      if (first < maxForgotten && first < parts.length) return
      parts.splice(0, first)
      first = 0
    },
    /** The sum of the weights that count. */
    total: () => total,
    /** One client's part of the sum. */
    totalOf,
    /** The part of the sum that is certain and was added after `atMs`. */
    certainAfter: (atMs: number) =>
      parts
        .slice(first)
        .filter((part) => part.isCertain && part.atMs > atMs)
        .reduce((sum, { weight }) => sum + weight, 0),
    /** All that counts, the oldest first, each with the time at which it stops counting. */
    ends: () => endsOf(parts, first, lengthMs),
  }
}

/** A generator, because callers seldom need many. */
function* endsOf(parts: readonly Part[], first: number, lengthMs: number): Generator<Ending> {
  for (let index = first; index < parts.length; index += 1) {
    const part = parts[index]
    if (part !== undefined) yield { ...part, untilMs: part.atMs + lengthMs }
  }
}

function isAlike(last: Part, { client, isCertain }: Weighed, atMs: number): boolean {
  return last.atMs === atMs && last.client === client && last.isCertain === isCertain
}

/** The records for which a repeat was counted. Starts empty. What is added at t is there while the time is below t + `lengthMs`. */
export function openCountedRepeats(lengthMs: number) {
  const untilMs = new Map<string, number>() // in the order of time, for all last as long
  return {
    has: (record: string, nowMs: number) => nowMs < (untilMs.get(record) ?? -Infinity),
    add(record: string, nowMs: number): void {
      for (const [earlier, endMs] of untilMs) {
        if (nowMs < endMs) break
        untilMs.delete(earlier)
      }
      untilMs.delete(record)
      untilMs.set(record, nowMs + lengthMs)
    },
  }
}
