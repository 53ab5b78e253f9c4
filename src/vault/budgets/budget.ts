import type { Lane } from "../../venue/payload/lane.ts"
import type { RollingWindow } from "./rolling-window.ts"

/** The interface's "Limits": what all requests of an address, or of this machine, may weigh in a window. */
export const budgetMax = { address: 2_400, ip: 1_200 } as const satisfies Record<
  BudgetScope,
  number
>

export const venueWindowMs = 60_000
/**
 * By how much a request's way to the venue may take longer than another's: its record's commit, the
 * signature, the network. A weight counts for so much longer here than there, so that what fits here
 * fits there too.
 */
export const windowMarginMs = 500
/** For how long a weight counts here. */
export const budgetWindowMs = venueWindowMs + windowMarginMs
/**
 * One cancel an address in this time passes when its budget is spent: the venue's 1,000 ms, and a margin. So
 * does one request of each client that reduces risk when the IP budget is.
 */
export const reserveEveryMs = 1_100

/** What of a budget is kept free, as weights. */
export type BudgetTerms = {
  /** By client: as much as this it may use, whatever others do. */
  readonly keptFor: ReadonlyMap<string, number>
  /** Only what reduces risk may use it. */
  readonly keptForCancels: number
}

/** Uses what the venue has counted and this daemon hasn't. No client has such a name. */
export const nobody = ""

/** What a request asks of one budget. */
export type BudgetAsk = {
  readonly client: string
  readonly weight: number
  /** From what reduces risk nothing is kept. */
  readonly lane: Lane
  /** Whether what `nobody` uses counts against it. */
  readonly heedsFill: boolean
  readonly terms: BudgetTerms
}

/** How a budget stands for a request. */
export type BudgetRoom = {
  readonly max: number
  readonly used: number
  /** What is free and kept for others. */
  readonly kept: number
  readonly asked: number
}

/** How a budget of `max` stands for a request now. */
export function roomIn(window: RollingWindow, max: number, ask: BudgetAsk): BudgetRoom {
  const used = window.total() - (ask.heedsFill ? 0 : window.totalOf(nobody))
  return { max, used, kept: keptFrom(ask, (name) => window.totalOf(name)), asked: ask.weight }
}

/** Whether a request fits beside what is used and what is kept for others. */
export function isEnough({ max, used, kept, asked }: BudgetRoom): boolean {
  return used + kept + asked <= max
}

/** When a request fits, if nothing else comes; `undefined` when it never does. */
export function fitsAtMs(window: RollingWindow, max: number, ask: BudgetAsk): number | undefined {
  let { used } = roomIn(window, max, ask)
  const left = new Map([...ask.terms.keptFor.keys()].map((name) => [name, window.totalOf(name)]))
  for (const { client, weight, untilMs } of window.ends()) {
    if (ask.heedsFill || client !== nobody) used -= weight
    if (left.has(client)) left.set(client, (left.get(client) ?? 0) - weight)
    const kept = keptFrom(ask, (name) => left.get(name) ?? 0)
    if (isEnough({ max, used, kept, asked: ask.weight })) return untilMs
  }
  return undefined
}

/** What others may still use of their shares, and what is kept for cancels. */
function keptFrom({ client, lane, terms }: BudgetAsk, usedBy: (name: string) => number): number {
  if (lane !== "open") return 0
  let kept = terms.keptForCancels
  for (const [name, share] of terms.keptFor) {
    if (name !== client) kept += Math.max(0, share - usedBy(name))
  }
  return kept
}

/** For how long a client that was refused counts as waiting: some ask again only after seconds. */
const waitsForMs = 10_000

/**
 * What one request in `reserveEveryMs` may take, of whatever client. Of the clients that wait, who had it longest ago
 * has its turn first. A turn lasts `reserveEveryMs`: who asks most gets no more of them, and who doesn't come holds
 * the next one up for no longer.
 */
export type Reserve = {
  /** When a client may take it, if nobody else does before. */
  freeAtMs(client: string, nowMs: number): number
  /** The client has it, and waits no more. */
  take(client: string, nowMs: number): void
  /** The client waits from now on. */
  refuse(client: string, nowMs: number): void
}

/** Nobody had it, and nobody waits. */
export function openReserve(): Reserve {
  let takenMs = -Infinity
  const takenMsBy = new Map<string, number>()
  const refusedMsBy = new Map<string, number>()
  const lastMs = (client: string): number => takenMsBy.get(client) ?? -Infinity
  return {
    freeAtMs(client, nowMs) {
      const before = [...refusedMsBy].filter(
        ([other, refusedMs]) => nowMs < refusedMs + waitsForMs && lastMs(other) < lastMs(client),
      )
      return takenMs + (1 + before.length) * reserveEveryMs
    },
    take(client, nowMs) {
      takenMs = nowMs
      takenMsBy.set(client, nowMs)
      refusedMsBy.delete(client)
    },
    refuse: (client, nowMs) => void refusedMsBy.set(client, nowMs),
  }
}

export type BudgetScope = "address" | "ip"
