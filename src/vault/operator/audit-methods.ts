import { readdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as after } from "node:timers/promises"

import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { temporaryPrefix } from "../../std/private-file.ts"
import type { Acts, FilesInForce } from "../active/active-set.ts"
import type { Checkpoints } from "../audit/checkpoints.ts"
import {
  type ArchivePage,
  type ArchiveSource,
  trimArchived,
  writeArchive,
} from "../audit/write-archive.ts"
import { type Installation, pathsOf } from "../config/installation.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { ArchiveBounds, StoredEntry } from "../ledger/store/audit-queries.ts"
import { logFailure, log } from "../process/log.ts"
import { longestWindowMs } from "../request/recount.ts"
import { ledgerBytes } from "../status/watch-disk.ts"
import type { DiskSpace } from "../watch/disk-space.ts"

/** What was recorded; archiving is an act, one at a time. */
export type AuditParts = Acts &
  Pick<FilesInForce, "inTurn"> & {
    readonly ledger: Pick<Ledger, "audit">
    readonly checkpoints: Pick<Checkpoints, "sign">
  }

/** The calls that prove and archive what was recorded. */
export function auditMethods(parts: AuditParts) {
  const archiver = openArchiver(parts)
  return {
    async ledgerHead(): Promise<AdminResults["ledgerHead"]> {
      const { seq, hash } = await parts.ledger.audit.ends()
      return { seq, hash }
    },
    auditCheckpoint: async (): Promise<AdminResults["auditCheckpoint"]> => ({
      signed: await parts.checkpoints.sign(),
    }),
    async auditArchivable({
      beforeMs,
    }: AdminParams["auditArchivable"]): Promise<AdminResults["auditArchivable"]> {
      const { archived, pages } = archiver(beforeMs)
      const { seq } = await archived()
      let [last_seq, stays]: [number, ArchivePage["stays"]] = [seq, undefined]
      for await (const page of pages(seq)) {
        last_seq = page.entries.at(-1)?.seq ?? last_seq
        stays = page.stays
      }
      return { last_seq, stays: stays ?? null }
    },
    auditArchive: (archived: AdminParams["auditArchive"]): Promise<AdminResults["auditArchive"]> =>
      archiver(0).record(archived),
    auditTrim: async (): Promise<AdminResults["auditTrim"]> => ({
      removed: await archiver(0).trim(),
    }),
  }
}

/** What was recorded within this time always stays: idempotency and open questions need it. */
const leastKeptMs = 86_400_000

/** How many steps a call removes archived entries by. */
const trimSteps = 20

/** Archives what was recorded before a time. Only what this has handed out as archivable can be archived, up to where it was. */
export function openArchiver(parts: AuditParts): (beforeMs: number) => ArchiveSource {
  const { audit } = parts.ledger
  let mayGo: StoredEntry | undefined
  return (beforeMs) => ({
    async archived() {
      const { archivedSeq: seq, archivedHash: hash } = await audit.ends()
      return { seq, hash }
    },
    async *pages(afterSeq) {
      const bounds = boundsOf(beforeMs, parts)
      let last: StoredEntry | undefined
      for (let isEnd = false; !isEnd;) {
        const { entries, end } = await audit.archivable(last?.seq ?? afterSeq, bounds)
        mayGo = last = entries.at(-1) ?? last
        isEnd = end !== undefined
        yield { entries, stays: end === "journal_ends" ? undefined : end }
      }
    },
    checkpoint: () => parts.checkpoints.sign(),
    record: (archived) =>
      parts.inTurn(async () => {
        const { archivedSeq } = await audit.ends()
        const isNext = archived.first_seq === archivedSeq + 1 && archived.last_seq === mayGo?.seq
        const hash = Buffer.from(mayGo?.hash ?? []).toString("hex")
        if (!isNext || archived.last_hash !== hash) throw archivedMeanwhile()
        return { record: await parts.act({ act: "archived", ...archived }) }
      }),
    async trim() {
      let removed = 0
      for (let step = 0; step < trimSteps; step++) {
        const now = await audit.trim()
        if (now === 0) break
        removed += now
      }
      return removed
    },
  })
}

/** @throws {Fault} `usage` where nothing is archived. */
function boundsOf(beforeMs: number, { active, now }: AuditParts): ArchiveBounds {
  const { config, policies } = active()
  if (config.postgres?.hosts !== undefined) {
    throw new Fault("usage", "What several hosts share isn't archived; nothing was done.")
  }
  const nowMs = now()
  return {
    beforeMs: Math.min(beforeMs, nowMs - leastKeptMs),
    countedSinceMs: nowMs - longestWindowMs(policies),
    nowMs,
  }
}

function archivedMeanwhile(): Fault {
  return new Fault(
    "usage",
    "The ledger was archived by another process or started anew meanwhile; nothing was removed. Remove the file and run this again.",
  )
}

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
