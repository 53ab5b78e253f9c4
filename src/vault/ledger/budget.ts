import type { BudgetScope } from "./budgets.ts"
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
  /** Nothing is kept from it. */
  readonly reducesRisk: boolean
  /** Whether what `nobody` uses counts against it. */
  readonly heedsFill: boolean
  readonly terms: BudgetTerms
  /** What those weigh, by client, that wait for this budget ahead of it. */
  readonly ahead: ReadonlyMap<string, number>
}

/** How a budget stands for a request. */
export type BudgetRoom = {
  readonly max: number
  readonly used: number
  /** What is free and kept for others. */
  readonly kept: number
  readonly asked: number
}

/** How a budget of `max` stands for a request now; what waits ahead of it is used. */
export function roomIn(window: RollingWindow, max: number, ask: BudgetAsk): BudgetRoom {
  const used = window.total() - (ask.heedsFill ? 0 : window.totalOf(nobody))
  return roomBeside({ max, used, ask }, (client) => window.totalOf(client))
}

/** Whether a request fits beside what is used and what is kept for others. */
export function isEnough({ max, used, kept, asked }: BudgetRoom): boolean {
  return used + kept + asked <= max
}

/** When a request fits, if nothing else comes; `undefined` when it never does. */
export function fitsAtMs(window: RollingWindow, max: number, ask: BudgetAsk): number | undefined {
  let used = window.total() - (ask.heedsFill ? 0 : window.totalOf(nobody))
  const left = new Map([...ask.terms.keptFor.keys()].map((name) => [name, window.totalOf(name)]))
  for (const { client, weight, untilMs } of window.ends()) {
    if (ask.heedsFill || client !== nobody) used -= weight
    if (left.has(client)) left.set(client, (left.get(client) ?? 0) - weight)
    if (isEnough(roomBeside({ max, used, ask }, (name) => left.get(name) ?? 0))) return untilMs
  }
  return undefined
}

/** Whether a request fits when nothing is used and nobody waits. */
export function fitsEmpty(max: number, ask: BudgetAsk): boolean {
  return isEnough(roomBeside({ max, used: 0, ask: { ...ask, ahead: new Map() } }, () => 0))
}

function roomBeside(
  { max, used, ask }: { readonly max: number; readonly used: number; readonly ask: BudgetAsk },
  usedBy: (name: string) => number,
): BudgetRoom {
  const ahead = aheadOf(ask, usedBy)
  const kept = keptFrom(ask, (name) => usedBy(name) + (ahead.get(name) ?? 0))
  return { max, used: used + sum(ahead), kept, asked: ask.weight }
}

/** Within what a client is promised, nobody's waiting but its own holds it up. */
function aheadOf(
  { client, weight, terms, ahead }: BudgetAsk,
  usedBy: (name: string) => number,
): ReadonlyMap<string, number> {
  if (ahead.size === 0) return ahead
  const own = ahead.get(client) ?? 0
  const isPromised = usedBy(client) + own + weight <= (terms.keptFor.get(client) ?? 0)
  return isPromised ? new Map([[client, own]]) : ahead
}

function sum(weights: ReadonlyMap<string, number>): number {
  let total = 0
  for (const weight of weights.values()) total += weight
  return total
}

/** What others may still use of their shares, and what is kept for cancels. */
function keptFrom(
  { client, reducesRisk, terms }: BudgetAsk,
  usedBy: (name: string) => number,
): number {
  if (reducesRisk) return 0
  let kept = terms.keptForCancels
  for (const [name, share] of terms.keptFor) {
    if (name !== client) kept += Math.max(0, share - usedBy(name))
  }
  return kept
}
