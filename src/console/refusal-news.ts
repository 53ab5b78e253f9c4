import type { DecisionView } from "../link/console-views.ts"

/** What a screen reader is told of refusals. */
export type RefusalNews = {
  /** Takes new decisions in, the oldest first. */
  hear(decisions: readonly DecisionView[]): void
  /** What there is to say now, or `undefined`; it is said once, and at most every few seconds. */
  take(nowMs: number): string | undefined
}

/** Speech is slow: more often than this, nobody could listen. */
export const quietMs = 5_000

/** Gathers refusals into a sentence at a time, however many there are. */
export function gatherRefusals(): RefusalNews {
  let waiting: DecisionView[] = []
  let saidAtMs = -Infinity
  return {
    hear(decisions) {
      waiting.push(...decisions.filter(({ result }) => result === "refused"))
    },
    take(nowMs) {
      if (waiting.length === 0 || nowMs - saidAtMs < quietMs) return undefined
      const said = sentenceOf(waiting)
      waiting = []
      saidAtMs = nowMs
      return said
    },
  }
}

function sentenceOf(refusals: readonly DecisionView[]): string {
  const last = refusals.at(-1)
  const words = last?.message ?? last?.reason ?? "It says no reason."
  const count = refusals.length === 1 ? "Refused" : `${refusals.length} refused, the last one`
  return `${count} for ${last?.client ?? "a client"}: ${words}`
}
