import { execFileSync } from "node:child_process"
import { closeSync, openSync, readFileSync, readSync } from "node:fs"

// What lies in another process's memory, by Linux's /proc/PID/maps, pagemap and mem (proc(5)).

/** A secret to look for: its name, and its bytes. */
export type Wanted = { readonly name: string; readonly secret: Uint8Array }

/** How many bytes of memory were read, and under `NAME: FORM` how often that was found in them; what wasn't isn't there. */
export type MemoryScan = {
  readonly bytes: number
  readonly hits: Readonly<Record<string, number>>
}

/**
 * The forms that a secret takes in memory: itself; text, as V8 keeps strings, of one or two bytes a character; and of 32
 * bytes the 64-bit limbs of a BigInt or of C's arithmetic, in either order, of the limbs and of the bytes in one.
 */
export function formsOf(secret: Uint8Array): Readonly<Record<string, Buffer>> {
  const raw = Buffer.from(secret)
  const texts = {
    "lower-case hex": raw.toString("hex"),
    "upper-case hex": raw.toString("hex").toUpperCase(),
    base64: raw.toString("base64").replaceAll("=", ""),
    base64url: raw.toString("base64url"),
  }
  return {
    "raw bytes": raw,
    ...mapped(texts, (text) => Buffer.from(text, "latin1")),
    ...mapped(texts, (text) => Buffer.from(text, "utf16le"), " of two bytes"),
    ...(raw.length === 32 ? limbsOf(raw) : {}),
  }
}

function limbsOf(raw: Buffer): Readonly<Record<string, Buffer>> {
  const limbs = [0, 8, 16, 24].map((start) => raw.subarray(start, start + 8))
  const turned = limbs.map((limb) => Buffer.from(limb).reverse())
  return {
    "little-endian limbs, lowest first": Buffer.concat(turned.toReversed()),
    "little-endian limbs, highest first": Buffer.concat(turned),
    "big-endian limbs, lowest first": Buffer.concat(limbs.toReversed()),
  }
}

function mapped(
  texts: Readonly<Record<string, string>>,
  bytesOf: (text: string) => Buffer,
  suffix = "",
): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`${name}${suffix}`, bytesOf(text)]),
  )
}

/**
 * Reads all memory that a process has, and counts the forms of what is wanted. A half of one counts as the whole: what was
 * partly overwritten still gives the rest away.
 *
 * @throws {Error} when this user may not read it.
 */
export function scanMemory(pid: number, wanted: readonly Wanted[]): MemoryScan {
  const needles = wanted.flatMap(({ name, secret }) =>
    Object.entries(formsOf(secret)).map(([form, bytes]) => needleOf(`${name}: ${form}`, bytes)),
  )
  const overlap = Math.max(...needles.map(({ halves }) => halves[1].length))
  const hits = new Map<string, number>()
  let bytes = 0
  for (const { window, freshBytes } of windowsOf(pid, overlap)) {
    bytes += freshBytes
    for (const { name, halves } of needles) {
      const found = Math.max(...halves.map((half) => countOf(window, half)))
      if (found > 0) hits.set(name, (hits.get(name) ?? 0) + found)
    }
  }
  return { bytes, hits: Object.fromEntries(hits) }
}

function needleOf(name: string, bytes: Buffer) {
  const middle = bytes.length >> 1
  return { name, halves: [bytes.subarray(0, middle), bytes.subarray(middle)] as const }
}

type Range = { readonly start: number; readonly end: number }
type Window = { readonly window: Buffer; readonly freshBytes: number }

const windowBytes = 4 * 1024 * 1024

/** Each shows what follows the one before, and its last bytes again. The buffer is one and the same. */
function* windowsOf(pid: number, overlap: number): Generator<Window> {
  const memory = openSync(`/proc/${pid}/mem`, "r")
  const buffer = Buffer.allocUnsafeSlow(windowBytes)
  try {
    for (const { start, end } of usedRanges(pid)) {
      for (let at = start; at < end; at += windowBytes - overlap) {
        const read = readFrom(memory, buffer, { start: at, end })
        yield { window: buffer.subarray(0, read), freshBytes: at === start ? read : read - overlap }
      }
    }
  } finally {
    buffer.fill(0)
    closeSync(memory)
  }
}

/** 0 of what the process gave back since it was looked up: it runs on. */
function readFrom(memory: number, into: Buffer, { start, end }: Range): number {
  try {
    return readSync(memory, into, 0, Math.min(into.length, end - start), start)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EIO") return 0
    throw error
  }
}

const pageBytes = Number(execFileSync("getconf", ["PAGESIZE"], { encoding: "utf8" }))

/** The pages that are in memory or in swap, those side by side as one: most of what V8 maps is never written to. */
function* usedRanges(pid: number): Generator<Range> {
  const pagemap = openSync(`/proc/${pid}/pagemap`, "r")
  try {
    for (const { start, end } of readableRegions(pid)) {
      const isUsed = pagesOf(pagemap, start, end)
      for (let first = isUsed.indexOf(true); first !== -1;) {
        const after = isUsed.indexOf(false, first)
        const last = after === -1 ? isUsed.length : after
        yield { start: start + first * pageBytes, end: start + last * pageBytes }
        first = isUsed.indexOf(true, last)
      }
    }
  } finally {
    closeSync(pagemap)
  }
}

/** Whether each page has contents. pagemap has 64 bits a page: the highest say "present" and "swapped". */
function pagesOf(pagemap: number, start: number, end: number): readonly boolean[] {
  const entries = Buffer.alloc(8 * Math.ceil((end - start) / pageBytes))
  readSync(pagemap, entries, 0, entries.length, (start / pageBytes) * 8)
  return Array.from({ length: entries.length / 8 }, (_, page) => {
    const highest = entries[8 * page + 7] ?? 0
    return (highest & 0b1100_0000) !== 0
  })
}

/** The kernel lends a process these, and shows them to nobody else. */
const kernelRegions = /\[(?:vvar|vvar_vclock|vsyscall)\]$/

function readableRegions(pid: number): readonly Range[] {
  return readFileSync(`/proc/${pid}/maps`, "utf8")
    .split("\n")
    .filter((line) => /^\S+ r/.test(line) && !kernelRegions.test(line))
    .map((line) => {
      const [start = 0, end = 0] = line
        .slice(0, line.indexOf(" "))
        .split("-")
        .map((address) => Number.parseInt(address, 16))
      return { start, end }
    })
}

function countOf(bytes: Buffer, wanted: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) count += 1
  return count
}
