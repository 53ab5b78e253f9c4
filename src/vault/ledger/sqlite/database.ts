import { lstat, open } from "node:fs/promises"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import { shellWord } from "../../../std/visible.ts"
import { schema, schemaVersion, steps } from "./schema.ts"
import { faultOf, isBusy } from "./sqlite-fault.ts"

/** "CSlg", at byte 68 of the file's header: says whose SQLite file it is. */
const applicationId = 0x43_53_6c_67

/**
 * Opens the database as the only one that writes it, and brings its schema up to date. Others may read it meanwhile.
 *
 * @throws {Fault} `already_running` when another process writes it, `ledger_unavailable`.
 */
export function openDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file)
    lock(database, file)
    const version = versionOf(database, file)
    configure(database, file)
    bringUp(database, file, version)
    return database
  } catch (error) {
    database?.close()
    throw faultOf(error, file)
  }
}

/**
 * Node has no file locks of its own, so it is SQLite's, on a file beside that has nothing in it: the connection holds it until it is closed, and
 * the kernel drops it with the process, however that ends. On the ledger itself it would keep readers out.
 */
function lock(database: DatabaseSync, file: string): void {
  try {
    database.prepare("ATTACH DATABASE ? AS held").run(`${file}.lock`)
    database.exec("PRAGMA held.locking_mode = EXCLUSIVE")
    database.exec("PRAGMA held.journal_mode = OFF")
    database.exec("PRAGMA held.user_version = 1") // whoever writes has the lock from then on
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    const message = `Another Countersign runs on ${dirname(file)}; stop it first, or use the countersign command, which talks to it.`
    throw new Fault("already_running", message, { cause })
  }
  database.exec(`PRAGMA busy_timeout = ${busyMs}`)
}

/** How long a reader may keep what needs the file alone: its first page, and its log after a crash. */
export const busyMs = 5_000

function configure(database: DatabaseSync, file: string): void {
  const { journal_mode: mode } = readPragma(database, "journal_mode = WAL")
  if (mode !== "wal") {
    throw new Fault(
      "ledger_unavailable",
      `The file system under ${file} can't do write-ahead logging; keep the ledger on a local disk.`,
    )
  }
  database.exec("PRAGMA synchronous = FULL") // an fsync at every commit
  database.exec("PRAGMA fullfsync = ON") // macOS: through the drive's cache; nothing elsewhere
  database.exec("PRAGMA checkpoint_fullfsync = ON")
  database.exec("PRAGMA trusted_schema = OFF")
  // What a start after a crash has to read of the log: about 4 MiB. The file gives back what it took above 16.
  database.exec("PRAGMA wal_autocheckpoint = 1000")
  database.exec(`PRAGMA journal_size_limit = ${16 * 1_048_576}`)
  // What follows from an entry stays when the entry goes into an archive.
  database.exec("PRAGMA foreign_keys = OFF")
}

/** The version of a ledger's tables; 0 for a file that is empty. @throws {Fault} `ledger_unusable` where it is no ledger, or a later version's. */
export function versionOf(database: DatabaseSync, file: string): number {
  const { application_id: id } = readPragma(database, "application_id")
  if (id !== applicationId && (id !== 0 || !isEmpty(database))) {
    throw new Fault(
      "ledger_unusable",
      `${file} isn't a Countersign ledger but some other program's database; move it away.`,
    )
  }
  const { user_version: version } = readPragma(database, "user_version")
  if (typeof version === "number" && version <= schemaVersion) return version
  throw new Fault(
    "ledger_unusable",
    `${file} was written by a newer Countersign (schema ${String(version)}, this one knows ${schemaVersion}); install that version.`,
  )
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined
}

/** Each step in one transaction with its number: a crash leaves it done or not begun. */
function bringUp(database: DatabaseSync, file: string, version: number): void {
  for (let from = version; from < schemaVersion;) {
    const step = from === 0 ? schema : steps.get(from)
    if (step === undefined) throw neverPublished(file, from)
    const to = from === 0 ? schemaVersion : from + 1
    database.exec("BEGIN EXCLUSIVE")
    database.exec(step)
    database.exec(`PRAGMA application_id = ${applicationId}`)
    database.exec(`PRAGMA user_version = ${to}`)
    database.exec("COMMIT")
    from = to
  }
}

function neverPublished(file: string, version: number): Fault {
  return new Fault(
    "ledger_unusable",
    `${file} was written by a version that was never published (schema ${version}); start it once with a version that knows schema 8, then with this one.`,
  )
}

function readPragma(database: DatabaseSync, pragma: string): Readonly<Record<string, unknown>> {
  return database.prepare(`PRAGMA ${pragma}`).get() ?? {}
}

/**
 * Makes the ledger's file (mode 0600) if there is none, and refuses one that others could read.
 *
 * It never opens a file that is there: POSIX drops all of this process's locks on a file when any of its
 * descriptors is closed, and the lock may be a ledger's that is open here.
 *
 * @throws {Fault} `file_unsafe`, `ledger_unavailable`.
 */
export async function prepareLedgerFile(file: string): Promise<void> {
  await createIfMissing(file)
  const stats = await lstat(file)
  if (!stats.isFile()) {
    throw new Fault("file_unsafe", `${file} must be a regular file, not a symlink or a directory.`)
  }
  if ((stats.mode & 0o077) !== 0) {
    throw new Fault(
      "file_unsafe",
      `${file} is open to other users; run: chmod 600 ${shellWord(file)}`,
    )
  }
}

async function createIfMissing(file: string): Promise<void> {
  try {
    const handle = await open(file, "wx", 0o600)
    await handle.close()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code // fs throws ErrnoExceptions
    if (code === "EEXIST") return
    throw new Fault(
      "ledger_unavailable",
      `${file} can't be made (${code ?? "unknown error"}); check that its directory exists and is ours.`,
      { cause },
    )
  }
}
