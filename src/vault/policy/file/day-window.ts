import type { ClaimWindow } from "../terms/claim.ts"
import type { LocalClock } from "../values/local-clock.ts"

type Day = Extract<ClaimWindow, { readonly kind: "day" }>

/** No calendar day is longer, whatever the clocks do in it. */
const longestDayMs = 26 * 3_600_000

/**
 * Finds the calendar day around a time: from the first millisecond of its date on to the first of the
 * next one. On the days when clocks change it is 23 or 25 hours long.
 */
export function dayWindow(clock: LocalClock): (nowMs: number) => Day | undefined {
  let last: Day | undefined
  return (nowMs) => {
    // Finding it takes some fifty looks at the clock, and a day of requests asks for the same one.
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

/** The first time after `beforeMs` at which `holds`, which it does from then on until `atMs`. */
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
