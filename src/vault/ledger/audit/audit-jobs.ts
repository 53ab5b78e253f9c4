import type { DatabaseSync } from "node:sqlite"

import { readArchivedHead, type Journal } from "../store/journal.ts"
import type { WriteRow } from "../store/projections.ts"
import { readRecentDecisions, type RecentDecisions } from "../store/recent-decisions.ts"
import {
  archivablePager,
  type ArchivablePage,
  type ArchiveBounds,
  archivedTrimmer,
  findArchive,
} from "./archivable.ts"
import type { ChainPosition } from "./chain-check.ts"
import { entryChecker, type CheckStep } from "./check-entries.ts"
import { tablesChecker, type TablesCursor, type TablesStep } from "./check-tables.ts"
import { checkpointRow, type LedgerKey } from "./checkpoint.ts"
import {
  entryFinder,
  entryPager,
  type AboutEntry,
  type EntryAsk,
  type EntryPage,
} from "./entry-pages.ts"

/** What the worker does for those who read, prove or archive the journal. */
export type AuditJob =
  | { readonly kind: "audit_ends" }
  | ({ readonly kind: "audit_page" } & EntryAsk)
  | { readonly kind: "audit_about"; readonly id: string }
  | {
      readonly kind: "audit_check"
      readonly from: ChainPosition | null
      readonly maxEntries: number
    }
  | {
      readonly kind: "audit_check_tables"
      readonly from: TablesCursor | null
      readonly position: ChainPosition
    }
  | {
      readonly kind: "audit_archivable"
      readonly after: number
      readonly bounds: ArchiveBounds
    }
  | { readonly kind: "audit_decisions"; readonly limit: number }
  | { readonly kind: "audit_trim" }
  | { readonly kind: "audit_archive_of"; readonly atMs: number }
  | {
      readonly kind: "audit_checkpoint"
      readonly key: LedgerKey
      readonly id: string
      readonly atMs: number
    }

export type AuditResults = {
  readonly audit_ends: JournalEnds
  readonly audit_page: EntryPage
  readonly audit_about: AboutEntry | undefined
  readonly audit_check: CheckStep
  readonly audit_check_tables: TablesStep
  readonly audit_archivable: ArchivablePage
  readonly audit_decisions: RecentDecisions
  readonly audit_trim: number
  readonly audit_archive_of: string | undefined
  /** Whether there was anything new to sign. */
  readonly audit_checkpoint: boolean
}

/** Where the journal begins and ends, and what it has of checkpoints and archives. */
export type JournalEnds = {
  readonly seq: number
  /** Hex. */
  readonly hash: string
  /** The last entry that is in an archive; 0 for none. */
  readonly archivedSeq: number
  readonly archivedHash: string
  readonly archivedAtMs: number | undefined
  readonly checkpoint:
    { readonly seq: number; readonly atMs: number; readonly publicKey: string } | undefined
}

/** Whether a job is one of these. */
export function isAuditJob<Job extends { readonly kind: string }>(
  job: Job,
): job is Extract<Job, AuditJob> {
  return job.kind.startsWith("audit_")
}

/** Prepares these jobs. Within the open transaction. */
export function auditRunner(database: DatabaseSync, journal: Journal, writeRow: WriteRow) {
  const findPage = entryPager(database)
  const findAbout = entryFinder(database)
  const check = entryChecker(database, () => journal.head())
  const checkTables = tablesChecker(database)
  const findArchivable = archivablePager(database)
  const trim = archivedTrimmer(database)
  return (job: AuditJob): AuditResults[AuditJob["kind"]] => {
    switch (job.kind) {
      case "audit_ends":
        return readEnds(database, journal)
      case "audit_page":
        return findPage(job)
      case "audit_about":
        return findAbout(job.id)
      case "audit_check":
        return check(job.from, job.maxEntries)
      case "audit_check_tables":
        return checkTables(job.from, job.position)
      case "audit_archivable":
        return findArchivable(job.after, job.bounds)
      case "audit_decisions":
        return readRecentDecisions(database, job.limit)
      case "audit_trim":
        return trim()
      case "audit_archive_of":
        return findArchive(database, job.atMs)
      case "audit_checkpoint":
        if ((readEnds(database, journal).checkpoint?.seq ?? 0) === journal.length()) return false
        writeRow(checkpointRow(journal.head(), job.key, job))
        return true
    }
  }
}

function readEnds(database: DatabaseSync, journal: Journal): JournalEnds {
  const checkpoint = database.prepare("SELECT * FROM checkpoints ORDER BY seq DESC LIMIT 1").get()
  const archive = database.prepare("SELECT at_ms FROM archives ORDER BY seq DESC LIMIT 1").get()
  const archived = readArchivedHead(database)
  const head = journal.head()
  return {
    seq: head.seq,
    hash: hex(head.hash),
    archivedSeq: archived.seq,
    archivedHash: hex(archived.hash),
    // Our own STRICT tables.
    archivedAtMs: archive?.["at_ms"] as number | undefined,
    checkpoint: checkpoint && {
      seq: checkpoint["seq"] as number,
      atMs: checkpoint["at_ms"] as number,
      publicKey: checkpoint["public_key"] as string,
    },
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
