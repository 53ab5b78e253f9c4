import type { DatabaseSync } from "node:sqlite"

import type { RefusalRow } from "../records/row.ts"
import type { RecentRefusal } from "../store/audit-queries.ts"

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
    const { id, at_ms: atMs, client, refusal } = row
    const operation = row.operation // written from one
    return { id, atMs, client, operation, refusal, repeats: repeats as number }
  })
}
