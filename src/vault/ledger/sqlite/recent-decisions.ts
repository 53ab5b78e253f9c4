import type { DatabaseSync } from "node:sqlite"

import type { OperationId } from "../../../venue/profile.ts"
import type { RefusalRow, RequestRow } from "../records/row.ts"
import type { RecentDecision, RecentDecisions, RecentRefusal } from "../store/audit-jobs.ts"
import { openTimeSlice } from "./time-slice.ts"

// Rows are added to these tables in the journal's order and removed from their beginning alone: rowids count them.
const newest = {
  requests: "SELECT rowid AS number, seq, 0 AS repeats FROM requests ORDER BY rowid DESC LIMIT ?",
  refusals: "SELECT rowid AS number, seq, repeats FROM refusals ORDER BY rowid DESC LIMIT ?",
}
type Found = { readonly number: number; readonly seq: number; readonly repeats: number }

/** The refusals that were recorded last, the newest first. */
export function readRecentRefusals(
  database: DatabaseSync,
  limit: number,
): readonly RecentRefusal[] {
  const found = find(database, newest.refusals, limit)
  return readRows(database, found) as readonly RecentRefusal[] // of that table
}

/** What was decided last: `limit` at most, and less where long rows take too much time. */
export function readRecentDecisions(database: DatabaseSync, limit: number): RecentDecisions {
  const requests = find(database, newest.requests, limit)
  const refusals = find(database, newest.refusals, limit)
  const found = [...requests, ...refusals].sort((a, b) => b.seq - a.seq).slice(0, limit)
  const recorded = (requests[0]?.number ?? 0) + (refusals[0]?.number ?? 0)
  return { recorded, decisions: readRows(database, found) }
}

function find(database: DatabaseSync, query: string, limit: number): readonly Found[] {
  return database.prepare(query).all(limit) as unknown as readonly Found[] // our own STRICT tables
}

function readRows(database: DatabaseSync, found: readonly Found[]): readonly RecentDecision[] {
  const isOver = openTimeSlice()
  const rowOf = database.prepare("SELECT row FROM entries WHERE seq = ?")
  const decisions: RecentDecision[] = []
  for (const { seq, repeats } of found) {
    const row = JSON.parse(rowOf.get(seq)?.["row"] as string) as RequestRow | RefusalRow // projections.ts wrote it
    decisions.push({ seq, repeats, ...decisionOf(row) })
    if (isOver()) break
  }
  return decisions
}

function decisionOf(row: RequestRow | RefusalRow): Omit<RecentDecision, "seq" | "repeats"> {
  const { id, at_ms: atMs, client, key } = row
  const operation = row.operation as OperationId | null // written from one
  const isRequest = row.kind === "request"
  const [rule, refusal] = isRequest ? [row.rule, null] : [null, row.refusal]
  return { id, atMs, client, key, operation, rule, refusal }
}
