import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import { chainHash } from "../sqlite/journal.ts"
import type { LedgerKey, StoredEntry } from "../store/audit-queries.ts"
import type { Head } from "../store/store.ts"
import { sealBatch, type Batch } from "./batch.ts"
import { hex } from "./tables.ts"

/** It is read as it is written, whatever psql and the server are set to. What is cut off doesn't commit, and nothing is read on after an error. */
export const begin =
  "SET client_encoding TO 'UTF8';\nSET standard_conforming_strings TO on;\n\\set ON_ERROR_STOP on\nBEGIN;\n"
export const commit = "COMMIT;\n"

type CopyAsk = {
  /** The entry before the first. */
  readonly after: Head
  /** How many entries a batch has at most. */
  readonly entries: number
  readonly ledger: string
  /** Who seals them. */
  readonly host: string
  readonly key: LedgerKey
}

/**
 * What adds all later entries of a ledger's file to PostgreSQL, for psql; piece by piece.
 *
 * @throws {Fault} `ledger_unusable` where an entry isn't what was chained.
 */
export function* copySql(
  database: DatabaseSync,
  { ledger, host, key, ...ask }: CopyAsk,
): Generator<string> {
  yield "COPY countersign.batches (first_seq, last_seq, hash, host, rows, seal) FROM stdin;\n"
  for (const batch of batchesIn(database, ask)) {
    yield copyLine(sealBatch({ ...batch, host }, ledger, key))
  }
  yield "\\.\n"
}

/** Bytes as SQL has them. */
export function literal(bytes: Uint8Array): string {
  return `'\\x${hex(bytes)}'`
}

function* batchesIn(
  database: DatabaseSync,
  { after, entries: most }: Pick<CopyAsk, "after" | "entries">,
): Generator<Omit<Batch, "host" | "seal">> {
  let head = after
  let rows: string[] = []
  const taken = () => ({ firstSeq: head.seq - rows.length + 1, head, rows })
  const entries = database
    .prepare("SELECT seq, row, hash FROM entries WHERE seq > ? ORDER BY seq")
    .iterate(after.seq)
  for (const entry of entries as Iterable<StoredEntry>) {
    const hash = chainHash(head.hash, entry.row)
    if (entry.seq !== head.seq + 1 || Buffer.compare(hash, entry.hash) !== 0) throw broken(entry)
    head = { seq: entry.seq, hash }
    rows.push(entry.row)
    if (rows.length < most) continue
    yield taken()
    rows = []
  }
  if (rows.length > 0) yield taken()
}

/** A line of COPY's text format. */
function copyLine({ firstSeq, head, host, rows, seal }: Batch): string {
  const text = rows.join("\n").replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
  const bytes = (value: Uint8Array): string => `\\\\x${hex(value)}`
  return `${[firstSeq, head.seq, bytes(head.hash), host, text, bytes(seal)].join("\t")}\n`
}

function broken({ seq }: Pick<StoredEntry, "seq">): Fault {
  return new Fault(
    "ledger_unusable",
    `Entry ${seq} isn't what was chained; run countersign audit verify.`,
  )
}
