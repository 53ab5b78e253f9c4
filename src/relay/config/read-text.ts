import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"

import { decodeUtf8 } from "../../std/bytes.ts"
import { codeOf } from "../../std/private-file.ts"
import { err, type Result } from "../../std/result.ts"

/** Some twenty certificates, and far more than any relay.yaml. */
const maxBytes = 65_536

/** Reads a file that isn't secret. The error follows the file's name in a sentence. */
export async function readText(file: string): Promise<Result<string, string>> {
  const handle = await openFile(file)
  if (typeof handle === "string") return err(handle)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return err("isn't a regular file")
    if (stats.size > maxBytes) return err("is larger than 64 KiB; check that it's the right file")
    const text = decodeUtf8(await handle.readFile())
    return text.ok ? text : err("isn't UTF-8 text")
  } finally {
    await handle.close()
  }
}

async function openFile(file: string): Promise<FileHandle | string> {
  try {
    // O_NONBLOCK: opening a FIFO that nobody writes to would otherwise wait for ever.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT") return "doesn't exist"
    return `can't be read by this user (${code ?? "unknown error"})`
  }
}
