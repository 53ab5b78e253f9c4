import type { DatabaseSync } from "node:sqlite"

import { storedKey, type IdempotencyKey } from "../records/idempotency.ts"
import type { Heard } from "../records/record-state.ts"
import type { OutcomeRow, RequestRow } from "../records/row.ts"
import type { FoundKey, FoundRecord, RecordSearch } from "../store/store.ts"
import { recordFinder } from "./stored-rows.ts"

// Every cast below reads what projections.ts wrote into our own STRICT tables.
type Columns = Readonly<Record<string, unknown>>

/** Prepares the look-up of the request that has a key now. */
export function keyFinder(database: DatabaseSync): (key: IdempotencyKey) => FoundKey | undefined {
  const find = database.prepare(
    `SELECT e.row, r.heard, r.sends, r.status, r.code, a.row AS answered
     FROM requests r JOIN entries e ON e.seq = r.seq LEFT JOIN entries a ON a.seq = r.answer_seq
     WHERE r.client = ? AND r.idempotency_key = ? AND r.key_ended_seq = 0`,
  )
  return (key) => {
    const found = find.get(key.client, storedKey(key)) as Columns | undefined
    if (found === undefined) return undefined
    const answered = found["answered"] as string | null
    return {
      row: JSON.parse(found["row"] as string) as RequestRow,
      heard: found["heard"] as Heard | null,
      sends: found["sends"] as number,
      status: found["status"] as number | null,
      code: found["code"] as string | null,
      answered: answered === null ? undefined : (JSON.parse(answered) as OutcomeRow),
    }
  }
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
