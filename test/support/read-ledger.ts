import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

export type JournalEntry = {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly at_ms: number
  readonly row: Readonly<Record<string, unknown>>
}

/**
 * Reads the journal of a closed ledger and checks its chain by docs/ledger-schema.md alone, with nothing
 * of the daemon's own code. @throws at the first entry that doesn't follow.
 */
export function readLedger(file: string): readonly JournalEntry[] {
  let hash = Buffer.alloc(32)
  return query(file, "SELECT * FROM entries ORDER BY seq").map((columns, index) => {
    const text = columns["row"] as string
    hash = createHash("sha256").update(hash).update(Buffer.from(text, "utf8")).digest()
    const row = JSON.parse(text) as JournalEntry["row"]
    const { seq, id, kind, at_ms } = row as JournalEntry
    const isChained = hash.equals(columns["hash"] as Uint8Array)
    const isLabelled =
      columns["seq"] === seq &&
      columns["id"] === id &&
      columns["kind"] === kind &&
      at_ms === columns["at_ms"]
    if (!isChained || !isLabelled || seq !== index + 1)
      throw new Error(`entry ${index + 1} is broken`)
    return { seq, id, kind, at_ms, row }
  })
}

/** Runs one query on a closed ledger. */
export function query(file: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

/**
 * Counts the commits in a write-ahead log since its last reset: frames whose header holds the size of the
 * database after a commit, under the log's own salt (https://www.sqlite.org/fileformat2.html#walformat).
 */
export function countCommits(walFile: string): number {
  const wal = readFileSync(walFile)
  const frameBytes = 24 + wal.readUInt32BE(8)
  const salt = wal.subarray(16, 24)
  let commits = 0
  for (let start = 32; start + frameBytes <= wal.length; start += frameBytes) {
    if (!wal.subarray(start + 8, start + 16).equals(salt)) break
    if (wal.readUInt32BE(start + 4) !== 0) commits += 1
  }
  return commits
}
