import { setTimeout as after } from "node:timers/promises"

import { readLedger } from "../../audit/open-ledger.ts"
import { archivedAtMs } from "../../audit/read-entries.ts"
import { writeArchive } from "../../audit/write-archive.ts"
import { dayMs } from "../../std/time/duration.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { log, logFailure } from "../../vault/process/log.ts"
import { adminOver, dialOrNone } from "../installation/admin.ts"

const everyMs = 3_600_000

/**
 * Once a day moves entries that are older than countersign.yaml says into the state directory's archive/, for as long
 * as the process runs; under systemd a timer does. What fails is logged and tried again an hour later.
 */
export async function archiveInTime(installation: Installation): Promise<never> {
  for (;;) {
    await archiveIfDue(installation).catch((error: unknown) => logFailure("archive_failed", error))
    await after(everyMs, undefined, { ref: false })
  }
}

/** Archives by the daemon that runs, if nothing was archived within the last day. */
async function archiveIfDue(installation: Installation): Promise<void> {
  const { ledgerFile, archiveDir } = pathsOf(installation)
  const sinceMs = Date.now() - (await readLedger(ledgerFile, archivedAtMs))
  const link = Math.abs(sinceMs) < dayMs ? undefined : await dialOrNone(installation)
  if (link === undefined) return
  try {
    const vault = adminOver(link, installation)
    const { archive } = await writeArchive(vault, { before_ms: null, directory: archiveDir })
    if (archive === undefined) return
    const message = `${archive.entries} entries: ${archive.file}`
    log({ level: "info", event: "archived", message })
  } finally {
    link.close()
  }
}
