import type { Clock } from "../clock.ts"

/** Wall time that never goes back: the highest time seen, carried on by the monotonic clock. */
export type SteadyTime = {
  /** The time once wall time was `nowMs`. A clock that was set back is not followed, nor does time stop. */
  at(nowMs: number): number
  /** The time by the highest wall time seen so far. */
  now(): number
}

/** Starts at `startMs` and goes on from there. */
export function openSteadyTime(clock: Pick<Clock, "monotonicMs">, startMs: number): SteadyTime {
  let highestOverMonotonicMs = startMs - clock.monotonicMs()
  const now = () => clock.monotonicMs() + highestOverMonotonicMs
  return {
    at(nowMs) {
      highestOverMonotonicMs = Math.max(highestOverMonotonicMs, nowMs - clock.monotonicMs())
      return now()
    },
    now,
  }
}
