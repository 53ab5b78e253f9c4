import { constants, type Stats } from "node:fs"
import { open } from "node:fs/promises"

import { Fault } from "../std/fault.ts"

/** Far more than any real file; bounds what a wrong path can make us read. */
const maxConfigBytes = 1024 * 1024

/**
 * Reads a configuration file's bytes through one handle, so that what was checked is what is read.
 *
 * @throws {Fault} `not_initialised` when there is none, `file_unsafe` when it is a symlink or others
 * could change it, `config_invalid` when it can't be read.
 */
export async function readConfigFile(path: string): Promise<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    (cause: unknown) => {
      throw openFault(path, cause)
    },
  )
  try {
    assertTrusted(path, await handle.stat())
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

function assertTrusted(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new Fault("config_invalid", `${path} isn't a regular file.`)
  if (stats.size > maxConfigBytes)
    throw new Fault("config_invalid", `${path} is larger than 1 MiB.`)
  const uid = process.geteuid?.()
  if (stats.uid !== 0 && stats.uid !== uid) {
    throw new Fault(
      "file_unsafe",
      `${path} belongs to another user; chown it to root or to the daemon's user.`,
    )
  }
  if ((stats.mode & 0o022) !== 0) {
    throw new Fault("file_unsafe", `${path} can be changed by others; run: chmod go-w ${path}`)
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
    return new Fault("file_unsafe", `${path} is a symlink; put the file itself there.`, { cause })
  }
  return new Fault("config_invalid", `${path} can't be read (${code ?? "unknown error"}).`, {
    cause,
  })
}
