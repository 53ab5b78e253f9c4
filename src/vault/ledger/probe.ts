import type { DatabaseSync } from "node:sqlite"

/** Prepares writing the row that shows that the ledger can be written. Within the open transaction. */
export function prober(database: DatabaseSync): (nowMs: number) => number {
  const write = database.prepare(
    `INSERT INTO probe (one, at_ms) VALUES (1, ?)
     ON CONFLICT (one) DO UPDATE SET at_ms = excluded.at_ms`,
  )
  return (nowMs) => {
    write.run(nowMs)
    return nowMs
  }
}
