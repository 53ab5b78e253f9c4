import type { Clock } from "../../src/vault/process/clock.ts"
import { startMs } from "../support/fake-clock.ts"

/** The clocks of the simulated machine. They stand still between events. */
export type SimulatedClock = Required<Clock> & {
  pass(ms: number): void
  /** Wall time alone, as a person or a time server sets it. */
  leap(ms: number): void
  /** Tells the same as another from now on. */
  goOnAs(other: Required<Clock>): void
  /** The machine starts anew. */
  reboot(): void
}

export function simulatedClock(): SimulatedClock {
  let wallMs = startMs
  let monotonicMs = 5_000
  let boots = 1
  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    uptimeMs: () => monotonicMs,
    bootId: () => `boot ${boots}`,
    pass(ms) {
      wallMs += ms
      monotonicMs += ms
    },
    goOnAs(other) {
      wallMs = other.nowMs()
      monotonicMs = other.monotonicMs()
      boots = Number(other.bootId()?.slice("boot ".length))
    },
    leap: (ms) => void (wallMs += ms),
    reboot() {
      boots += 1
      monotonicMs = 1_000
    },
  }
}
