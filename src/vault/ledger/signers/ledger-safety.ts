import { Fault } from "../../../std/fault.ts"
import type { Address } from "../../../venue/address.ts"
import type { Clock } from "../../process/clock.ts"
import { openSteadyTime } from "../meters/limits.ts"
import type { ClockReading } from "../records/clock-reading.ts"
import type { SignerFloor } from "../records/signer-floor.ts"
import type { CommitQueue } from "../store/commit-queue.ts"
import {
  noMarks,
  openSignerMarks,
  restoredSentence,
  type JournalHead,
  type SignerMarks,
} from "./signer-marks.ts"

/** Why nothing is signed though keys and policy are there, and a sentence that says what to do. */
export type Standstill = {
  readonly state: "clock_unsafe" | "restore_unaccepted"
  readonly message: string
}

/** What keeps nonces from repeating when more than a crash went wrong: copies, restores and clocks; and a probe. */
export type LedgerSafety = {
  /**
   * Takes a signer for this ledger alone; it signs nothing before. Safe to call twice.
   *
   * @throws {Fault} `already_running`, `file_unsafe`, `ledger_unavailable`.
   */
  claim(signer: Address): Promise<void>
  /** What an operator has to look at; empty when all is well. */
  standstills(nowMs: number): readonly Standstill[]
  /** Wall time where it can be believed; else the last that could, carried on. */
  believed(nowMs: number): number
  /** Believes wall time from now on; record it in the same turn. */
  acceptClock(nowMs: number): void
  /** The signers that wait since their ledger was restored, and the nonces that they go on above. */
  waiting(): readonly SignerFloor[]
  /** Lets them go on, once the act that names the ledger `name` is durable. */
  acceptRestore(name: string): Promise<void>
  /**
   * Writes a row that is no entry and that nothing follows from; durable when it resolves. It fails, and the
   * ledger is broken then, exactly where recording a request would.
   */
  probe(nowMs: number): Promise<void>
  /** Copies the ledger into the empty file `to`, while requests go on. @throws {Fault} `ledger_unavailable`. */
  copy(to: string): Promise<void>
}

/** Puts the guards of a ledger together. Without a directory there are no marks. */
export function openSafety(parts: {
  readonly queue: CommitQueue
  readonly nonces: Nonces
  readonly guard: ClockGuard
  readonly ledger: string
  readonly signerDir: string | undefined
}): { readonly safety: LedgerSafety; readonly marks: SignerMarks } {
  const { queue, nonces, guard, ledger, signerDir } = parts
  const standing = {
    ledger,
    head: () => headOf(queue),
    has: (head: JournalHead) => hasEntry(queue, head),
    lastNonce: (signer: Address) => nonces.last(signer),
  }
  const marks = signerDir === undefined ? noMarks : openSignerMarks(signerDir, standing)
  const safety: LedgerSafety = {
    claim: async (signer) => nonces.raise(signer, await marks.claim(signer)),
    standstills(nowMs) {
      const doubt = guard.doubt(nowMs)
      const isRestored = marks.waiting().length > 0
      return [
        ...(doubt === undefined ? [] : [{ state: "clock_unsafe" as const, message: doubt }]),
        ...(isRestored
          ? [{ state: "restore_unaccepted" as const, message: restoredSentence }]
          : []),
      ]
    },
    believed: (nowMs) => guard.believed(nowMs),
    acceptClock: (nowMs) => guard.accept(nowMs),
    waiting: () => marks.waiting(),
    acceptRestore: (name) => marks.accept(name),
    async probe(nowMs) {
      await queue.run({ kind: "probe", nowMs })
    },
    copy: (to) => queue.copy(to),
  }
  return { safety, marks }
}

function headOf(queue: CommitQueue): JournalHead {
  const { seq, hash } = queue.head()
  return { seq, hash: Buffer.from(hash).toString("hex") }
}

/** What is in an archive can't be compared any more; that it was archived is later than the mark. */
async function hasEntry(queue: CommitQueue, { seq, hash }: JournalHead): Promise<boolean> {
  const last = headOf(queue)
  if (seq >= last.seq) return seq === last.seq && hash === last.hash
  const { archivedSeq, archivedHash } = await queue.run({ kind: "audit_ends" })
  if (seq <= archivedSeq) return seq < archivedSeq || hash === archivedHash
  const { entries } = await queue.run({
    kind: "audit_page",
    from: { after: seq - 1 },
    limit: 1,
    filter: {},
  })
  const [entry] = entries
  return entry?.seq === seq && Buffer.from(entry.hash).toString("hex") === hash
}

/** How far a nonce may lie ahead of the clock. */
export const maxNonceLeadMs = 1_000

export type NonceTaken =
  | { readonly kind: "taken"; readonly nonce: number }
  | { readonly kind: "too_fast"; readonly retryAfterMs: number }

/** Hands out nonces. Each is above all earlier ones of its signer, whatever the clock does. */
export type Nonces = {
  /** @throws {Fault} `clock_unsafe` when wall time has run too far ahead. */
  assertClockSafe(nowMs: number): void
  /** The last one that was taken. */
  last(signer: Address): number | undefined
  /** Every nonce of the signer is above `floor` from now on. */
  raise(signer: Address, floor: number): void
  /** @throws {Fault} `clock_unsafe`; no nonce is taken then. */
  take(signer: Address, nowMs: number): NonceTaken
}

/**
 * Goes on from the last durable nonces: max(now, last + 1) for each signer.
 *
 * The pace is measured by the highest time seen, carried on by the monotonic clock, and not by wall time
 * itself: a clock that was set back would otherwise stop a signer until it caught up.
 */
export function openNonces(
  clock: Clock,
  guard: ClockGuard,
  lastNonces: ReadonlyMap<string, number>,
): Nonces {
  const last = new Map<string, number>()
  const steady = openSteadyTime(clock, guard.believed(clock.nowMs()))

  function raise(signer: string, floor: number): void {
    if (floor === 0) return // nothing was ever signed
    last.set(signer, Math.max(floor, last.get(signer) ?? 0))
    // No nonce was ever further ahead than the lead; if one is now, the clock was set back since.
    if (floor - steady.now() > maxNonceLeadMs) steady.at(floor)
  }

  for (const [signer, nonce] of lastNonces) raise(signer, nonce)
  return {
    assertClockSafe: (nowMs) => guard.assertSafe(nowMs),
    last: (signer) => last.get(signer),
    raise,
    take(signer, nowMs) {
      guard.assertSafe(nowMs)
      const nonce = Math.max(nowMs, (last.get(signer) ?? 0) + 1)
      const leadMs = nonce - steady.at(nowMs)
      if (leadMs > maxNonceLeadMs) {
        return { kind: "too_fast", retryAfterMs: leadMs - maxNonceLeadMs }
      }
      last.set(signer, nonce)
      return { kind: "taken", nonce }
    },
  }
}

/** How far wall time may run ahead of the time that has passed. */
export const maxClockLeadMs = 10_000
/** How far it may have run on while the machine was off, unless countersign.yaml says otherwise. */
const usualMaxStartGapMs = 7 * 86_400_000

/** Tells whether wall time can be believed. Only a lead is dangerous: a clock that was set back never stops signing. */
export type ClockGuard = {
  /** @throws {Fault} `clock_unsafe` when wall time has run too far ahead. */
  assertSafe(nowMs: number): void
  /** Why wall time isn't believed, in a sentence. */
  doubt(nowMs: number): string | undefined
  /** Wall time where it is believed; else what it was believed to be last, carried on. */
  believed(nowMs: number): number
  /** What the ledger keeps with a commit; `undefined` in doubt, and where the machine doesn't tell its uptime. */
  readonly reading: () => ClockReading | undefined
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
