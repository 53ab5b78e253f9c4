import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import type { JournalRow } from "../records/row.ts"
import { openDatabase } from "../sqlite/database.ts"
import { openJournal } from "../sqlite/journal.ts"
import { openProjections } from "../sqlite/projections.ts"
import type { AppendedRows, Head } from "../store/store.ts"

/** A ledger's file that takes entries which are durable elsewhere. It must be closed. */
export type Replay = {
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
  return {
    head: () => journal.head(),
    add({ rows, head }) {
      inTransaction(database, () => {
        for (const row of rows) tables.write(JSON.parse(row) as JournalRow) // it is sealed: ours
        tables.catchUp()
        if (Buffer.compare(journal.head().hash, head.hash) !== 0) throw otherwise(head)
        journal.appended() // nobody asks for them
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

function otherwise({ seq }: Head): Fault {
  return new Fault(
    "ledger_unusable",
    `The entries up to ${seq} in PostgreSQL aren't what this Countersign would write; install the version that wrote them.`,
  )
}
