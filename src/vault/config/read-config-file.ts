import { constants, type Stats } from "node:fs"
import { open, stat } from "node:fs/promises"

import { Fault } from "../../std/fault.ts"
import { shellWord } from "../../std/visible.ts"

/** Far more than any real file; bounds what a wrong path can make us read. */
const maxConfigBytes = 1024 * 1024

/**
 * Reads a configuration file's bytes through one handle, so that what was checked is what is read.
 *
 * @throws {Fault} `not_initialised` when there is none, `file_unsafe` when it is a symlink or others
 * could change it, `config_invalid` when it can't be read.
 */
export async function readConfigFile(path: string): Promise<Uint8Array> {
  // O_NONBLOCK: opening a FIFO that nobody writes to would otherwise wait for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(path, flags).catch((cause: unknown) => {
    throw openFault(path, cause)
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Fault("config_invalid", `${path} isn't a regular file.`)
    if (stats.size > maxConfigBytes)
      throw new Fault("config_invalid", `${path} is larger than 1 MiB.`)
    assertTrusted(path, stats)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/**
 * Throws unless `path` is a directory in which nobody but root and the daemon's user can add, remove or
 * exchange files: whoever can take a file of denials away widens what is allowed. With `lstat` to look by, it may be
 * no symlink either: what lies on the way to where that leads isn't looked at.
 *
 * @throws {Fault} `not_initialised`, `file_unsafe`, `config_invalid`.
 */
export async function assertTrustedDirectory(path: string, look = stat): Promise<void> {
  const stats = await look(path).catch((cause: unknown) => {
    throw openFault(path, cause)
  })
  if (stats.isSymbolicLink()) {
    throw new Fault("file_unsafe", `${path} is a symlink; put the directory itself there.`)
  }
  if (!stats.isDirectory()) throw new Fault("config_invalid", `${path} isn't a directory.`)
  assertTrusted(path, stats)
}

function assertTrusted(path: string, { uid, mode }: Stats): void {
  if (uid !== 0 && uid !== process.geteuid?.()) {
    throw new Fault(
      "file_unsafe",
      `${path} belongs to another user (${uid}), who could change it. Run this as the installation's owner, or as root; the files must be theirs.`,
    )
  }
  if ((mode & 0o022) !== 0) {
    throw new Fault(
      "file_unsafe",
      `${path} can be changed by others; run: chmod go-w ${shellWord(path)}`,
    )
  }
}

function openFault(path: string, cause: unknown): Fault {
  const code = (cause as NodeJS.ErrnoException).code // whatever fs throws is an ErrnoException
  if (code === "ENOENT") {
    return new Fault("not_initialised", `${path} doesn't exist; run countersign init first.`, {
      cause,
    })
  }
  if (code === "ELOOP") {
    return new Fault(
      "file_unsafe",
      `${path} is a symlink, which isn't followed; have the file itself there.`,
      { cause },
    )
  }
  return new Fault("config_invalid", `${path} can't be read (${code ?? "unknown error"}).`, {
    cause,
  })
}
