import type { DatabaseSync } from "node:sqlite"

import type { Heard } from "../records/record-state.ts"
import { timeOfId } from "../records/record-id.ts"
import type { RefusalRow, RequestRow, OutcomeRow, ShadowRow } from "../records/row.ts"
import type { HistoryCursor, HistoryRow } from "../store/meter-queries.ts"
import type { FoundCheck, FoundRecord, RecordSearch, StoreTurn } from "../store/store.ts"
import { storedKey } from "../records/idempotency.ts"
import type { RecentRefusal } from "../store/audit-queries.ts"

// Every cast below reads what projections.ts wrote into our own STRICT tables.
type Columns = Readonly<Record<string, unknown>>

/** Prepares the look-up of a request or refusal by id. */
export function recordFinder(database: DatabaseSync): (id: string) => FoundRecord | undefined {
  const findRequest = database.prepare(
    `SELECT e.row, r.heard, r.status, r.code, a.row AS answered
     FROM requests r JOIN entries e ON e.seq = r.seq LEFT JOIN entries a ON a.seq = r.answer_seq
     WHERE r.id = ?`,
  )
  const findRefusal = database.prepare(
    `SELECT row FROM refusals JOIN entries USING (seq) WHERE refusals.id = ?`,
  )
  return (id) => {
    const request = findRequest.get(id) as Columns | undefined
    if (request !== undefined) {
      return {
        row: JSON.parse(request["row"] as string) as RequestRow,
        heard: request["heard"] as Heard | null,
        status: request["status"] as number | null,
        code: request["code"] as string | null,
        answered: outcomeIn(request["answered"]),
      }
    }
    const refusal = findRefusal.get(id) as Columns | undefined
    if (refusal === undefined) return undefined
    return { row: JSON.parse(refusal["row"] as string) as RefusalRow }
  }
}

/** How many requests a page holds: few enough to keep no commit waiting for long. */
export const pageLength = 200

/** Prepares the look-up of a page of requests up to entry `lastSeq`, in the order of counting. */
export function historyPager(
  database: DatabaseSync,
): (after: HistoryCursor, lastSeq: number) => readonly HistoryRow[] {
  const find = database.prepare(
    `SELECT requests.seq, row, released_at, released_seq
     FROM requests JOIN entries USING (seq)
     WHERE (counted_at, requests.seq) > (?, ?) AND requests.seq <= ?
     ORDER BY counted_at, requests.seq LIMIT ${pageLength}`,
  )
  return ({ countedAtMs, seq }, lastSeq) => find.all(countedAtMs, seq, lastSeq).map(historyRow)
}

/** Prepares the look-up of the first request that counts from `sinceMs` on or gave room back since. */
export function countingStartFinder(database: DatabaseSync): (sinceMs: number) => number {
  // Left to itself SQLite walks the index on counted_at, from the beginning to the first that fits.
  const find = database.prepare(
    `SELECT min(counted_at) AS first FROM requests INDEXED BY requests_by_release
     WHERE released_at >= ?`,
  )
  return (sinceMs) => {
    const first = find.get(sinceMs)?.["first"] as number | null
    return Math.min(sinceMs, first ?? sinceMs)
  }
}

/** Reads `seq`, `row`, `released_at` and `released_seq` of a request. */
export function historyRow(columns: Columns): HistoryRow {
  const releasedAtMs = columns["released_at"] as number | null
  return {
    row: JSON.parse(columns["row"] as string) as RequestRow,
    seq: columns["seq"] as number,
    released:
      releasedAtMs === null
        ? undefined
        : { atMs: releasedAtMs, seq: columns["released_seq"] as number },
  }
}

/** Prepares the look-up of the request that has a key now, or else of the check that the key names. */
export function keyFinder(database: DatabaseSync): StoreTurn["found"] {
  const findCheck = checkFinder(database)
  const find = database.prepare(
    `SELECT e.row, r.heard, r.sends, r.status, r.code, a.row AS answered
     FROM requests r JOIN entries e ON e.seq = r.seq LEFT JOIN entries a ON a.seq = r.answer_seq
     WHERE r.client = ? AND r.idempotency_key = ? AND r.key_ended_seq = 0`,
  )
  return (key) => {
    const found = find.get(key.client, storedKey(key)) as Columns | undefined
    if (found === undefined) return key.by === "check" ? findCheck(key.key) : undefined
    return {
      row: JSON.parse(found["row"] as string) as RequestRow,
      heard: found["heard"] as Heard | null,
      sends: found["sends"] as number,
      status: found["status"] as number | null,
      code: found["code"] as string | null,
      answered: outcomeIn(found["answered"]),
    }
  }
}

/** By the time that its id tells, which the table of them is ordered by. */
function checkFinder(database: DatabaseSync): (id: string) => FoundCheck | undefined {
  const find = database.prepare(
    `SELECT row FROM shadows JOIN entries USING (seq) WHERE asked_at = ? AND id = ?`,
  )
  return (id) => {
    const found = find.get(timeOfId(id) ?? null, id)
    return found && { row: JSON.parse(found["row"] as string) as ShadowRow }
  }
}

function outcomeIn(row: unknown): OutcomeRow | undefined {
  return row === null ? undefined : (JSON.parse(row as string) as OutcomeRow)
}

/** How many records a search gives at most. */
const maxFoundRecords = 20

/** Prepares the look-up of a client's own requests, the newest first. */
export function recordSearcher(
  database: DatabaseSync,
): (search: RecordSearch) => readonly FoundRecord[] {
  const findRecord = recordFinder(database)
  const byColumn = (column: RecordSearch["by"]) =>
    database.prepare(
      `SELECT id FROM requests WHERE client = ? AND ${column} = ?
       ORDER BY seq DESC LIMIT ${maxFoundRecords}`,
    )
  const ids = {
    idempotency_key: byColumn("idempotency_key"),
    client_order_id: byColumn("client_order_id"),
  }
  return ({ client, by, value }) => {
    const stored = by === "idempotency_key" ? storedKey({ by: "header", key: value }) : value
    return ids[by].all(client, stored).flatMap(({ id }) => findRecord(id as string) ?? [])
  }
}

/** The refusals that were recorded last, the newest first. */
export function readRecentRefusals(
  database: DatabaseSync,
  limit: number,
): readonly RecentRefusal[] {
  // Rows are added to the table in the journal's order and removed from its beginning alone.
  const found = database
    .prepare("SELECT seq, repeats FROM refusals ORDER BY rowid DESC LIMIT ?")
    .all(limit)
  const rowOf = database.prepare("SELECT row FROM entries WHERE seq = ?")
  return found.map(({ seq, repeats }) => {
    const row = JSON.parse(rowOf.get(seq as number)?.["row"] as string) as RefusalRow // projections.ts wrote it
    return { row, repeats: repeats as number }
  })
}
