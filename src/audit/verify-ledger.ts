import { basename } from "node:path"

import { Fault } from "../std/fault.ts"
import { checkArchive } from "./check-archive.ts"
import { chainStart, type ChainPosition, type Flaw, type KeptHead } from "./chain-check.ts"
import { readLastCheckpoint } from "../vault/ledger/sqlite/audit-runner.ts"
import { hexHead, readArchivedHead } from "../vault/ledger/sqlite/journal.ts"
import type { Checkpoint, JournalHead } from "../vault/ledger/store/audit-queries.ts"
import { checkEntries, checkTables } from "./check-ledger.ts"
import type { LedgerReader } from "./open-ledger.ts"

/** What a check of the ledger, and of archives before it, found. */
export type Verdict = {
  readonly flaw: (Flaw & { readonly file?: string; readonly isOfAnother?: true }) | undefined
  readonly entries: number
  /** The first entry that was checked. */
  readonly firstSeq: number
  /** How far it is whole. */
  readonly position: ChainPosition
}

type VerifyAsk = {
  readonly ledger: LedgerReader
  /** Paths of archives, in any order. */
  readonly archives: readonly string[]
  /** A checkpoint that was kept elsewhere. */
  readonly kept: Checkpoint | undefined
  /** Where the journal ends by the daemon that writes it, if one runs. */
  readonly head: JournalHead | undefined
  readonly onProgress: (entries: number) => void
}

/**
 * Checks archives in their order, then the ledger from where they end, then its tables.
 *
 * @throws {Fault} `usage` when what was given doesn't reach the ledger.
 */
export async function verifyLedger(ask: VerifyAsk): Promise<Verdict> {
  const key = readLastCheckpoint(ask.ledger)?.publicKey ?? null
  if (ask.kept !== undefined && ask.kept.public_key !== key) return notThisOne(ask.kept, key)
  return verifyFrom(hexHead(readArchivedHead(ask.ledger)), ask)
}

async function verifyFrom(archived: JournalHead, ask: VerifyAsk): Promise<Verdict> {
  const archives = await verifyArchives(ask)
  if (archives?.flaw !== undefined) return archives
  const started = archives ?? beginning(archived, ask)
  const apart = joinFlaw(started.position, archived) ?? keptAtStart(started, ask.kept)
  if (apart !== undefined) return { ...started, flaw: apart }
  const online = verifyOnline(ask, started)
  return online.flaw === undefined ? { ...online, flaw: endFlaw(ask, online, archives) } : online
}

/** Nothing of the ledger was checked: what was kept is no measure of it. */
function notThisOne(kept: Checkpoint, key: string | null): Verdict {
  const own = key === null ? "has no checkpoint yet" : `signs its own with ${key}`
  const what = `the checkpoint that was kept is signed with ${kept.public_key}, and this ledger ${own}`
  const flaw = { seq: kept.head_seq, id: null, what, isOfAnother: true } as const
  return { flaw, entries: 0, firstSeq: 1, position: chainStart() }
}

/** What can be told once all entries are whole. */
function endFlaw(
  { ledger, kept }: VerifyAsk,
  { position }: Verdict,
  archives: CheckedArchives | undefined,
): Verdict["flaw"] {
  const apart = fileFlaw(position, archives) ?? keyFlaw(position, kept)
  return apart ?? checkTables(ledger, position)
}

function beginning({ seq, hash }: JournalHead, ask: VerifyAsk): Checked {
  const position = { ...chainStart(seq, hash), kept: keptHeads(ask) }
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
    verdict = await verifyArchive(file, verdict, ask)
    ask.onProgress(verdict.entries)
    if (verdict.flaw !== undefined) break
  }
  return verdict
}

async function verifyArchive(
  file: string,
  before: CheckedArchives | undefined,
  ask: VerifyAsk,
): Promise<CheckedArchives> {
  const options = before === undefined ? { kept: keptHeads(ask) } : { from: before.position }
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
function joinFlaw(position: ChainPosition, archived: JournalHead) {
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
function keptAtStart({ firstSeq, position }: Checked, kept: Checkpoint | undefined) {
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

function verifyOnline({ ledger, onProgress }: VerifyAsk, start: Checked): Verdict {
  let { entries, position } = start
  for (;;) {
    const step = checkEntries(ledger, position)
    position = step.position
    entries += step.checked
    onProgress(entries)
    if (step.flaw === null && !step.isEnd) continue
    return { ...start, entries, position, flaw: step.flaw ?? undefined }
  }
}

/** The journal says what the file's bytes were. */
function fileFlaw({ archived }: ChainPosition, archives: CheckedArchives | undefined) {
  if (archives === undefined || archived?.last_seq !== archives.position.seq) return undefined
  const { file, sha256 } = archives.last
  if (archived.sha256 === sha256) return undefined
  const what = "its file has another SHA-256 than the journal says, though its entries are whole"
  return { seq: archived.first_seq, id: null, what, file }
}

function keyFlaw({ publicKey, seq }: ChainPosition, kept: Checkpoint | undefined) {
  if (kept === undefined || publicKey === null || publicKey === kept.public_key) return undefined
  const what =
    "the checkpoints up to here were signed with another key than the checkpoint that was kept"
  return { seq, id: null, what }
}

function keptHeads({ kept, head }: VerifyAsk): readonly KeptHead[] {
  return [
    ...(kept === undefined
      ? []
      : [{ seq: kept.head_seq, hash: kept.head_hash, by: "the checkpoint that was kept" }]),
    ...(head === undefined || head.seq === 0 ? [] : [{ ...head, by: "the daemon that writes it" }]),
  ]
}
