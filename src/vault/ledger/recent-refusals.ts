import type { DatabaseSync } from "node:sqlite"

import type { OperationId } from "../../venue/profile.ts"
import type { RecordId, RefusalEntry } from "./ledger.ts"
import type { RefusalRow } from "./row.ts"

/** A refusal as it was recorded. */
export type RecentRefusal = Pick<RefusalEntry, "client" | "operation" | "refusal"> & {
  readonly id: RecordId
  readonly atMs: number
  /** How many more like it came within its second. */
  readonly repeats: number
}

/**
 * The refusals that were recorded last, the newest first. Ids sort by time, so the table's own index
 * finds them however many there are.
 */
export function readRecentRefusals(
  database: DatabaseSync,
  limit: number,
): readonly RecentRefusal[] {
  return database
    .prepare(
      `SELECT row, repeats FROM refusals JOIN entries USING (seq)
       ORDER BY refusals.id DESC LIMIT ?`,
    )
    .all(limit)
    .map(({ row, repeats }) => {
      const refused = JSON.parse(row as string) as RefusalRow // projections.ts wrote it
      return {
        id: refused.id,
        atMs: refused.at_ms,
        client: refused.client,
        operation: refused.operation as OperationId | null, // written from one
        refusal: refused.refusal,
        repeats: repeats as number, // our own STRICT table
      }
    })
}
