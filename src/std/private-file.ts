import { constants, type Stats, statSync } from "node:fs"
import { lstat, open, type FileHandle, link, rename, unlink } from "node:fs/promises"
import { randomBytes } from "node:crypto"
import { dirname, join } from "node:path"

import { copySecret } from "./bytes.ts"
import { Fault, type FaultCode } from "./fault.ts"
import { shellWord } from "./visible.ts"

/**
 * Reads a file that only its owner can read. Checks and reads through one handle, so that both see the same file.
 * `undefined` if there is none.
 *
 * @throws {Fault} `file_unsafe` when it is a symlink, too large, not ours or open to others.
 */
export async function readPrivateFile(
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const handle = await openUnfollowed(path).catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return undefined
    throw openFault(path, cause)
  })
  if (handle === undefined) return undefined
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Fault("file_unsafe", `${path} must be a regular file.`)
    assertPrivate(path, stats)
    return await readBounded(handle, path, maxBytes)
  } finally {
    await handle.close()
  }
}

/** As {@link readPrivateFile}, of text that isn't secret. */
export async function readPrivateText(path: string, maxBytes: number): Promise<string | undefined> {
  const bytes = await readPrivateFile(path, maxBytes)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

/** @throws {Fault} `not_initialised` when there is no such directory, `file_unsafe` when others get into it. */
export async function assertPrivateDirectory(path: string): Promise<void> {
  const stats = await lstat(path).catch((cause: unknown) => {
    throw codeOf(cause) === "ENOENT"
      ? new Fault("not_initialised", `${path} doesn't exist; run countersign init first.`, {
          cause,
        })
      : openFault(path, cause)
  })
  if (!stats.isDirectory()) {
    throw new Fault("file_unsafe", `${path} must be a directory, not a symlink or a file.`)
  }
  assertPrivate(path, stats)
}

/** The part of a file's status that says who can access it. */
type Access = Pick<Stats, "uid" | "gid" | "mode" | "isDirectory">

/**
 * Throws unless only its owner has rights to `path`, and the owner is the user `uid` or root.
 *
 * systemd gives a service its credential as a file of root:root with an ACL for the service's user. Its mode then
 * shows the ACL's mask as a group-read bit, which gives nobody else access. So that bit is allowed there.
 *
 * @throws {Fault} `file_unsafe`, with the command that fixes it.
 */
export function assertPrivate(path: string, access: Access, uid = callerUid()): void {
  if (access.uid !== uid && access.uid !== 0) {
    throw new Fault(
      "file_unsafe",
      `${path} belongs to another user; run: chown ${uid} ${shellWord(path)}`,
    )
  }
  if ((access.mode & forbiddenBits(access, uid)) !== 0) {
    const mode = access.isDirectory() ? "700" : "600"
    throw new Fault(
      "file_unsafe",
      `${path} is open to other users; run: chmod ${mode} ${shellWord(path)}`,
    )
  }
}

function forbiddenBits(access: Access, uid: number): number {
  const isLentByRoot = access.uid === 0 && access.gid === 0 && uid !== 0
  return isLentByRoot && !access.isDirectory() ? 0o037 : 0o077
}

function callerUid(): number {
  if (process.geteuid !== undefined) return process.geteuid()
  throw new Fault(
    "file_unsafe",
    "This system has no file owners; keys can't be kept in files here.",
  )
}

/** The code of an error from `node:fs`, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code // whatever fs throws is an ErrnoException
}

/** Opens a file to read, which may be no symlink. O_NONBLOCK: a FIFO that nobody writes to would otherwise be waited for. */
export function openUnfollowed(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
}

/** Why a file can't be opened or looked at, for all but that it isn't there. */
function openFault(path: string, cause: unknown): Fault {
  const code = codeOf(cause)
  if (code === "ELOOP") {
    return new Fault(
      "file_unsafe",
      `${path} is a symlink, which isn't followed; name the file itself.`,
      { cause },
    )
  }
  if (code === "EACCES" || code === "EPERM") {
    const message = `${path} can't be opened by this user; run as its owner or change the owner.`
    return new Fault("file_unsafe", message, { cause })
  }
  const message = `${path} can't be read (${code ?? "unknown error"}); check the disk.`
  return new Fault("keystore_unavailable", message, { cause })
}

/** Reads one byte more than allowed, to see if the file is too large. Overwrites its buffer. */
async function readBounded(
  handle: FileHandle,
  path: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const buffer = new Uint8Array(maxBytes + 1)
  try {
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
      if (bytesRead === 0) return copySecret(buffer.subarray(0, length))
      length += bytesRead
    }
  } finally {
    buffer.fill(0)
  }
  throw new Fault(
    "file_unsafe",
    `${path} is larger than ${maxBytes} bytes; check that it's the right file.`,
  )
}

/** Whether there is something at `path`. What can't be looked at isn't said to be missing. @throws {Fault} */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw openFault(path, cause)
  }
}

/** The prefix of files that aren't complete yet. A crash can leave one; nothing reads it. */
export const temporaryPrefix = ".new-"

/**
 * Writes a file of mode 0600. It appears complete or not at all, and is durable when this resolves. It never
 * overwrites: `false` if `path` exists.
 *
 * @throws {Fault} `keystore_unavailable` when the disk refuses.
 */
export function writeNewFile(path: string, text: string): Promise<boolean> {
  return place(text, path, { by: linkAs, failure: "keystore_unavailable" })
}

/** As {@link writeNewFile}, in the place of whatever file there is. @throws {Fault} `ledger_unavailable`. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const by = (temporary: string) => rename(temporary, path).then(() => true)
  await place(text, path, { by, failure: "ledger_unavailable" })
}

/**
 * `by` gives the temporary file its own name, or is false where that is taken.
 *
 * Files are opened O_SYNC and not flushed by fsync, which Node's permission model refuses (as of Node 24.13 and 26).
 */
async function place(
  text: string,
  path: string,
  { by, failure }: { readonly by: typeof linkAs; readonly failure: FaultCode },
): Promise<boolean> {
  const directory = dirname(path)
  const temporary = join(directory, `${temporaryPrefix}${randomBytes(8).toString("hex")}`)
  try {
    await writeInto(temporary, text, constants.O_CREAT | constants.O_EXCL)
    const isPlaced = await by(temporary, path)
    // Used instead of fsync of the directory: on ext4, XFS and btrfs, a synchronous write to a file that was just linked
    // commits its new name too. It only adds white space at the end of the text.
    if (isPlaced && !(await syncDirectory(directory))) {
      await writeInto(path, "\n", constants.O_APPEND)
    }
    return isPlaced
  } catch (cause) {
    await unlink(temporary).catch(() => undefined) // may be gone already; the cause is what matters
    const message = `${path} can't be written (${codeOf(cause) ?? "unknown error"}); check the disk and its owner.`
    throw new Fault(failure, message, { cause })
  }
}

/** A link, unlike a rename, fails where the name is taken. */
async function linkAs(temporary: string, path: string): Promise<boolean> {
  const isNew = await link(temporary, path).then(
    () => true,
    (cause: unknown) => {
      if (codeOf(cause) === "EEXIST") return false
      throw cause
    },
  )
  await unlink(temporary)
  return isNew
}

async function writeInto(path: string, text: string, flags: number): Promise<void> {
  const always = constants.O_WRONLY | constants.O_SYNC | constants.O_NOFOLLOW
  const handle = await open(path, always | flags, 0o600)
  try {
    await handle.writeFile(text)
  } finally {
    await handle.close()
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
