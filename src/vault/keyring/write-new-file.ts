import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { link, open, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"

import { Fault } from "../../std/fault.ts"
import { codeOf } from "./read-private-file.ts"

/** How the names of files start that aren't whole yet. A crash can leave one; nothing reads it. */
export const temporaryPrefix = ".new-"

/**
 * Writes a file of mode 0600 that appears whole or not at all, and is durable when this resolves. Never
 * overwrites: `false` when `path` exists.
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
 * Stands in for fsync of the directory: a synchronous write to a file that was just linked commits its
 * new name too, on ext4, XFS and btrfs. The text stays what it was, but for white space at its end.
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
