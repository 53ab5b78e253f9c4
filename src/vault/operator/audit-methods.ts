import type { AuditResults, EntryView } from "../../link/calls/audit-methods.ts"
import type { AdminParams } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { Vault } from "../core/vault.ts"
import { decisionView, recordView } from "../status/views.ts"
import type { ChainPosition, StoredEntry } from "../ledger/audit/chain-check.ts"
import { maxPageBytes } from "../ledger/audit/entry-pages.ts"
import { longestWindowMs } from "../request/recount.ts"

/** The calls that read, prove and archive what was recorded. */
export function auditMethods(vault: Vault) {
  const { audit } = vault.ledger
  return {
    async auditEnds(): Promise<AuditResults["auditEnds"]> {
      const { seq, hash, archivedSeq, archivedHash } = await audit.ends()
      return { seq, hash, archived_seq: archivedSeq, archived_hash: archivedHash }
    },
    auditPage: (params: AdminParams["auditPage"]) => auditPage(params, vault),
    auditRow: (params: AdminParams["auditRow"]) => auditRow(params, vault),
    auditShow: (params: AdminParams["auditShow"]) => auditShow(params, vault),
    auditDecisions: () => auditDecisions(vault),
    auditRecord: (params: AdminParams["auditRecord"]) => auditRecord(params, vault),
    auditVerify: (params: AdminParams["auditVerify"]) => auditVerify(params, vault),
    auditVerifyTables: ({ from, position }: AdminParams["auditVerifyTables"]) =>
      audit.checkTables(from, position),
    auditCheckpoint: async (): Promise<AuditResults["auditCheckpoint"]> => ({
      signed: await vault.checkpoints.sign(),
    }),
    ...archiveMethods(vault),
  }
}

async function auditPage(
  { afterSeq, beforeSeq = Number.MAX_SAFE_INTEGER, limit, ...filter }: AdminParams["auditPage"],
  { ledger }: Vault,
): Promise<AuditResults["auditPage"]> {
  const from = afterSeq === undefined ? { before: beforeSeq } : { after: afterSeq }
  const { entries, next, isEnd } = await ledger.audit.page({ from, limit, filter })
  return { entries: entryViews(entries), next, is_end: isEnd }
}

async function auditRow(
  { seq, offsetBytes }: AdminParams["auditRow"],
  { ledger }: Vault,
): Promise<AuditResults["auditRow"]> {
  const from = { after: seq - 1 }
  const { entries } = await ledger.audit.page({ from, limit: 1, filter: {} })
  const [entry] = entries
  if (entry?.seq !== seq) throw new Fault("name_unknown", `There is no entry ${seq} in the ledger.`)
  const row = Buffer.from(entry.row)
  const part = row.subarray(offsetBytes, offsetBytes + maxPageBytes)
  return { part: part.toString("base64"), bytes: row.length }
}

async function auditShow(
  { id }: AdminParams["auditShow"],
  { ledger }: Vault,
): Promise<AuditResults["auditShow"]> {
  const found = await ledger.audit.about(id)
  if (found === undefined) {
    return { entry: null, others: [], archive: (await ledger.audit.archiveOf(id)) ?? null }
  }
  const [entry, ...others] = entryViews([found.entry, ...found.others])
  return { entry: entry ?? null, others, archive: null }
}

/** How many decisions are told at once. */
const shownDecisions = 200

async function auditDecisions({ ledger }: Vault): Promise<AuditResults["auditDecisions"]> {
  const { recorded, decisions } = await ledger.audit.decisions(shownDecisions)
  return { recorded, decisions: decisions.map(decisionView) }
}

async function auditRecord(
  { id }: AdminParams["auditRecord"],
  vault: Vault,
): Promise<AuditResults["auditRecord"]> {
  const record = await vault.ledger.record(id, vault.now())
  return record === undefined ? null : { ...recordView(record), body: record.body }
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
  { ledger }: Vault,
): Promise<AuditResults["auditVerify"]> {
  let position: ChainPosition | null = from
  let checked = 0
  for (;;) {
    const step = await ledger.audit.check(position, Math.min(stepEntries, count - checked))
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
function archiveMethods(vault: Vault) {
  const { audit } = vault.ledger
  let mayGo: Pick<StoredEntry, "seq" | "hash"> | undefined
  return {
    async auditArchivable({ afterSeq, beforeMs }: AdminParams["auditArchivable"]) {
      const nowMs = vault.now()
      const page = await audit.archivable(afterSeq, {
        beforeMs: Math.min(beforeMs, nowMs - leastKeptMs),
        countedSinceMs: nowMs - longestWindowMs(vault.active().policies),
        nowMs,
      })
      mayGo = page.entries.at(-1) ?? mayGo
      return { entries: entryViews(page.entries), end: page.end ?? null }
    },
    auditArchive: (params: AdminParams["auditArchive"]) =>
      vault.inTurn(async (): Promise<AuditResults["auditArchive"]> => {
        const { archivedSeq } = await audit.ends()
        const isNext = params.first_seq === archivedSeq + 1 && params.last_seq === mayGo?.seq
        const hash = Buffer.from(mayGo?.hash ?? []).toString("hex")
        if (!isNext || params.last_hash !== hash) throw archivedMeanwhile()
        return { record: await vault.act(archivedAct(params)) }
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

function archivedAct(params: AdminParams["auditArchive"]) {
  return {
    act: "archived" as const,
    file: params.file,
    sha256: params.sha256,
    firstSeq: params.first_seq,
    lastSeq: params.last_seq,
    lastHash: params.last_hash,
    fromMs: params.from_ms,
    toMs: params.to_ms,
  }
}

function archivedMeanwhile(): Fault {
  return new Fault(
    "usage",
    "The ledger was archived by another process or started anew meanwhile; nothing was removed. Remove the file and run this again.",
  )
}
