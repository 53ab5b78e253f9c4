import { lstat, open } from "node:fs/promises"

import { Fault } from "../../std/fault.ts"

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
    throw new Fault("file_unsafe", `${file} is open to other users; run: chmod 600 ${file}`)
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
