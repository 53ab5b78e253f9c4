import type { DatabaseSync } from "node:sqlite"

import { compareDecimals } from "../../../venue/decimal.ts"
import { readDecimal } from "../records/prices.ts"
import type { ChainPosition, Flaw, TablesCursor, TablesStep } from "../store/audit-queries.ts"
import { unreadable } from "./check-entries.ts"
import { readArchivedHead } from "./journal.ts"

/** How many rows a step looks at: a few milliseconds. */
const stepRows = 2_000

const tables = ["requests", "refusals"] as const

/** Tables with a row for some entries alone, found by their key. */
const others = ["standing", "holds", "shadows", "checkpoints", "archives"]

/**
 * Prepares the check that the tables say nothing that the journal doesn't, in steps. It begins with
 * `null` and is for the end of a check of entries, which `position` is.
 */
export function tablesChecker(
  database: DatabaseSync,
): (from: TablesCursor | null, position: ChainPosition) => TablesStep {
  const find = {
    requests: orphanFinder(database, "requests", "request"),
    refusals: orphanFinder(database, "refusals", "refusal"),
  }
  const step = (from: TablesCursor | null, position: ChainPosition): TablesStep => {
    const flaw = from === null ? wholeFlaw(database, position) : null
    if (flaw !== null) return { next: null, flaw }
    const cursor = from ?? { table: "requests", rowid: firstRowid(database, "requests") }
    const last = cursor.rowid + stepRows
    const orphan = find[cursor.table](cursor.rowid, last)
    if (orphan !== undefined) return { next: null, flaw: orphan }
    if (last < lastRowid(database, cursor.table)) return { next: { ...cursor, rowid: last }, flaw }
    const following = tables[tables.indexOf(cursor.table) + 1]
    if (following === undefined) return { next: null, flaw }
    return { next: { table: following, rowid: firstRowid(database, following) }, flaw }
  }
  return (from, position) => {
    try {
      return step(from, position)
    } catch (error) {
      return { next: null, flaw: unreadable(error, position.seq) }
    }
  }
}

/** What takes no time to check. */
function wholeFlaw(database: DatabaseSync, position: ChainPosition): Flaw | null {
  const flaw = archiveFlaw(database, position) ?? nonceFlaw(database, position)
  return flaw ?? everFlaw(database, position) ?? tailFlaw(database)
}

/** That entries are in an archive is for the journal to say, not for a table alone. */
function archiveFlaw(database: DatabaseSync, { archived, seq }: ChainPosition): Flaw | null {
  const start = readArchivedHead(database)
  if (maxOf(database, "archives", "seq") > seq) return null // archived since
  if (start.seq === (archived?.last_seq ?? 0)) {
    if (start.seq === 0) return null
    if (Buffer.from(start.hash).toString("hex") === archived?.last_hash) return null
  }
  const what = `the table archives says that entries up to ${start.seq} are archived, and no act in the journal does`
  return { seq: Math.min(start.seq, seq) + 1, id: null, what }
}

function nonceFlaw(database: DatabaseSync, { nonces, seq }: ChainPosition): Flaw | null {
  const read = database.prepare("SELECT last_nonce FROM signers WHERE address = ?")
  const signer = Object.keys(nonces).find((address) => {
    const last = read.get(address)?.["last_nonce"]
    return typeof last !== "number" || last < (nonces[address] ?? 0)
  })
  if (signer === undefined) return null
  const what = `the table signers has a lower nonce of ${signer} than the journal up to here, so one could be used twice`
  return { seq, id: null, what }
}

/** Sums only rise, and the table may be ahead of a position. */
function everFlaw(database: DatabaseSync, { ever, seq }: ChainPosition): Flaw | null {
  const read = database.prepare("SELECT used FROM ever_sums WHERE meter = ?")
  const isLess = ([meter, used]: readonly [string, string]): boolean => {
    const kept = (read.get(meter)?.["used"] ?? "0") as string // our own STRICT table
    return compareDecimals(readDecimal(kept), readDecimal(used)) < 0
  }
  const lost = Object.entries(ever).find(isLess)
  if (lost === undefined) return null
  const what = `the table ever_sums has less of ${lost[0]} than the journal up to here, so a limit has too much room`
  return { seq, id: null, what }
}

/** Rows of tables tell of entries that were cut off at the end. */
function tailFlaw(database: DatabaseSync): Flaw | null {
  const head = maxOf(database, "entries", "seq")
  const table = others.find((name) => maxOf(database, name, "seq") > head)
  if (table === undefined) return null
  const named = maxOf(database, table, "seq")
  return { seq: head + 1, id: null, what: `it is missing: the table ${table} has entry ${named}` }
}

function orphanFinder(database: DatabaseSync, table: TablesCursor["table"], kind: string) {
  const find = database.prepare(
    `SELECT t.seq, t.id FROM ${table} t
     LEFT JOIN entries e ON e.seq = t.seq AND e.id = t.id AND e.kind = '${kind}'
     WHERE t.rowid > ? AND t.rowid <= ? AND e.seq IS NULL ORDER BY t.seq LIMIT 1`,
  )
  return (after: number, last: number): Flaw | undefined => {
    const orphan = find.get(after, last)
    if (orphan === undefined) return undefined
    const what = `it is missing: the table ${table} has a ${kind} that the journal doesn't have`
    return { seq: orphan["seq"] as number, id: orphan["id"] as string, what } // our own STRICT table
  }
}

function firstRowid(database: DatabaseSync, table: string): number {
  const first = database.prepare(`SELECT min(rowid) AS first FROM ${table}`).get()?.["first"]
  return typeof first === "number" ? first - 1 : 0
}

function lastRowid(database: DatabaseSync, table: string): number {
  return maxOf(database, table, "rowid")
}

function maxOf(database: DatabaseSync, table: string, column: string): number {
  const most = database.prepare(`SELECT max(${column}) AS most FROM ${table}`).get()?.["most"]
  return typeof most === "number" ? most : 0
}
