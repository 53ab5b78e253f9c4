import type { ClaimWindow } from "../terms/claim.ts"
import type { LocalClock } from "../values/local-clock.ts"

type Day = Extract<ClaimWindow, { readonly kind: "day" }>

/** Longer than any calendar day, even when clocks change. */
const longestDayMs = 26 * 3_600_000

/**
 * Finds the calendar day around a time, from its first millisecond to the first millisecond of the next day.
 * When clocks change, a day has 23 or 25 hours.
 */
export function dayWindow(clock: LocalClock): (nowMs: number) => Day | undefined {
  let last: Day | undefined
  return (nowMs) => {
    // Finding a day takes about fifty looks at the clock, so the last one is kept.
    if (last !== undefined && nowMs >= last.startMs && nowMs < last.endMs) return last
    last = findDay(clock, nowMs)
    return last
  }
}

function findDay(clock: LocalClock, nowMs: number): Day | undefined {
  const date = clock(nowMs)?.date
  if (date === undefined) return undefined
  const isSameDay = (atMs: number): boolean => clock(atMs)?.date === date
  const wholeMs = Math.floor(nowMs)
  return {
    kind: "day",
    startMs: firstMs(wholeMs - longestDayMs, wholeMs, isSameDay),
    endMs: firstMs(wholeMs, wholeMs + longestDayMs, (atMs) => !isSameDay(atMs)),
  }
}

/** The first time after `beforeMs` when `holds` is true. It must stay true until `atMs`. */
function firstMs(beforeMs: number, atMs: number, holds: (timeMs: number) => boolean): number {
  let low = beforeMs
  let high = atMs
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}
