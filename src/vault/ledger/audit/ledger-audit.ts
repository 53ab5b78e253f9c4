import { makeRecordId, timeOfId } from "../records/record-id.ts"
import type {
  ArchivablePage,
  ArchiveBounds,
  JournalEnds,
  LedgerKey,
} from "../store/audit-queries.ts"
import type { LedgerStore } from "../store/store.ts"

/**
 * Proving and archiving what was recorded. Every call is one short step among commits, so that requests go on
 * being signed however long the journal is; whoever wants more calls again. `audit/` reads the ledger by itself.
 */
export type LedgerAudit = {
  ends(): Promise<JournalEnds>
  /** Entries after `after` that may go into an archive. */
  archivable(after: number, bounds: ArchiveBounds): Promise<ArchivablePage>
  /** Removes some of the entries that are in an archive; returns how many, 0 when none are left. */
  trim(): Promise<number>
  /** The file that a record or hold of this id is in if there ever was one. Ask once it isn't found here. */
  archiveOf(id: string): Promise<string | undefined>
  /** Signs the journal's head, unless it is a checkpoint itself. Durable when it resolves. */
  checkpoint(key: LedgerKey, nowMs: number): Promise<boolean>
}

/** The audit of the ledger behind `store`. `flush` queues what is still only counted. */
export function ledgerAudit(store: LedgerStore, flush: () => void): LedgerAudit {
  return {
    ends: () => store.run("journalEnds"),
    archivable: (after, bounds) => store.run("archivable", after, bounds),
    trim: () => store.run("trimArchived"),
    async archiveOf(id) {
      const atMs = timeOfId(id)
      return atMs === undefined ? undefined : store.run("archiveOf", atMs)
    },
    checkpoint(key, nowMs) {
      flush()
      return store.run("signCheckpoint", key, { id: makeRecordId(nowMs), atMs: nowMs })
    },
  }
}
