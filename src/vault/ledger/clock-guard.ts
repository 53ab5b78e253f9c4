import { Fault } from "../../std/fault.ts"
import type { Clock } from "../clock.ts"

/** How far wall time may run ahead of the time that has passed. */
export const maxClockLeadMs = 10_000
/** How far it may have run on while the machine was off, unless countersign.yaml says otherwise. */
export const usualMaxStartGapMs = 7 * 86_400_000

/** Wall time and the machine's uptime at one moment, as the ledger keeps them. */
export type ClockReading = {
  readonly wallMs: number
  readonly uptimeMs: number
  readonly bootId: string
}

/** Tells whether wall time can be believed. Only a lead is dangerous: a clock that was set back never stops signing. */
export type ClockGuard = {
  /** @throws {Fault} `clock_unsafe` when wall time has run too far ahead. */
  assertSafe(nowMs: number): void
  /** Why wall time isn't believed, in a sentence. */
  doubt(nowMs: number): string | undefined
  /** Wall time where it is believed; else what it was believed to be last, carried on. */
  believed(nowMs: number): number
  /** What the ledger keeps with a commit; `undefined` in doubt, and where the machine doesn't tell its uptime. */
  reading(): ClockReading | undefined
  /** Believes wall time as it is now: an operator has looked at it. */
  accept(nowMs: number): void
}

/** Where the guard counts from. `leadMs` is how far wall time may be ahead of it. */
type Base = { wallMs: number; monotonicMs: number; uptimeMs: number | undefined; leadMs: number }

/**
 * Measures wall time from `last`, the reading that the ledger kept, on: against the uptime if the machine
 * ran on since, else against `maxStartGapMs`.
 */
export function openClockGuard(input: {
  readonly clock: Clock
  readonly last: ClockReading | undefined
  readonly maxStartGapMs?: number | undefined
}): ClockGuard {
  const { clock, last, maxStartGapMs = usualMaxStartGapMs } = input
  const bootId = clock.bootId?.()
  const base = openBase(clock, { last, bootId, maxStartGapMs })
  const leadAt = (nowMs: number): number => settledLead(base, clock, nowMs)
  leadAt(clock.nowMs())

  const doubt = (nowMs: number): string | undefined => {
    const leadMs = leadAt(nowMs)
    return leadMs > base.leadMs ? doubtOf(leadMs, base.leadMs) : undefined
  }
  return {
    doubt,
    assertSafe(nowMs) {
      const why = doubt(nowMs)
      if (why !== undefined) throw new Fault("clock_unsafe", why)
    },
    believed: (nowMs) =>
      leadAt(nowMs) > base.leadMs ? base.wallMs + passedSince(base, clock) : nowMs,
    reading() {
      const nowMs = clock.nowMs()
      const isSafe = leadAt(nowMs) <= base.leadMs
      if (!isSafe || bootId === undefined || base.uptimeMs === undefined) return undefined
      const passedMs = passedSince(base, clock)
      const wallMs = Math.max(nowMs, base.wallMs + passedMs)
      return { wallMs, uptimeMs: base.uptimeMs + passedMs, bootId }
    },
    accept: (nowMs) => void Object.assign(base, baseAt(clock, nowMs)),
  }
}

function baseAt(clock: Clock, wallMs: number): Base {
  const monotonicMs = clock.monotonicMs()
  return { wallMs, monotonicMs, uptimeMs: clock.uptimeMs?.(), leadMs: maxClockLeadMs }
}

function openBase(
  clock: Clock,
  start: {
    readonly last: ClockReading | undefined
    readonly bootId: string | undefined
    readonly maxStartGapMs: number
  },
): Base {
  const { last, bootId, maxStartGapMs } = start
  const nowMs = clock.nowMs()
  const base = baseAt(clock, nowMs)
  if (last === undefined) return base
  const ranMs = last.bootId === bootId ? (base.uptimeMs ?? 0) - last.uptimeMs : -1
  // A container that starts anew counts its uptime from zero under the same boot.
  if (ranMs < 0) return { ...base, wallMs: last.wallMs, leadMs: maxStartGapMs }
  const dueMs = last.wallMs + ranMs
  return { ...base, wallMs: nowMs - dueMs > maxClockLeadMs ? dueMs : Math.max(nowMs, dueMs) }
}

/** The lead at `nowMs`, once a suspend is taken into account and a gap that may be is closed. */
function settledLead(base: Base, clock: Clock, nowMs: number): number {
  const leadMs = nowMs - base.wallMs - passedSince(base, clock)
  if (leadMs > maxClockLeadMs) noticeSuspend(base, clock)
  const settledMs = nowMs - base.wallMs - passedSince(base, clock)
  if (base.leadMs === maxClockLeadMs || settledMs > base.leadMs) return settledMs
  // The machine was off for no longer than it may be: from here on the usual lead is measured.
  Object.assign(base, baseAt(clock, nowMs))
  return 0
}

/** A suspended machine's monotonic clock stands still while its uptime and its wall time go on. */
function noticeSuspend(base: Base, clock: Clock): void {
  if (base.uptimeMs === undefined || clock.uptimeMs === undefined) return
  const missedMs = clock.uptimeMs() - base.uptimeMs - passedSince(base, clock)
  if (missedMs > 0) base.monotonicMs -= missedMs
}

function passedSince(base: Base, clock: Clock): number {
  return clock.monotonicMs() - base.monotonicMs
}

function doubtOf(leadMs: number, maxLeadMs: number): string {
  const since = maxLeadMs === maxClockLeadMs ? "the time that has passed" : "the last record"
  return (
    `The clock is ${leadMs} ms ahead of ${since} (${maxLeadMs} are allowed); nothing is signed. ` +
    "Set the clock right; if it is right, run countersign clock accept."
  )
}
