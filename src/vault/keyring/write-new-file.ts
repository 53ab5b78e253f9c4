import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { link, open, rename, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"

import { Fault } from "../../std/fault.ts"
import { codeOf } from "../../std/private-file.ts"

/** The prefix of files that aren't complete yet. A crash can leave one; nothing reads it. */
export const temporaryPrefix = ".new-"

/**
 * Writes a file of mode 0600. It appears complete or not at all, and is durable when this resolves. It never
 * overwrites: `false` if `path` exists.
 *
 * Files are opened O_SYNC and not flushed by fsync, which Node's permission model refuses (as of
 * Node 24.13 and 26). A link, unlike a rename, fails where the name is taken.
 *
 * @throws {Fault} `keystore_unavailable` when the disk refuses.
 */
export async function writeNewFile(path: string, text: string): Promise<boolean> {
  const directory = dirname(path)
  const temporary = join(directory, `${temporaryPrefix}${randomBytes(8).toString("hex")}`)
  try {
    await writeExclusively(temporary, text)
    const isNew = await linkAs(temporary, path)
    await unlink(temporary)
    if (isNew && !(await syncDirectory(directory))) await appendNewline(path)
    return isNew
  } catch (cause) {
    await unlink(temporary).catch(() => undefined) // may be gone already; the cause is what matters
    const message = `${path} can't be written (${codeOf(cause) ?? "unknown error"}); check the disk and its owner.`
    throw new Fault("keystore_unavailable", message, { cause })
  }
}

/** As {@link writeNewFile}, in the place of whatever file there is. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const directory = dirname(path)
  const temporary = join(directory, `${temporaryPrefix}${randomBytes(8).toString("hex")}`)
  try {
    await writeExclusively(temporary, text)
    await rename(temporary, path)
    if (!(await syncDirectory(directory))) await appendNewline(path)
  } catch (cause) {
    await unlink(temporary).catch(() => undefined) // may be gone already; the cause is what matters
    const message = `${path} can't be written (${codeOf(cause) ?? "unknown error"}); check the disk and its owner.`
    throw new Fault("ledger_unavailable", message, { cause })
  }
}

/** Makes the names in a directory durable; `false` when Node's permission model forbids it. */
export async function syncDirectory(path: string): Promise<boolean> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
    return true
  } catch (cause) {
    if (codeOf(cause) === "ERR_ACCESS_DENIED") return false
    throw cause
  } finally {
    await handle.close()
  }
}

async function writeExclusively(path: string, text: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_SYNC
  const handle = await open(path, flags | constants.O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(text)
  } finally {
    await handle.close()
  }
}

async function linkAs(existing: string, path: string): Promise<boolean> {
  try {
    await link(existing, path)
    return true
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false
    throw cause
  }
}

/**
 * Used instead of fsync of the directory: on ext4, XFS and btrfs, a synchronous write to a file that was just linked
 * commits its new name too. It only adds white space at the end of the text.
 */
async function appendNewline(path: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_SYNC | constants.O_NOFOLLOW
  const handle = await open(path, flags)
  try {
    await handle.writeFile("\n")
  } finally {
    await handle.close()
  }
}
