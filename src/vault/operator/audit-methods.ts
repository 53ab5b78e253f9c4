import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { Acts, FilesInForce } from "../active/active-set.ts"
import type { Installation } from "../config/installation.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { ArchiveBounds, JournalHead } from "../ledger/store/audit-queries.ts"
import { longestWindowMs } from "../request/recount.ts"
import { ledgerBytes } from "../status/watch-disk.ts"
import type { Checkpoints } from "../watch/checkpoints.ts"
import type { DiskSpace } from "../watch/disk-space.ts"

/** What was recorded; archiving is an act, one at a time. */
type AuditParts = Acts &
  Pick<FilesInForce, "inTurn"> & {
    readonly installation: Installation
    readonly ledger: Pick<Ledger, "audit">
    readonly checkpoints: Pick<Checkpoints, "sign">
    readonly disk: Pick<DiskSpace, "lowWith">
  }

/** The calls that prove what was recorded, and let old entries go into an archive that the caller writes. */
export function auditMethods(parts: AuditParts) {
  return {
    async ledgerHead(): Promise<AdminResults["ledgerHead"]> {
      const { seq, hash } = await parts.ledger.audit.ends()
      return { seq, hash }
    },
    auditCheckpoint: async (): Promise<AdminResults["auditCheckpoint"]> => ({
      signed: await parts.checkpoints.sign(),
    }),
    ...archiveMethods(parts),
  }
}

function archiveMethods(parts: AuditParts) {
  const { audit } = parts.ledger
  /** The last entry that was told to be archivable; only up to there can entries be archived. */
  let mayGo: JournalHead | undefined
  return {
    async auditArchivable({
      before_ms,
    }: AdminParams["auditArchivable"]): Promise<AdminResults["auditArchivable"]> {
      const { archived } = await audit.ends()
      const beforeMs = before_ms ?? (await keptSince(parts))
      if (typeof beforeMs === "string") {
        return { last_seq: archived.seq, stays: { seq: archived.seq + 1, why: beforeMs } }
      }
      const bounds = boundsOf(beforeMs, parts)
      for (let last = archived; ;) {
        const step = await audit.archivable(last.seq, bounds)
        last = step.last ?? last
        if (step.end === undefined) continue
        mayGo = last
        return { last_seq: last.seq, stays: step.end === "journal_ends" ? null : step.end }
      }
    },
    auditArchive: (archived: AdminParams["auditArchive"]): Promise<AdminResults["auditArchive"]> =>
      parts.inTurn(async () => {
        const ends = await audit.ends()
        const isNext =
          archived.first_seq === ends.archived.seq + 1 && archived.last_seq === mayGo?.seq
        if (!isNext || archived.last_hash !== mayGo?.hash) throw archivedMeanwhile()
        return { record: await parts.act({ act: "archived", ...archived }) }
      }),
    async auditTrim(): Promise<AdminResults["auditTrim"]> {
      let removed = 0
      for (let step = 0; step < trimSteps; step++) {
        const now = await audit.trim()
        if (now === 0) break
        removed += now
      }
      return { removed }
    },
  }
}

/** How many steps a call removes archived entries by. */
const trimSteps = 20

/** What was recorded within this time always stays: idempotency and open questions need it. */
const leastKeptMs = 86_400_000

/** Since when `archive` in countersign.yaml keeps entries, or why nothing is to go: what is free is kept for cancels. */
async function keptSince(parts: AuditParts): Promise<number | "off" | "room"> {
  const { archiveKeepMs } = parts.active().config
  if (archiveKeepMs === undefined) return "off"
  const low = parts.disk.lowWith(await ledgerBytes(parts.installation))
  return low === undefined ? parts.now() - archiveKeepMs : "room"
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
