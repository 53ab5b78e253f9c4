import { z } from "zod"

import { parseJson } from "../../std/parse-json.ts"
import type { StoredEntry } from "../ledger/store/audit-jobs.ts"

/** How an archive begins: what its first entry is chained to. */
export type ArchiveStart = { readonly firstSeq: number; readonly previousHash: string }

/** How an archive ends. */
export type ArchiveEnd = {
  readonly lastSeq: number
  readonly lastHash: string
  /** The earliest and the latest wall time in it. */
  readonly fromMs: number
  readonly toMs: number
}

/** An entry as it stands in files and in what commands print: `{"hash":"…","row":{…}}`, the row as it is chained. */
export function entryLine({ hash, row }: Pick<StoredEntry, "hash" | "row">): string {
  return `${lineStart}${Buffer.from(hash).toString("hex")}${lineMiddle}${row}}\n`
}

const lineStart = '{"hash":"'
const lineMiddle = '","row":'
const rowStart = lineStart.length + 64 + lineMiddle.length

/** Parses such a line without its end; `undefined` when it isn't one. The row is cut out, not written anew. */
export function parseEntryLine(line: string): StoredEntry | undefined {
  const isLine =
    line.startsWith(lineStart) && line.startsWith(lineMiddle, rowStart - lineMiddle.length)
  if (!isLine || !line.endsWith("}}")) return undefined
  const row = line.slice(rowStart, -1)
  const fields = fieldsSchema.safeParse(parseJson(row))
  if (!fields.success) return undefined
  return { ...fields.data, row, hash: Buffer.from(line.slice(lineStart.length, rowStart), "hex") }
}

const fieldsSchema = z.object({
  seq: z.int(),
  id: z.string(),
  kind: z.string(),
  at_ms: z.int(),
})

/** The first line. */
export function startLine({ firstSeq, previousHash }: ArchiveStart): string {
  const fields = { countersign_archive: 1, first_seq: firstSeq, previous_hash: previousHash }
  return `${JSON.stringify(fields)}\n`
}

/** The last line. */
export function endLine({ lastSeq, lastHash, fromMs, toMs }: ArchiveEnd): string {
  const fields = { last_seq: lastSeq, last_hash: lastHash, from_ms: fromMs, to_ms: toMs }
  return `${JSON.stringify(fields)}\n`
}

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const startSchema = z.strictObject({
  countersign_archive: z.literal(1),
  first_seq: z.int().positive(),
  previous_hash: hash,
})
const endSchema = z.strictObject({
  last_seq: z.int().positive(),
  last_hash: hash,
  from_ms: z.int(),
  to_ms: z.int(),
})

/** Parses a first line; `undefined` when it isn't one. */
export function parseStartLine(line: string): ArchiveStart | undefined {
  const read = startSchema.safeParse(parseJson(line))
  return read.success
    ? { firstSeq: read.data.first_seq, previousHash: read.data.previous_hash }
    : undefined
}

/** Parses a last line; `undefined` when it isn't one. */
export function parseEndLine(line: string): ArchiveEnd | undefined {
  const read = endSchema.safeParse(parseJson(line))
  if (!read.success) return undefined
  const { last_seq: lastSeq, last_hash: lastHash, from_ms: fromMs, to_ms: toMs } = read.data
  return { lastSeq, lastHash, fromMs, toMs }
}
