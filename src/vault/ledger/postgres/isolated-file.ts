import { rmSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"

import { isThere } from "../../../std/private-file.ts"
import type { IdempotencyKey } from "../records/idempotency.ts"
import type { Idempotency, JournalRow } from "../records/row.ts"
import { openDatabase } from "../sqlite/database.ts"
import type { LedgerStore, StoreTurn } from "../store/store.ts"

/** This host's copy, and what it signed while it couldn't reach PostgreSQL: a ledger by itself. */
type Files = { readonly file: string; readonly isolatedFile: string }

/** How many go in one batch. */
const batchRows = 200

/**
 * What was signed in isolation and isn't in the copy yet, whose tables are up to its journal: a crash may have come while it
 * was appended. Of acts, which change nothing here, some may be there all the same. `undefined` where there is no such file.
 */
export function isolatedRows({ file, isolatedFile }: Files): readonly JournalRow[] | undefined {
  if (!isThere(isolatedFile)) return undefined
  const rows = within(
    isolatedFile,
    (database) =>
      database
        .prepare("SELECT row FROM entries ORDER BY seq")
        .all()
        .map(({ row }) => JSON.parse(row as string) as JournalRow), // our own STRICT table
  )
  return within(file, (database) => {
    const findRequest = database.prepare("SELECT 1 FROM requests WHERE id = ?")
    const findOutcome = database.prepare(
      `SELECT 1 FROM entries WHERE kind = 'outcome' AND json_valid(row) AND row ->> '$.record' = ? AND id = ?`,
    )
    const isRecorded = (row: JournalRow): boolean => {
      if (row.kind === "request") return findRequest.get(row.id) !== undefined
      return row.kind === "outcome" && findOutcome.get(row.record, row.id) !== undefined
    }
    return rows.filter((row) => !isRecorded(row))
  })
}

/** Appends them, durably. */
export async function appendIsolated(
  store: LedgerStore,
  rows: readonly JournalRow[],
  nowMs: number,
): Promise<void> {
  for (let from = 0; from < rows.length; from += batchRows) {
    await appendBatch(store, rows.slice(from, from + batchRows), nowMs)
  }
}

export function removeIsolated(file: string): void {
  for (const end of ["-wal", "-shm", ""]) rmSync(`${file}${end}`, { force: true })
}

async function appendBatch(
  store: LedgerStore,
  rows: readonly JournalRow[],
  nowMs: number,
): Promise<void> {
  const keys = rows.flatMap((row) => keyOf(row) ?? [])
  await store.turn(keys, (turn) =>
    Promise.all(rows.map((row) => store.append(rowNow(row, turn, nowMs)))),
  )
}

/**
 * It counts from now on, as all that comes late, whatever its host's clock said then. Where another host has used its key
 * meanwhile, that one keeps it.
 */
function rowNow(row: JournalRow, turn: StoreTurn, nowMs: number): JournalRow {
  if (row.kind === "outcome") return { ...row, counted_at: nowMs }
  if (row.kind !== "request") return row
  const { idempotency, ...others } = row
  const counted = { ...others, counted_at: nowMs }
  const key = keyOf(row)
  const holder = key && turn.found(key)
  return idempotency !== undefined && isFree(idempotency, holder)
    ? { ...counted, idempotency }
    : counted
}

/** A check that nothing was signed by holds no key. */
function isFree({ replaces }: Idempotency, holder: ReturnType<StoreTurn["found"]>): boolean {
  return holder?.row.kind !== "request" || holder.row.id === replaces
}

function keyOf(row: JournalRow): IdempotencyKey | undefined {
  if (row.kind !== "request" || row.idempotency === undefined) return undefined
  return { client: row.client, by: row.idempotency.by, key: row.idempotency.key }
}

function within<Value>(file: string, look: (database: DatabaseSync) => Value): Value {
  const database = openDatabase(file)
  try {
    return look(database)
  } finally {
    database.close()
  }
}
