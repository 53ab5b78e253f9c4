import { DatabaseSync } from "node:sqlite"

import { Fault } from "../../std/fault.ts"
import { isBusy } from "./sqlite-fault.ts"

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
    if (isBusy(cause)) throw inUse(signer, cause)
    const message = `The signer's lock ${file} can't be taken (${String(cause)}); check the disk and the owner of its directory.`
    throw new Fault("ledger_unavailable", message, { cause })
  }
}

function inUse(signer: string, cause: unknown): Fault {
  return new Fault(
    "already_running",
    `Another Countersign on this machine signs for ${signer}; one signer has one daemon, so stop the other one, or remove the key from one of them.`,
    { cause },
  )
}
