import { existsSync } from "node:fs"

import { Fault, type FaultCode } from "../std/fault.ts"
import type { FileSet } from "./active-set.ts"
import { systemClock } from "./clock.ts"
import { pathsOf, type Installation } from "./installation.ts"
import { loadFiles } from "./load-files.ts"
import { readFileSet } from "./read-file-set.ts"

export type UsableFiles = { readonly files: FileSet; readonly alarm: string | undefined }

const brokenCodes: ReadonlySet<FaultCode> = new Set([
  "config_invalid",
  "file_unsafe",
  "not_initialised",
])

/**
 * The files on disk; or, where they can't be used, the last ones that were in force, with an alarm that
 * says what is wrong with those on disk. An installation that never served has none to fall back to.
 *
 * @throws {Fault} as {@link loadFiles}.
 */
export async function loadUsableFiles(installation: Installation): Promise<UsableFiles> {
  try {
    return { files: await loadFiles(installation), alarm: undefined }
  } catch (error) {
    if (!(error instanceof Fault) || !brokenCodes.has(error.code)) throw error
    const files = await lastGoodFiles(installation)
    if (files === undefined) throw error
    const alarm = `The files on disk aren't used; the last good ones run instead. ${error.message}`
    return { files, alarm }
  }
}

async function lastGoodFiles(installation: Installation): Promise<FileSet | undefined> {
  const { ledgerFile } = pathsOf(installation)
  if (!existsSync(ledgerFile)) return undefined
  // countersign serve, which loads this on its way to the vault, has no other use for it.
  const { openLedger } = await import("./ledger/open-ledger.ts")
  const ledger = await openLedger({ file: ledgerFile, clock: systemClock })
  try {
    const { lastSet } = ledger.opened
    const read = lastSet === undefined ? undefined : readFileSet(lastSet.files)
    return read?.ok === true ? read.value : undefined
  } finally {
    await ledger.close()
  }
}
