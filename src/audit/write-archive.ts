import { randomBytes } from "node:crypto"
import { createWriteStream } from "node:fs"
import { link, mkdir, readdir, stat, unlink } from "node:fs/promises"
import { basename, join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"

import type { AdminParams, AdminResults } from "../link/calls/methods.ts"
import { Fault } from "../std/fault.ts"
import { codeOf, syncDirectory, temporaryPrefix, writeNewFile } from "../std/private-file.ts"
import type { ArchivedFields } from "../vault/ledger/records/row.ts"
import { hexHead, readArchivedHead } from "../vault/ledger/sqlite/journal.ts"
import {
  endLine,
  entryLine,
  startLine,
  type ArchiveEnd,
  type ArchiveStart,
} from "./archive-lines.ts"
import { chainStart, openChainCheck } from "./chain-check.ts"
import { checkArchive } from "./check-archive.ts"
import type { LedgerReader } from "./open-ledger.ts"
import { entriesAfter } from "./read-entries.ts"
import type { StoredEntry } from "./stored-entry.ts"

/** The vault whose ledger is archived: it says what may go, records what is in a file, and removes that. */
type ArchivedVault = {
  readonly call: <Method extends ArchiveCall>(
    method: Method,
    params: AdminParams[Method],
  ) => Promise<AdminResults[Method]>
  /** Once all that it answered by now is in the ledger. */
  readonly readLedger: <Answer>(use: (ledger: LedgerReader) => Answer) => Promise<Answer>
}

type ArchiveCall = "auditArchivable" | "auditCheckpoint" | "auditArchive" | "auditTrim"

export type Archiving = {
  /** `undefined` when nothing may go yet. `file` with its directory. */
  readonly archive: (ArchivedFields & { readonly entries: number }) | undefined
  /** Why the next entry stays; `null` where there is none. */
  readonly stays: AdminResults["auditArchivable"]["stays"]
}

/**
 * Moves entries that are older than `before_ms`, or than the files in force say, into a file in `directory`. They are
 * removed from the ledger once the file is durable, was read again and found whole, and the ledger's journal says so: a
 * crash at any time loses none of them.
 *
 * @throws {Fault} when the ledger isn't whole, or the file can't be written.
 */
export async function writeArchive(
  vault: ArchivedVault,
  { before_ms, directory }: AdminParams["auditArchivable"] & { readonly directory: string },
): Promise<Archiving> {
  await removeArchived(vault) // what a crash left
  await removeTemporaries(directory)
  const { seq: after, hash: previous_hash } = await vault.readLedger((ledger) =>
    hexHead(readArchivedHead(ledger)),
  )
  const { last_seq, stays } = await vault.call("auditArchivable", { before_ms })
  if (last_seq <= after) return { archive: undefined, stays }
  await vault.call("auditCheckpoint", {})
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const temporary = join(directory, `${temporaryPrefix}archive-${randomBytes(8).toString("hex")}`)
  try {
    const first_seq = after + 1
    const lines = linesOf(pagesOf(vault, { after, last_seq }), { first_seq, previous_hash })
    const written = createWriteStream(temporary, { flags: "wx", mode: 0o600, flush: true })
    await pipeline(Readable.from(lines), createGzip(), written)
    const archived = { first_seq, ...(await readAgain(temporary, last_seq)) }
    const file = await nameFor(temporary, directory, archived)
    await vault.call("auditArchive", { ...archived, file: basename(file) })
    await removeArchived(vault)
    return { archive: { ...archived, file, entries: last_seq - after }, stays }
  } finally {
    await unlink(temporary).catch(() => undefined) // gone already, or never there
  }
}

/** Removes what lies in an archive from the ledger, a little at a time. */
async function removeArchived({ call }: ArchivedVault): Promise<void> {
  while ((await call("auditTrim", {})).removed > 0);
}

/** Whoever still writes one writes to it often. */
const crashedAfterMs = 3_600_000

/** Removes what a crash left half written. */
async function removeTemporaries(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []) // there is none yet
  for (const name of names) {
    if (!name.startsWith(`${temporaryPrefix}archive-`)) continue
    const path = join(directory, name)
    const writtenMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity
    if (Date.now() - writtenMs > crashedAfterMs) await unlink(path).catch(() => undefined)
  }
}

/** How many entries are read at a time. */
const pageEntries = 1_000

async function* pagesOf(
  { readLedger }: ArchivedVault,
  { after, last_seq }: { readonly after: number; readonly last_seq: number },
): AsyncGenerator<readonly StoredEntry[], void> {
  for (let seq = after; seq < last_seq;) {
    const count = Math.min(pageEntries, last_seq - seq)
    const entries = await readLedger((ledger) => entriesAfter(ledger, seq).take(count).toArray())
    yield entries
    seq = entries.at(-1)?.seq ?? last_seq
  }
}

/** The lines of the file, checked as they go: what isn't whole is no archive's. */
async function* linesOf(
  pages: AsyncGenerator<readonly StoredEntry[], void>,
  start: ArchiveStart,
): AsyncGenerator<string> {
  const check = openChainCheck(chainStart(start.first_seq - 1, start.previous_hash))
  const times = { from_ms: Infinity, to_ms: -Infinity }
  yield startLine(start)
  for await (const entries of pages) {
    for (const entry of entries) {
      const flaw = check.take(entry)
      if (flaw !== undefined) throw notWhole(flaw.seq, flaw.what)
      times.from_ms = Math.min(times.from_ms, entry.at_ms)
      times.to_ms = Math.max(times.to_ms, entry.at_ms)
    }
    yield entries.map(entryLine).join("")
  }
  const { seq, hash } = check.position()
  yield endLine({ last_seq: seq, last_hash: hash, ...times })
}

async function readAgain(
  path: string,
  lastSeq: number,
): Promise<ArchiveEnd & { readonly sha256: string }> {
  const { end, sha256, flaw } = await checkArchive(path)
  if (flaw !== undefined || end?.last_seq !== lastSeq) {
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
  await syncDirectory(directory)
  return file
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
