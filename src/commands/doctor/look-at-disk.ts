import { randomBytes } from "node:crypto"
import { open, rm, statfs } from "node:fs/promises"
import { join } from "node:path"

import { isThere } from "../../std/private-file.ts"
import type { Config } from "../../vault/config/config.ts"
import { defaultMinFreeBytes } from "../../vault/config/ledger-config.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { spareBytes } from "../../vault/ledger/sqlite/spare-space.ts"
import { freeBytesOf } from "../../vault/watch/disk-space.ts"
import type { DiskFacts } from "./disk-findings.ts"

/** Writes, syncs and removes a file in the state directory, and asks how much room there is. `undefined` where it isn't there. */
export async function lookAtDisk(
  installation: Installation,
  config: Config | undefined,
): Promise<DiskFacts | undefined> {
  const directory = installation.stateDir
  if (!isThere(directory)) return undefined
  const stats = await statfs(directory)
  return {
    directory,
    freeBytes: freeBytesOf(stats),
    minFreeBytes: config?.minFreeBytes ?? defaultMinFreeBytes,
    hasSpare: (await spareBytes(pathsOf(installation).ledgerFile)) > 0,
    fileSystem: stats.type,
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
