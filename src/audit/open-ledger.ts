import { DatabaseSync, backup } from "node:sqlite"
import { pathToFileURL } from "node:url"

import { Fault } from "../std/fault.ts"
import { isThere } from "../std/private-file.ts"
import { busyMs, versionOf } from "../vault/ledger/sqlite/database.ts"
import { hexHead, openJournal } from "../vault/ledger/sqlite/journal.ts"
import { schema, schemaVersion } from "../vault/ledger/sqlite/schema.ts"
import { faultOf, isOfMachine } from "../vault/ledger/sqlite/sqlite-fault.ts"
import type { JournalHead } from "../vault/ledger/store/audit-queries.ts"

/**
 * A ledger that is only read, whoever writes it meanwhile. Whoever reads much reads it in pages: what a reader sees stays in the
 * write-ahead log for as long as it looks.
 */
export type LedgerReader = DatabaseSync

/**
 * Opens the ledger in `file` to read it, without a look at what is in it: it may be too broken to be started with.
 *
 * @throws {Fault} `not_initialised`, `ledger_unavailable`, `ledger_unusable` where it is no ledger, or of another version.
 */
export function openLedgerReader(file: string): LedgerReader {
  if (!isThere(file)) {
    throw new Fault("not_initialised", `${file} doesn't exist; run countersign init first.`)
  }
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: busyMs })
    assertReadable(versionOf(database, file), file)
    return database
  } catch (error) {
    database?.close()
    throw faultOf(error, file)
  }
}

/** What there is to read of a ledger before its first start. */
export function emptyLedger(): LedgerReader {
  const ledger = new DatabaseSync(":memory:")
  ledger.exec(schema)
  return ledger
}

/** Opens it for as long as `use` takes. */
export async function readLedger<Answer>(
  file: string,
  use: (ledger: LedgerReader) => Answer | Promise<Answer>,
): Promise<Answer> {
  const ledger = openLedgerReader(file)
  try {
    return await use(ledger)
  } catch (error) {
    throw isOfSqlite(error) ? faultOf(error, file) : error
  } finally {
    ledger.close()
  }
}

function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && "errcode" in error // what node:sqlite adds
}

/** Runs `look` over what the ledger is at one moment, whatever is written meanwhile. */
export function atOneMoment<Seen>(ledger: LedgerReader, look: () => Seen): Seen {
  ledger.exec("BEGIN")
  try {
    return look()
  } finally {
    if (ledger.isTransaction) ledger.exec("COMMIT")
  }
}

function assertReadable(version: number, file: string): void {
  if (version === schemaVersion) return
  throw new Fault(
    "ledger_unusable",
    `${file} was written by an earlier Countersign; start this one once, which brings it up to date, and run this again.`,
  )
}

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
