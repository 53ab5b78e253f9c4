import type { Alarm } from "../../src/vault/bell.ts"
import { fakeClock, type FakeClock } from "./fake-clock.ts"

/** Time that passes when a test says so, and alarms that ring in it. */
export type PassingTime = {
  readonly clock: FakeClock
  readonly alarm: Alarm
  /** Lets time pass, each alarm ringing at its moment, and everything that follows from it happen. */
  pass(ms: number): Promise<void>
}

/** Stands still until it is let pass. */
export function passingTime(): PassingTime {
  const clock = fakeClock()
  const alarms = new Set<{ readonly atMs: number; readonly ring: () => void }>()
  const next = (untilMs: number) =>
    [...alarms].filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)[0]
  return {
    clock,
    alarm(ring, afterMs) {
      const set = { atMs: clock.monotonicMs() + afterMs, ring }
      alarms.add(set)
      return () => alarms.delete(set)
    },
    async pass(ms) {
      const untilMs = clock.monotonicMs() + ms
      await settled()
      for (let due = next(untilMs); due !== undefined; due = next(untilMs)) {
        clock.pass(due.atMs - clock.monotonicMs())
        alarms.delete(due)
        due.ring()
        await settled()
      }
      clock.pass(untilMs - clock.monotonicMs())
    },
  }
}

/** What was promised has followed by then. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
