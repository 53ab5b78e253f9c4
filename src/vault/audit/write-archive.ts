import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { link, mkdir, open, unlink } from "node:fs/promises"
import { basename, join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"

import { Fault } from "../../std/fault.ts"
import { codeOf, syncDirectory, temporaryPrefix, writeNewFile } from "../../std/private-file.ts"
import { chainStart, openChainCheck } from "../ledger/audit/chain-check.ts"
import type { ArchivedFields } from "../ledger/records/row.ts"
import type { JournalHead, StoredEntry } from "../ledger/store/audit-queries.ts"
import {
  endLine,
  entryLine,
  startLine,
  type ArchiveEnd,
  type ArchiveStart,
} from "./archive-lines.ts"
import { checkArchive } from "./check-archive.ts"

/** `file` with its directory. */
export type ArchiveWritten = ArchivedFields & { readonly entries: number }

export type Archiving = {
  /** `undefined` when nothing may go yet. */
  readonly archive: ArchiveWritten | undefined
  /** Why the next entry stays. */
  readonly stays: { readonly seq: number; readonly why: string } | undefined
}

/** The ledger that is archived, whoever reads it. */
export type ArchiveSource = {
  /** The last entry that is in an archive; hash in hex. */
  readonly archived: () => Promise<JournalHead>
  /** The entries after it that may go, in their order. */
  readonly pages: (afterSeq: number) => AsyncGenerator<ArchivePage, void>
  /** Signs the journal's head. */
  readonly checkpoint: () => Promise<unknown>
  /** Records that the entries are in a file, named without its directory. */
  readonly record: (archived: ArchivedFields) => Promise<{ readonly record: string }>
  /** Removes some of the entries that are in an archive; resolves with how many. */
  readonly trim: () => Promise<number>
}

export type ArchivePage = {
  readonly entries: readonly StoredEntry[]
  readonly stays: Archiving["stays"]
}

/**
 * Moves entries into a file in `directory`. They are removed from the ledger once the file is durable, was read
 * again and found whole, and the ledger's journal says so: a crash at any time loses none of them.
 *
 * @throws {Fault} when the ledger isn't whole, or the file can't be written.
 */
export async function writeArchive(source: ArchiveSource, directory: string): Promise<Archiving> {
  await trimArchived(source) // what a crash left
  const { seq: afterSeq, hash: previous_hash } = await source.archived()
  const pages = source.pages(afterSeq)
  const first = (await pages.next()).value
  const gathered: Gathered = { end: undefined, stays: undefined, entries: 0 }
  if (first === undefined || first.entries.length === 0) {
    return { archive: undefined, stays: first?.stays }
  }
  await source.checkpoint()
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const temporary = join(directory, `${temporaryPrefix}archive-${randomBytes(8).toString("hex")}`)
  try {
    const start = { first_seq: afterSeq + 1, previous_hash }
    await writeCompressed(temporary, linesFrom({ first, pages, start, gathered }))
    const written = await readAgain(temporary, gathered)
    const archived = { first_seq: start.first_seq, ...written }
    const file = await nameFor(temporary, directory, archived)
    await source.record({ ...archived, file: basename(file) })
    await trimArchived(source)
    return { archive: { ...archived, file, entries: gathered.entries }, stays: gathered.stays }
  } finally {
    await unlink(temporary).catch(() => undefined) // gone already, or never there
  }
}

/** Removes what lies in an archive from the ledger, a little at a time. */
export async function trimArchived({ trim }: Pick<ArchiveSource, "trim">): Promise<void> {
  while ((await trim()) > 0);
}

/** What is known of an archive once its lines were written. */
type Gathered = {
  end: ArchiveEnd | undefined
  stays: Archiving["stays"]
  entries: number
}

/** The lines of the file, checked as they go: what isn't whole is no archive's. */
async function* linesFrom(from: {
  readonly first: ArchivePage
  readonly pages: AsyncGenerator<ArchivePage, void>
  readonly start: ArchiveStart
  readonly gathered: Gathered
}): AsyncGenerator<string> {
  const { first, pages, start, gathered } = from
  const check = openChainCheck(chainStart(start.first_seq - 1, start.previous_hash))
  const times = { from_ms: Infinity, to_ms: -Infinity }
  const take = ({ entries, stays }: ArchivePage): string => {
    for (const entry of entries) {
      const flaw = check.take(entry)
      if (flaw !== undefined) throw notWhole(flaw.seq, flaw.what)
      times.from_ms = Math.min(times.from_ms, entry.at_ms)
      times.to_ms = Math.max(times.to_ms, entry.at_ms)
    }
    gathered.entries += entries.length
    gathered.stays = stays
    return entries.map(entryLine).join("")
  }
  yield startLine(start)
  yield take(first)
  for await (const page of pages) yield take(page)
  const { seq, hash } = check.position()
  gathered.end = { last_seq: seq, last_hash: hash, ...times }
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
  if (flaw !== undefined || end?.last_hash !== position.hash) {
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
  directory: string,
  { first_seq, last_seq, sha256 }: Omit<ArchivedFields, "file">,
): Promise<string> {
  const [from, to] = [first_seq, last_seq].map((seq) => String(seq).padStart(10, "0"))
  const file = join(directory, `countersign-archive-${from}-${to}.jsonl.gz`)
  try {
    await link(temporary, file)
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause
    const there = await checkArchive(file)
    if (there.sha256 !== sha256) throw taken(file)
  }
  await writeNewFile(`${file}.sha256`, `${sha256}  ${basename(file)}\n`)
  if (!(await syncDirectory(directory))) await touch(file)
  return file
}

/** Stands in for fsync of the directory, as in private-file.ts: a synchronous write of what is there. */
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

function notWhole(seq: number, what: string): Fault {
  return new Fault(
    "ledger_unavailable",
    `The ledger isn't whole: entry ${seq}: ${what}. Nothing was archived; see countersign audit verify.`,
  )
}

function taken(file: string): Fault {
  return new Fault("name_taken", `${file} is there already and holds something else; move it away.`)
}
