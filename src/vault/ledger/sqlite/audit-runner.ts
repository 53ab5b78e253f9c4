import type { DatabaseSync } from "node:sqlite"

import { checkpointRow } from "../audit/checkpoint.ts"
import type { AuditQueries, JournalEnds } from "../store/audit-queries.ts"
import { archivableSteps, archivedTrimmer, findArchive } from "./archivable.ts"
import { hexHead, readArchivedHead, type Journal } from "./journal.ts"
import type { WriteRow } from "./projections.ts"

/** Prepares these queries. Within the open transaction. */
export function auditQueries(
  database: DatabaseSync,
  journal: Journal,
  writeRow: WriteRow,
): AuditQueries {
  return {
    journalEnds: () => readEnds(database, journal),
    hashAt: (seq) => readHash(database, seq),
    archivable: archivableSteps(database),
    trimArchived: archivedTrimmer(database),
    archiveOf: (atMs) => findArchive(database, atMs),
    signCheckpoint(key, at) {
      if ((readEnds(database, journal).checkpoint?.seq ?? 0) === journal.length()) return false
      writeRow(checkpointRow(journal.head(), key, at))
      return true
    },
  }
}

function readEnds(database: DatabaseSync, journal: Journal): JournalEnds {
  return {
    ...hexHead(journal.head()),
    archived: hexHead(readArchivedHead(database)),
    checkpoint: readLastCheckpoint(database),
  }
}

function readHash(database: DatabaseSync, seq: number): string | undefined {
  const entry = database.prepare("SELECT hash FROM entries WHERE seq = ?").get(seq)
  return entry && hex(entry["hash"] as Uint8Array) // our own STRICT table
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
