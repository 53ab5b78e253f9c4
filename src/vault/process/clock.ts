import { readFileSync } from "node:fs"
import { uptime } from "node:os"

import { Fault } from "../../std/fault.ts"

/** The clocks of a machine: one tells the time and can be set, the others only ever run on. */
export type Clock = {
  /** Milliseconds since 1970, a whole number. */
  readonly nowMs: () => number
  /** Milliseconds since any fixed moment, a whole number; never goes back. It may stand still in a suspend. */
  readonly monotonicMs: () => number
  /** Milliseconds since the machine started, its suspends among them; left out where it isn't known. */
  readonly uptimeMs?: () => number
  /** Names the run of the machine since it started last. */
  readonly bootId?: () => string | undefined
}

/** Names the run of a Linux machine: random, made anew at each start (random(4)). */
export const bootIdFile = "/proc/sys/kernel/random/boot_id"

/** The clocks of this machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Math.floor(performance.now()),
  // Node reads /proc/uptime, which counts the time of a suspend.
  uptimeMs: () => Math.floor(uptime() * 1_000),
  bootId: readBootId,
}

function readBootId(): string | undefined {
  try {
    return readFileSync(bootIdFile, "utf8").trim()
  } catch {
    return undefined // no Linux; then every start counts as one of the machine
  }
}

/** Wall time and the machine's uptime at one moment, as the ledger keeps them. */
export type ClockReading = {
  readonly wallMs: number
  readonly uptimeMs: number
  readonly bootId: string
}

declare const made: unique symbol

/**
 * Milliseconds since 1970, by the one time that the vault goes by; made in this file alone. It follows wall time
 * as long as that can be believed, and is never earlier than it was. Whatever ends (a raise, a hold, a
 * release, an approval, a price, an idempotency key, a signed body) ends by it: a number of another clock
 * doesn't compile where that is judged.
 */
export type LedgerTime = number & { readonly [made]: never }

/** A time that the ledger recorded: its own, as it was then. */
export function recordedTime(ms: number): LedgerTime {
  return ms as LedgerTime
}

/** How far wall time may run ahead of the time that has passed. */
export const maxClockLeadMs = 10_000
/** How far it may have run on while the machine was off, unless countersign.yaml says otherwise. */
const usualMaxStartGapMs = 7 * 86_400_000
/** How fast the ledger's time goes on while it waits for a clock that was set back. */
const waitingPace = 0.9

/** Makes the ledger's time, and tells whether wall time can be believed. A clock that was set back never stops signing. */
export type LedgerClock = ReturnType<typeof openLedgerClock>

/** Where the lead of wall time is counted from. `leadMs` is how much of it is believed. */
type Base = { wallMs: number; monotonicMs: number; uptimeMs: number | undefined; leadMs: number }

/**
 * Measures wall time from `last`, the reading that the ledger kept, on: against the uptime if the machine
 * ran on since, else against `maxStartGapMs`. Time goes on from that reading too.
 */
export function openLedgerClock(input: {
  readonly clock: Clock
  readonly last: ClockReading | undefined
  readonly maxStartGapMs?: number | undefined
}) {
  const { clock, last, maxStartGapMs = usualMaxStartGapMs } = input
  const bootId = clock.bootId?.()
  const base = openBase(clock, { last, bootId, maxStartGapMs })
  const oneWay = openOneWay(clock, base.wallMs)
  const leadMs = (): number => settledLead(base, clock)

  const believedMs = (): number =>
    leadMs() > base.leadMs ? base.wallMs + passedSince(base, clock) : clock.nowMs()
  const now = (): LedgerTime => oneWay.at(believedMs())
  const doubt = (): string | undefined => {
    const ms = leadMs()
    return ms > base.leadMs ? doubtOf(ms, base.leadMs) : undefined
  }
  const behindMs = (): number => Math.max(0, now() - believedMs())
  now()
  return {
    /** Wall time where it is believed; else the last that could be, carried on by the monotonic clock. */
    now,
    /** Why wall time isn't believed, in a sentence. */
    doubt,
    /** @throws {Fault} `clock_unsafe` while wall time isn't believed. */
    assertSafe(): void {
      const why = doubt()
      if (why !== undefined) throw new Fault("clock_unsafe", why)
    },
    /** How far wall time lies behind, for it was set back; 0 where it doesn't. */
    behindMs,
    /** That it lies so far behind that the ledger's time waits for it, in a sentence. */
    warning: () => warningOf(behindMs()),
    /** What the ledger keeps with a commit. */
    reading: () => ({
      // Unlike time itself it needn't wait for a clock that was set back: setting that right is no leap then.
      wallMs: Math.max(now(), base.wallMs + passedSince(base, clock)),
      uptimeMs: (base.uptimeMs ?? 0) + passedSince(base, clock),
      bootId: base.uptimeMs === undefined ? "" : (bootId ?? ""),
    }),
    /** Wall time; and less the time that runs on by itself, which is another once the clock was set. */
    wall: () => wallOf(clock),
    /** Goes by wall time as it is now, back too: an operator has looked at it. */
    accept(): LedgerTime {
      Object.assign(base, baseAt(clock, clock.nowMs()))
      return oneWay.setTo(base.wallMs)
    },
  }
}

function wallOf(clock: Clock) {
  const now = clock.nowMs()
  return { now, offset_ms: now - clock.monotonicMs() }
}

/** Never goes back: ahead of the wall clock it runs slower, until that has caught up. */
function openOneWay(clock: Pick<Clock, "monotonicMs">, startMs: number) {
  let timeMs = startMs
  let seenMs = clock.monotonicMs()
  const setTo = (ms: number): LedgerTime => {
    timeMs = ms
    seenMs = clock.monotonicMs()
    return Math.floor(timeMs) as LedgerTime
  }
  return {
    setTo,
    at: (wallMs: number) =>
      setTo(Math.max(wallMs, timeMs + (clock.monotonicMs() - seenMs) * waitingPace)),
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

/** The lead of wall time, once a suspend is taken into account and a gap that may be is closed. */
function settledLead(base: Base, clock: Clock): number {
  const nowMs = clock.nowMs()
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
    `The clock is ${leadMs} ms ahead of ${since} (${maxLeadMs} are allowed); only cancels and reduce-only orders are signed. ` +
    "Set the clock right; if it is right, run countersign clock accept."
  )
}

/** A set-back as small as a lead that is believed needs nobody. */
function warningOf(behindMs: number): string | undefined {
  if (behindMs <= maxClockLeadMs) return undefined
  return (
    `The clock was set back: it lies ${Math.round(behindMs / 1_000)} s behind the ledger's time, by which everything here ends and what is signed expires. ` +
    "If the clock is right, run countersign clock accept; else set it."
  )
}

/** Wall time that never goes back: the highest time seen, carried on by the monotonic clock. It starts at `startMs`. */
export function openSteadyTime(clock: Pick<Clock, "monotonicMs">, startMs: number) {
  let highestOverMonotonicMs = startMs - clock.monotonicMs()
  const now = () => clock.monotonicMs() + highestOverMonotonicMs
  return {
    /** The time once wall time was `nowMs`. A clock that was set back is not followed, nor does time stop. */
    at(nowMs: number): number {
      highestOverMonotonicMs = Math.max(highestOverMonotonicMs, nowMs - clock.monotonicMs())
      return now()
    },
    /** The time by the highest wall time seen so far. */
    now,
  }
}
