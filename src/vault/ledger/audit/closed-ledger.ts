import type { DatabaseSync } from "node:sqlite"

import type { AuditResults } from "../../../link/calls/audit-methods.ts"
import { readLastCheckpoint } from "../sqlite/audit-runner.ts"
import { entryChecker } from "../sqlite/check-entries.ts"
import { tablesChecker } from "../sqlite/check-tables.ts"
import { openDatabase, prepareLedgerFile } from "../sqlite/database.ts"
import { openJournal, readArchivedHead } from "../sqlite/journal.ts"
import { openProjections } from "../sqlite/projections.ts"
import { faultOf, isOfMachine } from "../sqlite/sqlite-fault.ts"
import type { ChainPosition, CheckStep, TablesCursor, TablesStep } from "../store/audit-queries.ts"

/** A ledger that no daemon has open, to be checked; also one that is too broken to be started with. */
type ClosedLedger = {
  check(from: ChainPosition | null, maxEntries: number): CheckStep
  checkTables(from: TablesCursor | null, position: ChainPosition): TablesStep
  /** The last entry that is in an archive, and whose the last checkpoint is. */
  ends(): Pick<AuditResults["auditEnds"], "archived_seq" | "archived_hash" | "public_key">
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
  catchUp(database, file)
  return {
    check: entryChecker(database),
    checkTables: tablesChecker(database),
    ends() {
      const { seq, hash } = readArchivedHead(database)
      return {
        archived_seq: seq,
        archived_hash: Buffer.from(hash).toString("hex"),
        public_key: readLastCheckpoint(database)?.publicKey ?? null,
      }
    },
    close: () => database.close(),
  }
}

/** One that is too broken for that is so for the check to say; where the machine failed, nothing can be said of it. */
function catchUp(database: DatabaseSync, file: string): void {
  try {
    const tables = openProjections(database, openJournal(database))
    if (tables.trailing() === 0) return
    database.exec("BEGIN IMMEDIATE")
    tables.catchUp()
    database.exec("COMMIT")
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK")
    if (!isOfMachine(error)) return
    database.close()
    throw faultOf(error, file)
  }
}
