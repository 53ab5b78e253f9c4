import { makeRecordId, timeOfId } from "../records/record-id.ts"
import type { ArchiveBounds, LedgerKey } from "../store/audit-queries.ts"
import type { LedgerStore } from "../store/store.ts"

/**
 * Proves and archives what was recorded in the ledger behind `store`. Every call is one short step among commits, so that
 * requests go on being signed however long the journal is; whoever wants more calls again. `audit/` reads the ledger by
 * itself. `flush` queues what is still only counted.
 */
export function ledgerAudit(store: LedgerStore, flush: () => void) {
  return {
    ends: () => store.run("journalEnds"),
    /** Entries after `after` that may go into an archive. */
    archivable: (after: number, bounds: ArchiveBounds) => store.run("archivable", after, bounds),
    /** Removes some of the entries that are in an archive; resolves with how many, 0 when none are left. */
    trim: () => store.run("trimArchived"),
    /** The file that a record or hold of this id is in if there ever was one. Ask once it isn't found here. */
    async archiveOf(id: string) {
      const atMs = timeOfId(id)
      return atMs === undefined ? undefined : store.run("archiveOf", atMs)
    },
    /** Signs the journal's head, unless it is a checkpoint itself. Durable when it resolves. */
    checkpoint(key: LedgerKey, nowMs: number) {
      flush()
      return store.run("signCheckpoint", key, { id: makeRecordId(nowMs), atMs: nowMs })
    },
  }
}
