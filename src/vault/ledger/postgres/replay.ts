import type { DatabaseSync } from "node:sqlite"

import { openDatabase } from "../sqlite/database.ts"
import { openJournal, readIdentity } from "../sqlite/journal.ts"
import { followRows, openProjections } from "../sqlite/projections.ts"
import type { FollowedRows } from "../sqlite/worker-messages.ts"
import type { Head } from "../store/store.ts"

/** A ledger's file that takes entries which are durable elsewhere. It must be closed. */
export type Replay = {
  /** What tells it from other ledgers, since a restore was accepted last. */
  readonly name: string
  head(): Head
  /** Adds entries that were checked, as they are chained. @throws {Fault} `ledger_unusable`. */
  add(batch: FollowedRows): void
  /** The last nonce, which is no earlier than the clock was; 0 where there is none. */
  newestMs(): number
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
    add(batch) {
      inTransaction(database, () => {
        followRows(batch, { journal, tables })
        tables.catchUp()
      })
    },
    newestMs: () =>
      Number(database.prepare("SELECT max(last_nonce) AS ms FROM signers").get()?.["ms"]), // null is 0
    close: () => database.close(),
  }
}

function inTransaction(database: DatabaseSync, write: () => void): void {
  database.exec("BEGIN IMMEDIATE")
  write()
  database.exec("COMMIT")
}
