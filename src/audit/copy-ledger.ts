import { backup, DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"

import { Fault } from "../std/fault.ts"
import type { JournalHead } from "../vault/ledger/store/audit-queries.ts"
import { hexHead, openJournal } from "../vault/ledger/sqlite/journal.ts"
import { faultOf, isOfMachine } from "../vault/ledger/sqlite/sqlite-fault.ts"
import type { LedgerReader } from "./open-ledger.ts"

/** So many pages in one step: between steps SQLite would begin anew whenever the ledger was written to. */
const allPages = 2 ** 31 - 1

/** Copies what the ledger is at one moment into the empty file `to`. */
export async function copyLedger(ledger: LedgerReader, to: string): Promise<void> {
  await backup(ledger, to, { rate: allPages })
}

/**
 * Reads a copy of a ledger from its first page to its last and returns the entry that it ends with.
 *
 * @throws {Fault} `ledger_unavailable` when anything is wrong with it.
 */
export function verifyBackup(file: string): JournalHead {
  const location = pathToFileURL(file)
  location.searchParams.set("immutable", "1") // nobody writes it, so SQLite makes no files beside it
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(location, { readOnly: true })
    const [first] = database.prepare("PRAGMA integrity_check(1)").all()
    if (first?.["integrity_check"] !== "ok") throw damaged(file)
    return hexHead(openJournal(database).head())
  } catch (error) {
    throw error instanceof Fault || isOfMachine(error) ? faultOf(error, file) : damaged(file)
  } finally {
    database?.close()
  }
}

function damaged(file: string): Fault {
  return new Fault(
    "ledger_unavailable",
    `The copy ${file} is damaged; check the disk and make another.`,
  )
}
