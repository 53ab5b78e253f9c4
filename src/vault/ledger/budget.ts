import type { RollingWindow } from "./rolling-window.ts"

/** What of a budget is kept free, as weights. */
export type BudgetTerms = {
  /** By client: as much as this it may use, whatever others do. */
  readonly keptFor: ReadonlyMap<string, number>
  /** Only cancels may use it. */
  readonly keptForCancels: number
}

/** What a request asks of one budget. */
export type BudgetAsk = {
  readonly client: string
  readonly weight: number
  readonly isCancel: boolean
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
  const used = window.total()
  return { max, used, kept: keptFrom(ask, (client) => window.totalOf(client)), asked: ask.weight }
}

/** Whether a request fits beside what is used and what is kept for others. */
export function isEnough({ max, used, kept, asked }: BudgetRoom): boolean {
  return used + kept + asked <= max
}

/** When a request fits, if nothing else comes; `undefined` when it never does. */
export function fitsAtMs(window: RollingWindow, max: number, ask: BudgetAsk): number | undefined {
  let used = window.total()
  const left = new Map([...ask.terms.keptFor.keys()].map((name) => [name, window.totalOf(name)]))
  for (const { client, weight, untilMs } of window.ends()) {
    used -= weight
    if (left.has(client)) left.set(client, (left.get(client) ?? 0) - weight)
    const kept = keptFrom(ask, (name) => left.get(name) ?? 0)
    if (isEnough({ max, used, kept, asked: ask.weight })) return untilMs
  }
  return undefined
}

/** What others may still use of their shares, and for all but cancels what is kept for those. */
function keptFrom(
  { client, isCancel, terms }: BudgetAsk,
  usedBy: (name: string) => number,
): number {
  let kept = isCancel ? 0 : terms.keptForCancels
  for (const [name, share] of terms.keptFor) {
    if (name !== client) kept += Math.max(0, share - usedBy(name))
  }
  return kept
}
