import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { open, rm, statfs } from "node:fs/promises"
import { join } from "node:path"

import type { DiskFacts } from "./disk-findings.ts"

/** Writes, syncs and removes a file in `directory`, and asks how much room there is. `undefined` where it isn't there. */
export async function lookAtDisk(directory: string): Promise<DiskFacts | undefined> {
  if (!existsSync(directory)) return undefined
  const { bavail, bsize, type } = await statfs(directory)
  return {
    directory,
    freeBytes: bavail * bsize,
    fileSystem: type,
    syncError: await trySync(join(directory, `.doctor-${randomBytes(8).toString("hex")}`)),
  }
}

async function trySync(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, "wx", 0o600)
    try {
      await handle.write("countersign doctor\n")
      await handle.sync()
    } finally {
      await handle.close()
      await rm(file)
    }
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown error" // fs throws ErrnoExceptions
  }
}
