import { lstat, mkdir } from "node:fs/promises"

import { Fault } from "../../std/fault.ts"

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
      throw new Fault("file_unsafe", `${directory} is open to others; run: chmod 700 ${directory}`)
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
