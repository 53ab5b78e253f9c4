import type { DatabaseSync } from "node:sqlite"

import type { ArchivableStep, ArchiveBounds, JournalHead } from "../store/audit-queries.ts"
import { hexHead, readArchivedHead } from "./journal.ts"

/** Prepares the look at which entries after one may go into an archive, up to the first that stays; a step at a time. */
export function archivableSteps(
  database: DatabaseSync,
): (after: number, bounds: ArchiveBounds) => ArchivableStep {
  const read = database.prepare(
    `SELECT e.seq, e.hash, e.at_ms, r.counted_at, r.released_at, r.expires_after, h.expires_at, h.state
     FROM entries e
     LEFT JOIN requests r ON e.kind = 'request' AND r.id = e.id
     LEFT JOIN holds h ON e.kind = 'act' AND h.seq = e.seq
     WHERE e.seq > ? ORDER BY e.seq`,
  )
  return (after, bounds) => {
    const isOver = openTimeSlice()
    let last: JournalHead | undefined
    for (const columns of read.iterate(after)) {
      const entry = columns as Columns // our own STRICT tables
      const why = reasonToStay(entry, bounds)
      if (why !== undefined) return { last, end: { seq: entry.seq, why } }
      last = hexHead(entry)
      if (isOver()) return { last, end: undefined }
    }
    return { last, end: "journal_ends" }
  }
}

/** How long one step may hold the ledger's thread: commits wait for that long at most. */
const sliceMs = 4

/** Between looks at the clock, which costs about as much as an entry. */
const entriesBetween = 16

/** Begins a time slice: tells, asked after each entry, when it is over. */
function openTimeSlice(): () => boolean {
  const endMs = performance.now() + sliceMs
  let asked = 0
  return () => {
    asked += 1
    return asked % entriesBetween === 0 && performance.now() >= endMs
  }
}

type Columns = {
  readonly seq: number
  readonly hash: Uint8Array
  readonly at_ms: number
  readonly counted_at: number | null
  readonly released_at: number | null
  readonly expires_after: number | null
  readonly expires_at: number | null
  readonly state: string | null
}

function reasonToStay(
  entry: Columns,
  { beforeMs, countedSinceMs, nowMs }: ArchiveBounds,
): string | undefined {
  if (entry.at_ms >= beforeMs) return "young"
  if (isHeldOpen(entry, nowMs)) return "hold"
  if (entry.counted_at === null) return undefined
  // What was given back counts from when it was: see readForCounting.
  if (Math.max(entry.counted_at, entry.released_at ?? 0) >= countedSinceMs) return "limits"
  return (entry.expires_after ?? 0) > nowMs ? "valid" : undefined
}

function isHeldOpen({ state, expires_at }: Columns, nowMs: number): boolean {
  const isOpen = state === "pending" || state === "released"
  return isOpen && (expires_at ?? 0) > nowMs
}

/** How many entries a step removes: few enough to keep no commit waiting for long. */
const stepEntries = 200

/**
 * Prepares the removal of entries that are in an archive, with what follows from them alone. A step
 * removes some within the open transaction and returns how many; 0 when none are left. What stands, sets and last
 * nonces stay.
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
