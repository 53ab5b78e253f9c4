import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { Acts, FilesInForce } from "../active/active-set.ts"
import type { Checkpoints } from "../audit/checkpoints.ts"
import type { ArchivePage, ArchiveSource } from "../audit/write-archive.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { ArchiveBounds, StoredEntry } from "../ledger/store/audit-queries.ts"
import { longestWindowMs } from "../request/recount.ts"

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
