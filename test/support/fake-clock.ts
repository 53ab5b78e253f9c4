import { recordedTime, type LedgerTime, type Clock } from "../../src/vault/process/clock.ts"

/** Clocks that stand still until a test moves them. */
export type FakeClock = Clock & {
  /** Lets time pass on both clocks. */
  pass(ms: number): void
  /** Sets wall time alone, as a person or a time server does. */
  setWall(nowMs: number): void
}

export const startMs = 1_780_000_000_000

/** Starts at `startMs` of wall time. */
export function fakeClock(): FakeClock {
  let wallMs = startMs
  let monotonicMs = 5_000
  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    pass(ms) {
      wallMs += ms
      monotonicMs += ms
    },
    setWall(nowMs) {
      wallMs = nowMs
    },
  }
}

/** A moment as the ledger's time would tell it: tests make their own. */
export function ledgerTime(ms: number): LedgerTime {
  return recordedTime(ms)
}
