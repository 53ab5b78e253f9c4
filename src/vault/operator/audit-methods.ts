import type { AuditResults, EntryView } from "../../link/calls/audit-methods.ts"
import type { AdminParams } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { Acts, FilesInForce } from "../active/active-set.ts"
import type { Checkpoints } from "../audit/checkpoints.ts"
import type { LedgerAudit } from "../ledger/audit/ledger-audit.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { maxPageBytes } from "../ledger/sqlite/entry-pages.ts"
import type { ChainPosition, StoredEntry } from "../ledger/store/audit-queries.ts"
import { longestWindowMs } from "../request/recount.ts"
import { recordView } from "../status/views.ts"

/** What was recorded; archiving is an act, one at a time. */
export type AuditParts = Acts &
  Pick<FilesInForce, "inTurn"> & {
    readonly ledger: Pick<Ledger, "audit" | "record">
    readonly checkpoints: Pick<Checkpoints, "sign">
  }

/** The calls that read, prove and archive what was recorded. */
export function auditMethods(parts: AuditParts) {
  const { audit } = parts.ledger
  return {
    async auditEnds(): Promise<AuditResults["auditEnds"]> {
      const { seq, hash, archivedSeq, archivedHash, checkpoint } = await audit.ends()
      return {
        ...{ seq, hash, archived_seq: archivedSeq, archived_hash: archivedHash },
        public_key: checkpoint?.publicKey ?? null,
      }
    },
    auditPage: (params: AdminParams["auditPage"]) => auditPage(params, audit),
    auditRow: (params: AdminParams["auditRow"]) => auditRow(params, audit),
    auditShow: (params: AdminParams["auditShow"]) => auditShow(params, audit),
    async auditRecord({ id }: AdminParams["auditRecord"]): Promise<AuditResults["auditRecord"]> {
      const found = await parts.ledger.record(id)
      if (found === undefined) return null
      return { ...recordView(found, parts.now()), body: "heard" in found ? found.row.body : null }
    },
    auditVerify: (params: AdminParams["auditVerify"]) => auditVerify(params, audit),
    auditVerifyTables: ({ from, position }: AdminParams["auditVerifyTables"]) =>
      audit.checkTables(from, position),
    auditCheckpoint: async (): Promise<AuditResults["auditCheckpoint"]> => ({
      signed: await parts.checkpoints.sign(),
    }),
    ...archiveMethods(parts),
  }
}

async function auditPage(
  { afterSeq, beforeSeq = Number.MAX_SAFE_INTEGER, limit, ...filter }: AdminParams["auditPage"],
  audit: LedgerAudit,
): Promise<AuditResults["auditPage"]> {
  const from = afterSeq === undefined ? { before: beforeSeq } : { after: afterSeq }
  const { entries, next, isEnd } = await audit.page({ from, limit, filter })
  return { entries: entryViews(entries), next, is_end: isEnd }
}

async function auditRow(
  { seq, offsetBytes }: AdminParams["auditRow"],
  audit: LedgerAudit,
): Promise<AuditResults["auditRow"]> {
  const from = { after: seq - 1 }
  const { entries } = await audit.page({ from, limit: 1, filter: {} })
  const [entry] = entries
  if (entry?.seq !== seq) throw new Fault("name_unknown", `There is no entry ${seq} in the ledger.`)
  const row = Buffer.from(entry.row)
  const part = row.subarray(offsetBytes, offsetBytes + maxPageBytes)
  return { part: part.toString("base64"), bytes: row.length }
}

async function auditShow(
  { id }: AdminParams["auditShow"],
  audit: LedgerAudit,
): Promise<AuditResults["auditShow"]> {
  const found = await audit.about(id)
  if (found === undefined) {
    return { entry: null, others: [], archive: (await audit.archiveOf(id)) ?? null }
  }
  const [entry, ...others] = entryViews([found.entry, ...found.others])
  return { entry: entry ?? null, others, archive: null }
}

/** Rows share one bound, so that they cross in one frame; what is over it has to be asked for. */
function entryViews(entries: readonly StoredEntry[]): readonly EntryView[] {
  let leftBytes = maxPageBytes
  return entries.map(({ seq, id, kind, at_ms: at, row, hash }) => {
    const bytes = Buffer.from(row)
    const part = bytes.subarray(0, leftBytes)
    leftBytes -= part.length
    return {
      ...{ seq, id, kind, at },
      hash: Buffer.from(hash).toString("hex"),
      row: part.toString("base64"),
      bytes: bytes.length,
    }
  })
}

/** Entries that one step of the ledger's thread takes at most; most steps end by their time. */
const stepEntries = 2_000

async function auditVerify(
  { from, count }: AdminParams["auditVerify"],
  audit: LedgerAudit,
): Promise<AuditResults["auditVerify"]> {
  let position: ChainPosition | null = from
  let checked = 0
  for (;;) {
    const step = await audit.check(position, Math.min(stepEntries, count - checked))
    position = step.position
    checked += step.checked
    if (step.flaw !== null || step.isEnd || checked >= count) return { ...step, checked }
  }
}

/** What was recorded within this time always stays: idempotency and open questions need it. */
const leastKeptMs = 86_400_000

/** How many steps a call removes archived entries by. */
const trimSteps = 20

/** Only what this process has handed out as archivable can be archived, up to where it was. */
function archiveMethods(parts: AuditParts) {
  const { audit } = parts.ledger
  let mayGo: Pick<StoredEntry, "seq" | "hash"> | undefined
  return {
    async auditArchivable({ afterSeq, beforeMs }: AdminParams["auditArchivable"]) {
      if (parts.active().config.postgres?.hosts !== undefined) {
        throw new Fault("usage", "What several hosts share isn't archived; nothing was done.")
      }
      const nowMs = parts.now()
      const page = await audit.archivable(afterSeq, {
        beforeMs: Math.min(beforeMs, nowMs - leastKeptMs),
        countedSinceMs: nowMs - longestWindowMs(parts.active().policies),
        nowMs,
      })
      mayGo = page.entries.at(-1) ?? mayGo
      return { entries: entryViews(page.entries), end: page.end ?? null }
    },
    auditArchive: (params: AdminParams["auditArchive"]) =>
      parts.inTurn(async (): Promise<AuditResults["auditArchive"]> => {
        const { archivedSeq } = await audit.ends()
        const isNext = params.first_seq === archivedSeq + 1 && params.last_seq === mayGo?.seq
        const hash = Buffer.from(mayGo?.hash ?? []).toString("hex")
        if (!isNext || params.last_hash !== hash) throw archivedMeanwhile()
        return { record: await parts.act({ act: "archived", ...params }) }
      }),
    async auditTrim(): Promise<AuditResults["auditTrim"]> {
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

function archivedMeanwhile(): Fault {
  return new Fault(
    "usage",
    "The ledger was archived by another process or started anew meanwhile; nothing was removed. Remove the file and run this again.",
  )
}
