import type { DatabaseSync } from "node:sqlite"

import { checkpointRow } from "../audit/checkpoint.ts"
import type { AuditJob, AuditResults, JournalEnds } from "../store/audit-jobs.ts"
import { archivablePager, archivedTrimmer, findArchive } from "./archivable.ts"
import { entryChecker } from "./check-entries.ts"
import { tablesChecker } from "./check-tables.ts"
import { entryFinder, entryPager } from "./entry-pages.ts"
import { readArchivedHead, type Journal } from "./journal.ts"
import type { WriteRow } from "./projections.ts"

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
    checkpoint: readLastCheckpoint(database),
  }
}

export function readLastCheckpoint(database: DatabaseSync): JournalEnds["checkpoint"] {
  const checkpoint = database.prepare("SELECT * FROM checkpoints ORDER BY seq DESC LIMIT 1").get()
  return (
    checkpoint && {
      // Our own STRICT tables.
      seq: checkpoint["seq"] as number,
      atMs: checkpoint["at_ms"] as number,
      publicKey: checkpoint["public_key"] as string,
    }
  )
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
