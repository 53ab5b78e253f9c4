import type { DatabaseSync } from "node:sqlite"

import type { LedgerTime } from "../../process/clock.ts"
import { keptMs, storedKey, type IdempotencyKey, type KeyUse } from "../records/idempotency.ts"
import { stateAsOf, type Heard } from "../records/record-state.ts"
import type { OutcomeRow, RequestRow } from "../records/row.ts"
import { recordFinder, type FoundRecord } from "./stored-rows.ts"

/** A request that has a key, as it lies in the database. */
export type FoundKey = {
  readonly row: RequestRow
  readonly countedAtMs: number
  readonly heard: Heard | null
  readonly sends: number
  /** The outcome that the venue's answer is kept with. */
  readonly answered: OutcomeRow | undefined
}

// Every cast below reads what projections.ts wrote into our own STRICT tables.
type Columns = Readonly<Record<string, unknown>>

/** Prepares the look-up of the request that has a key now. */
export function keyFinder(database: DatabaseSync): (key: IdempotencyKey) => FoundKey | undefined {
  const find = database.prepare(
    `SELECT e.row, r.counted_at, r.heard, r.sends, a.row AS answered
     FROM requests r JOIN entries e ON e.seq = r.seq LEFT JOIN entries a ON a.seq = r.answer_seq
     WHERE r.client = ? AND r.idempotency_key = ? AND r.key_ended_seq = 0`,
  )
  return (key) => {
    const found = find.get(key.client, storedKey(key)) as Columns | undefined
    if (found === undefined) return undefined
    const answered = found["answered"] as string | null
    return {
      row: JSON.parse(found["row"] as string) as RequestRow,
      countedAtMs: found["counted_at"] as number,
      heard: found["heard"] as Heard | null,
      sends: found["sends"] as number,
      answered: answered === null ? undefined : (JSON.parse(answered) as OutcomeRow),
    }
  }
}

/** What records are looked for by, besides their id. */
export type RecordSearch = {
  readonly client: string
  readonly by: "idempotency_key" | "client_order_id"
  readonly value: string
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

/** What a key stands for at `nowMs`. It is kept for a day, and for as long as its request is good. */
export function keyUse(found: FoundKey | undefined, nowMs: LedgerTime): KeyUse {
  if (found?.row.idempotency === undefined) return { kind: "unused" }
  const { row, countedAtMs, heard, sends, answered } = found
  const untilMs = Math.max(countedAtMs + keptMs, row.expires_after)
  if (nowMs > untilMs) return { kind: "ended", record: row.id }
  return {
    kind: "kept",
    request: {
      record: row.id,
      binding: found.row.idempotency.binding,
      nonce: row.nonce,
      expiresAfterMs: row.expires_after,
      state: stateAsOf(heard, row.expires_after, nowMs),
      isUnsent: heard === "unsent" && sends === 0,
      hadRelease: row.release !== undefined,
      answer: keptAnswer(answered),
    },
  }
}

function keptAnswer(outcome: OutcomeRow | undefined) {
  if (outcome?.answer === undefined || outcome.status === null) return undefined
  return { ...outcome.answer, status: outcome.status }
}
