import type { Address } from "../../../venue/address.ts"
import type { Lane } from "../../../venue/payload/lane.ts"
import {
  type Clock,
  maxClockLeadMs,
  type LedgerClock,
  type LedgerTime,
} from "../../process/clock.ts"
import { openSteadyTime } from "../meters/limits.ts"
import type { SignerFloor } from "../records/signer-floor.ts"
import type { JournalHead } from "../store/audit-jobs.ts"
import type { LedgerStore } from "../store/store.ts"
import { noMarks, openSignerMarks, type OpenSigner, type SignerMarks } from "./signer-marks.ts"

/** What keeps nonces from repeating when more than a crash went wrong: copies, restores and clocks; and a probe. */
export type LedgerSafety = {
  /**
   * Takes a signer for this ledger alone; it signs nothing before. Safe to call twice.
   *
   * @throws {Fault} `already_running`, `file_unsafe`, `ledger_unavailable`.
   */
  claim(signer: Address): Promise<void>
  /** Why wall time isn't believed, in a sentence that says what to do. */
  doubt(): string | undefined
  /** That the clock was set back so far that the ledger's time waits for it, in a sentence. */
  clockWarning(): string | undefined
  /** Goes by wall time from now on; record it in the same turn. */
  acceptClock(): LedgerTime
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

/** Puts the guards of a ledger together. Without `signers` there are no marks. */
export function openSafety(parts: {
  readonly store: LedgerStore
  readonly nonces: Nonces
  readonly time: LedgerClock
  readonly ledger: string
  readonly signers: OpenSigner | undefined
}): { readonly safety: LedgerSafety; readonly marks: SignerMarks } {
  const { store, nonces, time, ledger, signers } = parts
  const standing = {
    ledger,
    head: () => headOf(store),
    has: (head: JournalHead) => hasEntry(store, head),
    lastNonce: (signer: Address) => nonces.last(signer),
  }
  const marks = signers === undefined ? noMarks : openSignerMarks(signers, standing)
  const safety: LedgerSafety = {
    claim: async (signer) => nonces.raise(signer, await marks.claim(signer)),
    doubt: () => time.doubt(),
    clockWarning: () => warningOf(time.behindMs()),
    acceptClock: () => time.accept(),
    waiting: () => marks.waiting(),
    acceptRestore: (name) => marks.accept(name),
    async probe(nowMs) {
      await store.run({ kind: "probe", nowMs })
    },
    copy: (to) => store.copy(to),
  }
  return { safety, marks }
}

/** A set-back as small as a lead that is believed needs nobody. */
function warningOf(behindMs: number): string | undefined {
  if (behindMs <= maxClockLeadMs) return undefined
  return (
    `The clock was set back: it lies ${Math.round(behindMs / 1_000)} s behind the ledger's time, by which everything here ends and what is signed expires. ` +
    "If the clock is right, run countersign clock accept; else set it."
  )
}

function headOf(store: LedgerStore): JournalHead {
  const { seq, hash } = store.head()
  return { seq, hash: Buffer.from(hash).toString("hex") }
}

/** What is in an archive can't be compared any more; that it was archived is later than the mark. */
async function hasEntry(store: LedgerStore, { seq, hash }: JournalHead): Promise<boolean> {
  const last = headOf(store)
  if (seq >= last.seq) return seq === last.seq && hash === last.hash
  const { archivedSeq, archivedHash } = await store.run({ kind: "audit_ends" })
  if (seq <= archivedSeq) return seq < archivedSeq || hash === archivedHash
  const { entries } = await store.run({
    kind: "audit_page",
    from: { after: seq - 1 },
    limit: 1,
    filter: {},
  })
  const [entry] = entries
  return entry?.seq === seq && Buffer.from(entry.hash).toString("hex") === hash
}

/** How far a nonce may lie ahead of the clock. The last 250 ms are kept for what reduces risk: a signer has many bots. */
export const maxNonceLeadMs = { open: 1_000, reduce: 1_250, cancel: 1_250 } as const

export type NextNonce =
  | { readonly kind: "next"; readonly nonce: number }
  | { readonly kind: "too_fast"; readonly retryAfterMs: number }

/** Hands out nonces. Each is above all earlier ones of its signer, whatever the clock does. */
export type Nonces = {
  /** The last one that was taken. */
  last(signer: Address): number | undefined
  /** Every nonce of the signer is above `floor` from now on. */
  raise(signer: Address, floor: number): void
  /** The one that the signer's next request has. Not used until `used` says so. */
  next(signer: Address, nowMs: LedgerTime, lane: Lane): NextNonce
  /** A request whose row is appended in this turn has it. */
  used(signer: string, nonce: number): void
}

/**
 * Goes on from the last durable nonces: max(now, last + 1) for each signer.
 *
 * The pace is measured by the highest time seen, carried on by the monotonic clock, and not by wall time
 * itself: a clock that was set back would otherwise stop a signer until it caught up.
 */
export function openNonces(
  clock: Pick<Clock, "monotonicMs">,
  startMs: LedgerTime,
  lastNonces: ReadonlyMap<string, number>,
): Nonces {
  const last = new Map<string, number>()
  const steady = openSteadyTime(clock, startMs)

  function raise(signer: string, floor: number): void {
    if (floor === 0) return // nothing was ever signed, or it was raised before
    last.set(signer, Math.max(floor, last.get(signer) ?? 0))
    // Further ahead than orders run: the clock was set back since, or a mark was written ahead of need.
    if (floor - steady.now() > maxNonceLeadMs.open) steady.at(floor)
  }

  for (const [signer, nonce] of lastNonces) raise(signer, nonce)
  return {
    last: (signer) => last.get(signer),
    raise,
    next(signer, nowMs, lane) {
      const nonce = Math.max(nowMs, (last.get(signer) ?? 0) + 1)
      const leadMs = nonce - steady.at(nowMs)
      if (leadMs > maxNonceLeadMs[lane]) {
        return { kind: "too_fast", retryAfterMs: leadMs - maxNonceLeadMs[lane] }
      }
      return { kind: "next", nonce }
    },
    used: (signer, nonce) => void last.set(signer, Math.max(nonce, last.get(signer) ?? 0)),
  }
}
