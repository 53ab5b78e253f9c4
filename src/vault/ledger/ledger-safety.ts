import type { Address } from "../../venue/address.ts"
import type { ClockGuard } from "./clock-guard.ts"
import type { CommitQueue } from "./commit-queue.ts"
import type { Nonces } from "./nonces.ts"
import {
  noMarks,
  openSignerMarks,
  restoredSentence,
  type JournalHead,
  type SignerFloor,
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
