import type { DatabaseSync } from "node:sqlite"

import { entryChecker } from "../sqlite/check-entries.ts"
import { tablesChecker } from "../sqlite/check-tables.ts"
import { openDatabase, prepareLedgerFile } from "../sqlite/database.ts"
import { openJournal, readArchivedHead } from "../sqlite/journal.ts"
import { openProjections } from "../sqlite/projections.ts"
import type { ChainPosition, CheckStep, TablesCursor, TablesStep } from "../store/audit-jobs.ts"

/** A ledger that no daemon has open, to be checked; also one that is too broken to be started with. */
export type ClosedLedger = {
  check(from: ChainPosition | null, maxEntries: number): CheckStep
  checkTables(from: TablesCursor | null, position: ChainPosition): TablesStep
  /** The last entry that is in an archive. */
  archivedEnds(): { readonly archived_seq: number; readonly archived_hash: string }
  close(): void
}

/**
 * Opens the ledger in `file` under its exclusive lock, without a look at what is in it but for what a crash
 * left to be done: its tables catch up with its journal, where they can.
 *
 * @throws {Fault} `already_running`, `file_unsafe`, `ledger_unavailable` when it is no ledger at all.
 */
export async function openClosedLedger(file: string): Promise<ClosedLedger> {
  await prepareLedgerFile(file)
  const database = openDatabase(file)
  catchUp(database)
  return {
    check: entryChecker(database),
    checkTables: tablesChecker(database),
    archivedEnds() {
      const { seq, hash } = readArchivedHead(database)
      return { archived_seq: seq, archived_hash: Buffer.from(hash).toString("hex") }
    },
    close: () => database.close(),
  }
}

/** One that is too broken for that is so for the check to say. */
function catchUp(database: DatabaseSync): void {
  try {
    const tables = openProjections(database, openJournal(database))
    if (tables.trailing() === 0) return
    database.exec("BEGIN IMMEDIATE")
    tables.catchUp()
    database.exec("COMMIT")
  } catch {
    if (database.isTransaction) database.exec("ROLLBACK")
  }
}
