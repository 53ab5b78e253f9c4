import { lstat, mkdir } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import { shellWord } from "../../../std/visible.ts"
import { isBusy } from "../sqlite/sqlite-fault.ts"

/** A lock on a file, held until it is released or the process ends, however that happens. */
export type SignerLock = { release(): void }

/**
 * Takes the lock of a signer. Node has no file locks of its own, so it is SQLite's, on a file that stays
 * empty: the kernel drops it with the process, so none is ever left over.
 *
 * @throws {Fault} `already_running` when another process holds it, `ledger_unavailable`.
 */
export function lockSigner(file: string, signer: string): SignerLock {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file)
    database.exec("BEGIN EXCLUSIVE")
    const held = database
    return { release: () => held.close() }
  } catch (cause) {
    database?.close()
    if (isBusy(cause)) throw inUse(signer, file, cause)
    const message = `The signer's lock ${file} can't be taken (${String(cause)}); check the disk and the owner of its directory.`
    throw new Fault("ledger_unavailable", message, { cause })
  }
}

function inUse(signer: string, file: string, cause: unknown): Fault {
  return new Fault(
    "already_running",
    `Another Countersign on this machine signs for ${signer}, and holds ${file}; one signer has one daemon, so stop the other one, or remove the key from one of them.`,
    { cause },
  )
}

/**
 * Makes the directory of the signers' locks and marks if there is none, and refuses one that others could use.
 *
 * @throws {Fault} `file_unsafe`.
 */
export async function prepareSignerDir(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const stats = await lstat(directory)
    if (!stats.isDirectory()) throw new Fault("file_unsafe", `${directory} isn't a directory.`)
    if (stats.uid !== process.geteuid?.()) throw ownerFault(directory)
    if ((stats.mode & 0o077) !== 0) {
      throw new Fault(
        "file_unsafe",
        `${directory} is open to others; run: chmod 700 ${shellWord(directory)}`,
      )
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error" // fs throws ErrnoExceptions
    const message = `The signers' directory ${directory} can't be made (${code}); name another one as signer_dir in countersign.yaml.`
    throw new Fault("file_unsafe", message, { cause })
  }
}

function ownerFault(directory: string): Fault {
  return new Fault(
    "file_unsafe",
    `${directory} belongs to another user; name one of the daemon's user as signer_dir in countersign.yaml.`,
  )
}
