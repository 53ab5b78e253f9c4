import * as z from "zod"

import { parseJson } from "../std/parse-json.ts"
import type { ArchivedFields } from "../vault/ledger/records/row.ts"
import type { StoredEntry } from "./stored-entry.ts"

/** How an archive begins: what its first entry is chained to. Hashes in hex. */
export type ArchiveStart = { readonly first_seq: number; readonly previous_hash: string }

/** How an archive ends. */
export type ArchiveEnd = Pick<ArchivedFields, "last_seq" | "last_hash" | "from_ms" | "to_ms">

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
export function startLine(start: ArchiveStart): string {
  return `${JSON.stringify({ countersign_archive: 1, ...start })}\n`
}

/** The last line. */
export function endLine(end: ArchiveEnd): string {
  return `${JSON.stringify(end)}\n`
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
  return startSchema.safeParse(parseJson(line)).data
}

/** Parses a last line; `undefined` when it isn't one. */
export function parseEndLine(line: string): ArchiveEnd | undefined {
  return endSchema.safeParse(parseJson(line)).data
}
