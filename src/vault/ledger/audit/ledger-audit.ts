import { makeRecordId, timeOfId } from "../records/record-id.ts"
import type {
  AboutEntry,
  ArchivablePage,
  ArchiveBounds,
  ChainPosition,
  CheckStep,
  EntryAsk,
  EntryPage,
  JournalEnds,
  LedgerKey,
  TablesCursor,
  TablesStep,
} from "../store/audit-queries.ts"
import type { LedgerStore } from "../store/store.ts"

/**
 * Reading, proving and archiving what was recorded. Every call is one short step among commits, so that
 * requests go on being signed however long the journal is; whoever wants more calls again.
 */
export type LedgerAudit = {
  ends(): Promise<JournalEnds>
  page(ask: EntryAsk): Promise<EntryPage>
  /** A request, refusal or hold by id, or an entry by its number. */
  about(id: string): Promise<AboutEntry | undefined>
  /** Checks entries from `from` on; `null` begins where the journal does. */
  check(from: ChainPosition | null, maxEntries: number): Promise<CheckStep>
  /** Checks, after the entries, that the tables say nothing that the journal doesn't. */
  checkTables(from: TablesCursor | null, position: ChainPosition): Promise<TablesStep>
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
    page: (ask) => store.run("entryPage", ask),
    about: (id) => store.run("entryAbout", id),
    check: (from, maxEntries) => store.run("checkEntries", from, maxEntries),
    checkTables: (from, position) => store.run("checkTables", from, position),
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
