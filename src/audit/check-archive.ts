import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { Transform } from "node:stream"
import { createGunzip } from "node:zlib"

import { Fault } from "../std/fault.ts"
import {
  chainStart,
  openChainCheck,
  type ChainCheck,
  type ChainPosition,
  type Flaw,
} from "./chain-check.ts"
import {
  parseEndLine,
  parseEntryLine,
  parseStartLine,
  type ArchiveEnd,
  type ArchiveStart,
} from "./archive-lines.ts"

/**
 * Reads an archive to its end and checks its chain, which goes on from `from` or, where that is left
 * out, from what the file itself says that it is chained to.
 *
 * @throws {Fault} `usage` when the file can't be read or isn't an archive.
 */
export async function checkArchive(
  file: string,
  {
    from,
    kept = [],
  }: { readonly from?: ChainPosition; readonly kept?: ChainPosition["kept"] } = {},
) {
  const hash = createHash("sha256")
  const reading: Reading = { from, kept, entries: 0 }
  await readLines(file, reading, (chunk) => hash.update(chunk))
  const { start, check, end, entries } = reading
  if (start === undefined || check === undefined) throw unreadable(file)
  const flaw = reading.flaw ?? endFlaw(check, end)
  return {
    start,
    /** Where it ends, as far as it is whole. */
    position: check.position(),
    end,
    entries,
    /** Of the file's bytes, hex. */
    sha256: hash.digest("hex"),
    flaw,
  }
}

/** Reads on to the file's end whatever is wrong: the hash is of all of it. */
async function readLines(
  file: string,
  reading: Reading,
  onBytes: (chunk: Buffer) => void,
): Promise<void> {
  try {
    for await (const line of linesOf(file, onBytes)) {
      const flaw = reading.flaw ?? takeLine(reading, line)
      if (flaw !== undefined) reading.flaw = flaw
    }
  } catch (cause) {
    assertRead(file, cause)
    if (reading.check === undefined) throw unreadable(file, cause)
    reading.flaw ??= flawAfter(reading.check, "the file is damaged from here on")
  }
}

type Reading = {
  readonly from: ChainPosition | undefined
  readonly kept: ChainPosition["kept"]
  start?: ArchiveStart
  check?: ChainCheck
  end?: ArchiveEnd
  flaw?: Flaw
  entries: number
}

function takeLine(reading: Reading, line: string): Flaw | undefined {
  if (reading.check === undefined) {
    const start = parseStartLine(line)
    if (start === undefined) throw new Error("not an archive")
    const own = { ...chainStart(start.first_seq - 1, start.previous_hash), kept: reading.kept }
    reading.start = start
    reading.check = openChainCheck(reading.from ?? own)
    return undefined
  }
  if (reading.end !== undefined) return flawAfter(reading.check, "the file goes on after its end")
  const entry = parseEntryLine(line)
  if (entry !== undefined) {
    reading.entries += 1
    return reading.check.take(entry)
  }
  const end = parseEndLine(line)
  if (end === undefined) {
    return flawAfter(reading.check, "its line in the file can't be read: it was changed")
  }
  reading.end = end
  return undefined
}

function endFlaw(check: ChainCheck, end: ArchiveEnd | undefined): Flaw | undefined {
  const { seq, hash } = check.position()
  if (end?.last_seq === seq && end.last_hash === hash) return undefined
  return flawAfter(check, "it and what follows are missing from the file")
}

function flawAfter(check: ChainCheck, what: string): Flaw {
  return { seq: check.position().seq + 1, id: null, what }
}

/** JSON leaves U+2028 as it is, which readline would take for the end of a line. */
async function* linesOf(file: string, onBytes: (chunk: Buffer) => void): AsyncGenerator<string> {
  const tee = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onBytes(chunk)
      done(null, chunk)
    },
  })
  const source = createReadStream(file)
  const text = createGunzip().setEncoding("utf8")
  source.on("error", (error) => tee.destroy(error))
  tee.on("error", (error) => text.destroy(error))
  let rest = ""
  for await (const chunk of source.pipe(tee).pipe(text)) {
    const lines = `${rest}${String(chunk)}`.split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
  if (rest !== "") yield rest
}

/** @throws {Fault} where the machine failed: nothing is known then of what the file holds. */
function assertRead(file: string, cause: unknown): void {
  const { syscall, code = "" } = cause as NodeJS.ErrnoException // of fs; what zlib throws has no syscall
  if (syscall === undefined || code === "ENOENT" || code === "EISDIR") return
  const message = `${file} can't be read (${code}); check its owner and the disk, then run this again.`
  throw new Fault("ledger_unavailable", message, { cause })
}

function unreadable(file: string, cause?: unknown): Fault {
  const message = `${file} can't be read as an archive of Countersign; check its name and that it is whole.`
  return new Fault("usage", message, { cause })
}
