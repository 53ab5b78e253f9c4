import type { DatabaseSync } from "node:sqlite"

import { readArchivedHead } from "./journal.ts"

/** How many entries a step removes: few enough to keep no commit waiting for long. */
const stepEntries = 200

/**
 * Prepares the removal of entries that are in an archive, with what follows from them alone. A step
 * removes some within the open transaction and returns how many; 0 when none are left. Keys, clients,
 * prices, sets and last nonces stay.
 */
export function archivedTrimmer(database: DatabaseSync): () => number {
  const read = database.prepare(
    `SELECT seq, id, kind FROM entries WHERE seq <= ? ORDER BY seq LIMIT ${stepEntries}`,
  )
  const byKind = new Map([
    ["request", database.prepare("DELETE FROM requests WHERE id = ?")],
    ["refusal", database.prepare("DELETE FROM refusals WHERE id = ?")],
    ["shadow", database.prepare("DELETE FROM shadows WHERE seq = ?")],
    ["act", database.prepare("DELETE FROM holds WHERE seq = ?")],
  ])
  const remove = database.prepare("DELETE FROM entries WHERE seq = ?")
  return () => {
    const entries = read.all(readArchivedHead(database).seq)
    for (const { seq, id, kind } of entries) {
      const isById = kind === "request" || kind === "refusal"
      byKind.get(String(kind))?.run(isById ? (id ?? null) : (seq ?? null))
      remove.run(seq ?? null)
    }
    return entries.length
  }
}

/** The newest archive that may hold entries of the moment `atMs`, by its file's name. */
export function findArchive(database: DatabaseSync, atMs: number): string | undefined {
  const found = database
    .prepare("SELECT file FROM archives WHERE from_ms <= ?1 AND to_ms >= ?1 ORDER BY seq DESC")
    .get(atMs)
  return found?.["file"] as string | undefined // our own STRICT table
}
