import type { Warning } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { isThere } from "../../std/private-file.ts"
import { shellWord } from "../../std/visible.ts"
import { boundSet, makeActiveSet } from "../../vault/active/active-set.ts"
import type { FileSet } from "../../vault/config/load-files.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import type { Bindings } from "../../vault/ledger/bindings.ts"
import { openLedger } from "../../vault/ledger/open-ledger.ts"
import { systemClock } from "../../vault/process/clock.ts"
import { warningsOf } from "../../vault/status/warnings.ts"
import type { DaemonLook } from "./daemon-findings.ts"
import { failureOf, ok, type Finding } from "./finding.ts"

/** What the ledger is like, and what files and keys together give to think about. */
type LedgerLook = { readonly finding: Finding; readonly warnings: readonly Warning[] }

/**
 * Asks the daemon for its ledger; where none runs, opens it under the daemon's own lock. Makes none where
 * there is none.
 */
export async function lookAtLedger(
  installation: Installation,
  daemon: DaemonLook,
  files: FileSet | undefined,
): Promise<LedgerLook> {
  if (daemon.kind === "running") {
    const { records, warnings } = daemon.status
    return { finding: ok("ledger", `The daemon has it open: ${records} records.`), warnings }
  }
  const { ledgerFile } = pathsOf(installation)
  if (!isThere(ledgerFile)) {
    const finding = ok("ledger", "There is none yet; the first start makes it.")
    return { finding, warnings: warningsFor(files) }
  }
  try {
    return await openAndLook(ledgerFile, files)
  } catch (error) {
    const finding = failureOf("ledger", error, fixOf(error, ledgerFile))
    return { finding, warnings: warningsFor(files) }
  }
}

/** A ledger is restored only where it is what is wrong. */
function fixOf(error: unknown, ledgerFile: string): string {
  const code = error instanceof Fault ? error.code : undefined
  if (code === "ledger_unusable") return `restore ${shellWord(ledgerFile)} from a back-up`
  if (code === "already_running") return `stop what uses ${shellWord(ledgerFile)}`
  return "mend what the sentence names, then run countersign doctor again"
}

async function openAndLook(file: string, files: FileSet | undefined): Promise<LedgerLook> {
  const ledger = await openLedger({ file, clock: systemClock })
  try {
    const records = await ledger.count()
    return {
      finding: ok("ledger", `It opens, and its last record is whole: ${records} records.`),
      warnings: warningsFor(files, ledger.bindings()),
    }
  } finally {
    await ledger.close()
  }
}

function warningsFor(files: FileSet | undefined, bindings?: Bindings): readonly Warning[] {
  if (files === undefined) return []
  return warningsOf(
    bindings === undefined ? makeActiveSet(files, [], []) : boundSet(files, bindings),
    systemClock.nowMs(),
  )
}
