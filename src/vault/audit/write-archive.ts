import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { link, mkdir, open, unlink } from "node:fs/promises"
import { basename, join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"

import type { AdminParams } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { codeOf } from "../keyring/read-private-file.ts"
import { syncDirectory, temporaryPrefix, writeNewFile } from "../keyring/write-new-file.ts"
import { chainStart, openChainCheck } from "../ledger/audit/chain-check.ts"
import type { StoredEntry } from "../ledger/store/audit-jobs.ts"
import { endLine, entryLine, startLine, type ArchiveEnd } from "./archive-lines.ts"
import { checkArchive } from "./check-archive.ts"
import { wholeEntries, type AuditCall } from "./whole-entries.ts"

export type ArchiveWritten = {
  readonly file: string
  readonly entries: number
  readonly sha256: string
  readonly firstSeq: number
} & ArchiveEnd

export type Archiving = {
  /** `undefined` when nothing may go yet. */
  readonly archive: ArchiveWritten | undefined
  /** Why the next entry stays. */
  readonly stays: { readonly seq: number; readonly why: string } | undefined
}

/**
 * Moves entries from before `beforeMs` into a file in `directory`. They are removed from the ledger once
 * the file is durable, was read again and found whole, and the ledger's journal says so: a crash at any
 * time loses none of them.
 *
 * @throws {Fault} when the ledger isn't whole, or the file can't be written.
 */
export async function writeArchive(ask: {
  readonly call: AuditCall
  readonly directory: string
  readonly beforeMs: number
}): Promise<Archiving> {
  const { call, directory, beforeMs } = ask
  await trimArchived(call) // what a crash left
  const { archived_seq: afterSeq, archived_hash: previousHash } = await call("auditEnds", {})
  const pages = archivablePages(call, { afterSeq, beforeMs })
  const first = await pages.next()
  const gathered: Gathered = { end: undefined, stays: undefined, entries: 0 }
  if (first.value === undefined || first.value.entries.length === 0) {
    return { archive: undefined, stays: first.value?.stays }
  }
  await call("auditCheckpoint", {})
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const temporary = join(directory, `${temporaryPrefix}archive-${randomBytes(8).toString("hex")}`)
  try {
    const start = { firstSeq: afterSeq + 1, previousHash }
    await writeCompressed(temporary, linesFrom({ first: first.value, pages, start, gathered }))
    const written = await readAgain(temporary, gathered)
    const file = await nameFor(temporary, { directory, written, firstSeq: start.firstSeq })
    const archive = { ...written, file, entries: gathered.entries, firstSeq: start.firstSeq }
    await call("auditArchive", archivedView(archive))
    await trimArchived(call)
    return { archive, stays: gathered.stays }
  } finally {
    await unlink(temporary).catch(() => undefined) // gone already, or never there
  }
}

/** Removes what lies in an archive from the ledger, a little at a time. */
export async function trimArchived(call: AuditCall): Promise<void> {
  for (;;) {
    const { removed } = await call("auditTrim", {})
    if (removed === 0) return
  }
}

type Page = {
  readonly entries: readonly StoredEntry[]
  readonly stays: Archiving["stays"]
}

async function* archivablePages(
  call: AuditCall,
  { afterSeq, beforeMs }: AdminParams["auditArchivable"],
): AsyncGenerator<Page, undefined> {
  for (let after = afterSeq; ;) {
    const { entries: views, end } = await call("auditArchivable", { afterSeq: after, beforeMs })
    const entries = await wholeEntries(call, views)
    yield { entries, stays: end === null || end === "journal_ends" ? undefined : end }
    if (end !== null) return
    after = entries.at(-1)?.seq ?? after
  }
}

/** What is known of an archive once its lines were written. */
type Gathered = {
  end: ArchiveEnd | undefined
  stays: Archiving["stays"]
  entries: number
}

/** The lines of the file, checked as they go: what isn't whole is no archive's. */
async function* linesFrom(from: {
  readonly first: Page
  readonly pages: AsyncGenerator<Page, undefined>
  readonly start: { readonly firstSeq: number; readonly previousHash: string }
  readonly gathered: Gathered
}): AsyncGenerator<string> {
  const { first, pages, start, gathered } = from
  const check = openChainCheck(chainStart(start.firstSeq - 1, start.previousHash))
  const times = { fromMs: Infinity, toMs: -Infinity }
  const take = ({ entries, stays }: Page): string => {
    for (const entry of entries) {
      const flaw = check.take(entry)
      if (flaw !== undefined) throw notWhole(flaw.seq, flaw.what)
      times.fromMs = Math.min(times.fromMs, entry.at_ms)
      times.toMs = Math.max(times.toMs, entry.at_ms)
    }
    gathered.entries += entries.length
    gathered.stays = stays
    return entries.map(entryLine).join("")
  }
  yield startLine(start)
  yield take(first)
  for await (const page of pages) yield take(page)
  const { seq: lastSeq, hash: lastHash } = check.position()
  gathered.end = { lastSeq, lastHash, ...times }
  yield endLine(gathered.end)
}

/** O_SYNC in place of fsync, which Node's permission model refuses: durable when it resolves. */
async function writeCompressed(path: string, lines: AsyncGenerator<string>): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_SYNC
  const handle = await open(path, flags | constants.O_NOFOLLOW, 0o600)
  await pipeline(
    Readable.from(lines),
    createGzip({ chunkSize: chunkBytes }),
    handle.createWriteStream({ highWaterMark: chunkBytes }),
  )
}

/** What is written, and waited for, at a time. */
const chunkBytes = 256 * 1_024

async function readAgain(
  path: string,
  { end }: Gathered,
): Promise<ArchiveEnd & { readonly sha256: string }> {
  const { position, sha256, flaw } = await checkArchive(path)
  if (flaw !== undefined || end?.lastHash !== position.hash) {
    throw new Fault(
      "internal",
      "The archive isn't as it was written when it is read again; nothing was removed. Check the disk.",
    )
  }
  return { ...end, sha256 }
}

/** Gives the file its name, which is durable then. One that is there and holds the same stays. */
async function nameFor(
  temporary: string,
  {
    directory,
    written,
    firstSeq,
  }: {
    readonly directory: string
    readonly written: ArchiveEnd & { readonly sha256: string }
    readonly firstSeq: number
  },
): Promise<string> {
  const [from, to] = [firstSeq, written.lastSeq].map((seq) => String(seq).padStart(10, "0"))
  const file = join(directory, `countersign-archive-${from}-${to}.jsonl.gz`)
  try {
    await link(temporary, file)
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause
    const there = await checkArchive(file)
    if (there.sha256 !== written.sha256) throw taken(file)
  }
  await writeNewFile(`${file}.sha256`, `${written.sha256}  ${basename(file)}\n`)
  if (!(await syncDirectory(directory))) await touch(file)
  return file
}

/** Stands in for fsync of the directory, as in write-new-file.ts: a synchronous write of what is there. */
async function touch(file: string): Promise<void> {
  const handle = await open(file, constants.O_RDWR | constants.O_SYNC | constants.O_NOFOLLOW)
  try {
    const first = Buffer.alloc(1)
    await handle.read(first, 0, 1, 0)
    await handle.write(first, 0, 1, 0)
  } finally {
    await handle.close()
  }
}

function archivedView(archive: ArchiveWritten): AdminParams["auditArchive"] {
  return {
    file: basename(archive.file),
    sha256: archive.sha256,
    first_seq: archive.firstSeq,
    last_seq: archive.lastSeq,
    last_hash: archive.lastHash,
    from_ms: archive.fromMs,
    to_ms: archive.toMs,
  }
}

function notWhole(seq: number, what: string): Fault {
  return new Fault(
    "ledger_unavailable",
    `The ledger isn't whole: entry ${seq}: ${what}. Nothing was archived; see countersign audit verify.`,
  )
}

function taken(file: string): Fault {
  return new Fault("name_taken", `${file} is there already and holds something else; move it away.`)
}
