import { readdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as after } from "node:timers/promises"

import { trimArchived, writeArchive } from "../audit/write-archive.ts"
import { type Installation, pathsOf } from "../config/installation.ts"
import { temporaryPrefix } from "../../std/private-file.ts"
import { openArchiver, type AuditParts } from "../operator/audit-methods.ts"
import { logFailure, log } from "../process/log.ts"
import { ledgerBytes } from "../status/watch-disk.ts"
import type { DiskSpace } from "../watch/disk-space.ts"

/** What is archived, where to, and what room there is. */
type Archived = AuditParts & { readonly installation: Installation; readonly disk: DiskSpace }

const dayMs = 86_400_000
const everyMs = 3_600_000

/**
 * Once a day moves entries that are older than countersign.yaml says into the state directory's
 * archive/, for as long as the process runs. What fails is logged and tried again an hour later.
 */
export function archiveInTime(archived: Archived): void {
  const look = async (): Promise<void> => {
    for (;;) {
      await archiveIfDue(archived).catch((error: unknown) => logFailure("archive_failed", error))
      await after(everyMs, undefined, { ref: false })
    }
  }
  void look()
}

/**
 * Archives if nothing was archived within the last day, and there is room for as much as the ledger has: what is
 * kept free is for cancels. What a crash left of the last time goes first.
 */
export async function archiveIfDue(archived: Archived): Promise<void> {
  const archiver = openArchiver(archived)
  const directory = pathsOf(archived.installation).archiveDir
  await trimArchived(archiver(0))
  await removeTemporaries(directory)
  const keepMs = archived.active().config.archiveKeepMs
  if (keepMs === undefined) return
  const nowMs = archived.now()
  const { archivedAtMs = 0 } = await archived.ledger.audit.ends()
  if (Math.abs(nowMs - archivedAtMs) < dayMs) return
  if (archived.disk.lowWith(await ledgerBytes(archived.installation)) !== undefined) return
  const { archive } = await writeArchive(archiver(nowMs - keepMs), directory)
  if (archive === undefined) return
  log({ level: "info", event: "archived", message: `${archive.entries} entries: ${archive.file}` })
}

/** Only this process writes there. */
async function removeTemporaries(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []) // there is none yet
  for (const name of names) {
    if (name.startsWith(temporaryPrefix)) await unlink(join(directory, name))
  }
}
