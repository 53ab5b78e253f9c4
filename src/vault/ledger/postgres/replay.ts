import type { DatabaseSync } from "node:sqlite"

import type { JournalRow } from "../records/row.ts"
import { openDatabase } from "../sqlite/database.ts"
import { openJournal, readIdentity } from "../sqlite/journal.ts"
import { followRows, openProjections } from "../sqlite/projections.ts"
import type { AppendedRows, Head } from "../store/store.ts"

/** A ledger's file that takes entries which are durable elsewhere. It must be closed. */
export type Replay = {
  /** What tells it from other ledgers, since a restore was accepted last. */
  readonly name: string
  head(): Head
  /** Adds entries that were checked, as they are chained. @throws {Fault} `ledger_unusable`. */
  add(batch: AppendedRows): void
  close(): void
}

/** Opens it under its exclusive lock. @throws {Fault} as `openDatabase` does. */
export function openReplay(file: string): Replay {
  const database = openDatabase(file)
  database.exec("PRAGMA synchronous = NORMAL") // what a power loss takes is replayed again
  const journal = openJournal(database)
  const tables = openProjections(database, journal)
  inTransaction(database, tables.catchUp)
  return {
    name: readIdentity(database).ledger,
    head: () => journal.head(),
    add({ rows, head }) {
      const parsed = rows.map((row) => JSON.parse(row) as JournalRow) // it is sealed: ours
      inTransaction(database, () => {
        followRows({ rows: parsed, head }, { journal, tables })
        tables.catchUp()
      })
    },
    close: () => database.close(),
  }
}

function inTransaction(database: DatabaseSync, write: () => void): void {
  database.exec("BEGIN IMMEDIATE")
  write()
  database.exec("COMMIT")
}
