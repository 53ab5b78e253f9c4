import { basename } from "node:path"

import {
  maxAuditEntries,
  type CheckpointView,
  type FlawView,
  type PositionView,
} from "../../link/calls/audit-methods.ts"
import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { isThere } from "../../std/private-file.ts"
import { checkArchive } from "../../vault/audit/check-archive.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { chainStart } from "../../vault/ledger/audit/chain-check.ts"
import { openClosedLedger } from "../../vault/ledger/audit/closed-ledger.ts"
import { becomeOwner } from "../installation/caller.ts"
import { dialAdmin } from "../installation/admin.ts"

/** What a check of the ledger, and of archives before it, found. */
export type Verdict = {
  readonly flaw: (FlawView & { readonly file?: string; readonly isOfAnother?: true }) | undefined
  readonly entries: number
  /** The first entry that was checked. */
  readonly firstSeq: number
  /** How far it is whole. */
  readonly position: PositionView
}

type VerifyAsk = {
  readonly auditor: Auditor
  /** Paths of archives, in any order. */
  readonly archives: readonly string[]
  /** A checkpoint that was kept elsewhere. */
  readonly kept: CheckpointView | undefined
  readonly onProgress: (entries: number) => void
}

/**
 * Checks archives in their order, then the ledger from where they end, then its tables.
 *
 * @throws {Fault} `usage` when what was given doesn't reach the ledger.
 */
export async function verifyLedger(ask: VerifyAsk): Promise<Verdict> {
  const { public_key: key, ...archived } = await ask.auditor.ends()
  if (ask.kept !== undefined && ask.kept.public_key !== key) return notThisOne(ask.kept, key)
  return verifyFrom({ seq: archived.archived_seq, hash: archived.archived_hash }, ask)
}

async function verifyFrom(
  archived: Pick<PositionView, "seq" | "hash">,
  ask: VerifyAsk,
): Promise<Verdict> {
  const archives = await verifyArchives(ask)
  if (archives?.flaw !== undefined) return archives
  const started = archives ?? beginning(archived, ask.kept)
  const apart = joinFlaw(started.position, archived) ?? keptAtStart(started, ask.kept)
  if (apart !== undefined) return { ...started, flaw: apart }
  const online = await verifyOnline(ask, started)
  return online.flaw === undefined
    ? { ...online, flaw: await endFlaw(ask, online, archives) }
    : online
}

/** Nothing of the ledger was checked: what was kept is no measure of it. */
function notThisOne(kept: CheckpointView, key: string | null): Verdict {
  const own = key === null ? "has no checkpoint yet" : `signs its own with ${key}`
  const what = `the checkpoint that was kept is signed with ${kept.public_key}, and this ledger ${own}`
  const flaw = { seq: kept.head_seq, id: null, what, isOfAnother: true } as const
  return { flaw, entries: 0, firstSeq: 1, position: chainStart() }
}

/** What can be told once all entries are whole. */
async function endFlaw(
  { auditor, kept }: VerifyAsk,
  { position }: Verdict,
  archives: CheckedArchives | undefined,
): Promise<Verdict["flaw"]> {
  const apart = fileFlaw(position, archives) ?? keyFlaw(position, kept)
  return apart ?? tablesFlaw(auditor, position)
}

function beginning(
  { seq, hash }: Pick<PositionView, "seq" | "hash">,
  kept?: CheckpointView,
): Checked {
  const position = { ...chainStart(seq, hash), kept: keptOf(kept) }
  return { entries: 0, firstSeq: seq + 1, position }
}

type Checked = Omit<Verdict, "flaw">
type CheckedArchives = Verdict & {
  readonly last: { readonly file: string; readonly sha256: string }
}

async function verifyArchives(ask: VerifyAsk): Promise<CheckedArchives | undefined> {
  // Their names hold the numbers of their entries, all of one length.
  const inOrder = [...ask.archives].sort((a, b) => (basename(a) < basename(b) ? -1 : 1))
  let verdict: CheckedArchives | undefined
  for (const file of inOrder) {
    verdict = await verifyArchive(file, verdict, ask.kept)
    ask.onProgress(verdict.entries)
    if (verdict.flaw !== undefined) break
  }
  return verdict
}

async function verifyArchive(
  file: string,
  before: CheckedArchives | undefined,
  kept: CheckpointView | undefined,
): Promise<CheckedArchives> {
  const options = before === undefined ? { kept: keptOf(kept) } : { from: before.position }
  const { start, position, sha256, flaw, entries } = await checkArchive(file, options)
  const { entries: earlier, firstSeq } = before ?? { entries: 0, firstSeq: start.first_seq }
  return {
    flaw: flaw && { ...flaw, file },
    entries: earlier + entries,
    firstSeq,
    position,
    last: { file, sha256 },
  }
}

/** The ledger goes on from where the last archive ends. */
function joinFlaw(position: PositionView, archived: Pick<PositionView, "seq" | "hash">) {
  if (position.seq < archived.seq) {
    throw new Fault(
      "usage",
      `Entries ${position.seq + 1} to ${archived.seq} are in archives that weren't given; name them with --archive too.`,
    )
  }
  if (position.seq > archived.seq) {
    throw new Fault(
      "usage",
      "This ledger doesn't know the last archive that was given. Leave it out: the ledger has its entries too.",
    )
  }
  if (position.hash === archived.hash) return undefined
  const what = "the archive doesn't end with the hash that the ledger goes on from"
  return { seq: position.seq, id: null, what }
}

/** What was kept names the last archived entry, or one that is only in an archive. */
function keptAtStart({ firstSeq, position }: Checked, kept: CheckpointView | undefined) {
  if (kept === undefined || kept.head_seq > position.seq) return undefined
  if (kept.head_seq === position.seq && kept.head_hash !== position.hash) {
    return {
      seq: position.seq,
      id: null,
      what: "it isn't the entry of the checkpoint that was kept",
    }
  }
  if (kept.head_seq >= firstSeq - 1) return undefined
  throw new Fault(
    "usage",
    `The checkpoint that was kept is of entry ${kept.head_seq}, which is archived; name that archive with --archive.`,
  )
}

async function verifyOnline({ auditor, onProgress }: VerifyAsk, start: Checked): Promise<Verdict> {
  let { entries, position } = start
  for (;;) {
    const step = await auditor.verify({ from: position, count: maxAuditEntries.verify })
    position = step.position
    entries += step.checked
    onProgress(entries)
    if (step.flaw === null && !step.isEnd) continue
    return { ...start, entries, position, flaw: step.flaw ?? undefined }
  }
}

/** The journal says what the file's bytes were. */
function fileFlaw({ archived }: PositionView, archives: CheckedArchives | undefined) {
  if (archives === undefined || archived?.last_seq !== archives.position.seq) return undefined
  const { file, sha256 } = archives.last
  if (archived.sha256 === sha256) return undefined
  const what = "its file has another SHA-256 than the journal says, though its entries are whole"
  return { seq: archived.first_seq, id: null, what, file }
}

function keyFlaw({ publicKey, seq }: PositionView, kept: CheckpointView | undefined) {
  if (kept === undefined || publicKey === null || publicKey === kept.public_key) return undefined
  const what =
    "the checkpoints up to here were signed with another key than the checkpoint that was kept"
  return { seq, id: null, what }
}

async function tablesFlaw(auditor: Auditor, position: PositionView): Promise<Verdict["flaw"]> {
  for (let from: AdminParams["auditVerifyTables"]["from"] = null; ;) {
    const step: AdminResults["auditVerifyTables"] = await auditor.verifyTables({ from, position })
    if (step.flaw !== null) return step.flaw
    if (step.next === null) return undefined
    from = step.next
  }
}

function keptOf(kept: CheckpointView | undefined): PositionView["kept"] {
  return kept === undefined ? null : { seq: kept.head_seq, hash: kept.head_hash }
}

/** Who checks a ledger: the daemon that has it open, or this process. */
type Auditor = {
  ends(): Promise<Pick<AdminResults["auditEnds"], "archived_seq" | "archived_hash" | "public_key">>
  /** So that the journal ends with one; where a daemon runs. */
  checkpoint(): Promise<void>
  verify(params: AdminParams["auditVerify"]): Promise<AdminResults["auditVerify"]>
  verifyTables(params: AdminParams["auditVerifyTables"]): Promise<AdminResults["auditVerifyTables"]>
  close(): void
}

/**
 * Dials the daemon, or opens the ledger here under its lock, without starting anything by it: it may be
 * too broken for that.
 *
 * @throws {Fault}
 */
export async function openAuditor(installation: Installation): Promise<Auditor> {
  becomeOwner(installation.stateDir)
  const link = await dialAdmin(installation)
  if (link === undefined) return openHere(pathsOf(installation).ledgerFile)
  return {
    ends: () => link.call("auditEnds", {}),
    checkpoint: async () => {
      await link.call("auditCheckpoint", {})
    },
    verify: (params) => link.call("auditVerify", params),
    verifyTables: (params) => link.call("auditVerifyTables", params),
    close: () => link.close(),
  }
}

async function openHere(file: string): Promise<Auditor> {
  if (!isThere(file)) {
    throw new Fault("not_initialised", `${file} doesn't exist; run countersign init first.`)
  }
  const ledger = await openClosedLedger(file)
  return {
    ends: () => Promise.resolve(ledger.ends()),
    checkpoint: () => Promise.resolve(),
    verify: ({ from, count }) => Promise.resolve(ledger.check(from, count)),
    verifyTables: ({ from, position }) => Promise.resolve(ledger.checkTables(from, position)),
    close: () => ledger.close(),
  }
}
