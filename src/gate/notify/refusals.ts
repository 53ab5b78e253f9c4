import { type Asked, refusalWindowMs } from "../../conditions/gate-alarms.ts"
import type { Measures } from "../../contract/facts.ts"

/** What the vault has decided since it started, by client and reason; allowed and held requests have the reason "". */
type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>
type Look = { readonly atMs: number; readonly counts: Counts }

/** Between two looks: twenty of them are kept. */
export const refusalPauseMs = 15_000

/** Tells from the vault's counters, which only grow, what clients asked for lately and were refused. */
export function openRefusals() {
  let looks: readonly Look[] = []
  return {
    /** Whether it is time for another look. */
    isDue: (nowMs: number) => nowMs - (looks.at(-1)?.atMs ?? -Infinity) >= refusalPauseMs,
    /** Before a second look there is nothing to tell: what was counted before the first may be old. */
    see(decisions: Measures["decisions"], nowMs: number): void {
      const counts = countsOf(decisions)
      const last = looks.at(-1)?.counts
      // A vault that was started again counts from nothing.
      const isAnew = last !== undefined && hasFallen(last, counts)
      const before = isAnew ? [{ atMs: nowMs, counts: new Map() }] : looks
      const all = [...before, { atMs: nowMs, counts }]
      const first = all.findLastIndex(({ atMs }) => nowMs - atMs >= refusalWindowMs)
      looks = all.slice(Math.max(0, first))
    },
    /** Of the time between the oldest look that is kept and the last. */
    asked(): readonly Asked[] {
      const [from, to] = [looks[0]?.counts, looks.at(-1)?.counts]
      return [...(to ?? [])].map(([client, reasons]) => askedOf(client, reasons, from?.get(client)))
    },
  }
}

function askedOf(
  client: string,
  now: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number> | undefined,
): Asked {
  const since = [...now].map(
    ([reason, count]) => [reason, count - (before?.get(reason) ?? 0)] as const,
  )
  const decided = since.reduce((sum, [, count]) => sum + count, 0)
  return { client, decided, refused: new Map(since.filter(([reason]) => reason !== "")) }
}

function countsOf(decisions: Measures["decisions"]): Counts {
  const counts = new Map<string, Map<string, number>>()
  for (const [[client = "", , result, reason = ""], count] of decisions) {
    const reasons = counts.get(client) ?? new Map<string, number>()
    counts.set(client, reasons)
    const why = result === "refused" ? reason : ""
    reasons.set(why, (reasons.get(why) ?? 0) + count)
  }
  return counts
}

function hasFallen(before: Counts, now: Counts): boolean {
  return [...before].some(([client, reasons]) =>
    [...reasons].some(([reason, count]) => (now.get(client)?.get(reason) ?? 0) < count),
  )
}
