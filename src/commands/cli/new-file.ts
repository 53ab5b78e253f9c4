import { open, unlink, type FileHandle } from "node:fs/promises"

import { Fault } from "../../std/fault.ts"
import { codeOf } from "../../std/private-file.ts"
import { option } from "./command.ts"

/** `--out <file>`, of a command that prints what others mustn't read: a shell's redirection makes a file of any mode. */
export function outOption(what: string) {
  return option("--out <file>", `a new file of mode 0600 for ${what}, instead of printing it`)
}

/**
 * Makes a file that its owner alone can read, closed when `use` ends, and removed again where that fails. It never
 * takes the place of another.
 *
 * @throws {Fault} `name_taken`, `usage`, `ledger_unavailable` where the disk takes no more.
 */
export async function withNewFile<Answer>(
  path: string,
  use: (file: FileHandle) => Promise<Answer>,
): Promise<Answer> {
  const file = await openNew(path)
  try {
    return await use(file)
  } catch (error) {
    await unlink(path).catch(() => undefined) // the cause matters
    throw isOfDisk(error) ? cantBeWritten(path, error) : error
  } finally {
    await file.close()
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600)
  } catch (cause) {
    const code = codeOf(cause)
    if (code === "EEXIST") {
      throw new Fault("name_taken", `${path} is there already; choose another name.`, { cause })
    }
    const message = `${path} can't be made (${code ?? "unknown error"}); check its directory.`
    throw new Fault("usage", message, { cause })
  }
}

function isOfDisk(error: unknown): boolean {
  const { syscall } = error as NodeJS.ErrnoException // undefined of whatever else is thrown
  return syscall === "write" || syscall === "writev" || syscall === "fsync"
}

function cantBeWritten(path: string, cause: unknown): Fault {
  return new Fault(
    "ledger_unavailable",
    `${path} can't be written (${codeOf(cause) ?? "unknown error"}), and was removed again; check the disk.`,
    { cause },
  )
}
