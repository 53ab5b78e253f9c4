import type { DatabaseSync } from "node:sqlite"

import {
  chainStart,
  hashWrong,
  openChainCheck,
  type ChainCheck,
  type NumberedRow,
} from "../audit/chain-check.ts"
import type { RequestRow } from "../records/row.ts"
import type { ChainPosition, CheckStep, Flaw, StoredEntry } from "../store/audit-queries.ts"
import type { Head } from "../store/store.ts"
import { chainHash, readArchivedHead } from "./journal.ts"
import { isOfMachine } from "./sqlite-fault.ts"
import { openTimeSlice } from "./entry-pages.ts"

/**
 * Prepares the check of entries, `maxEntries` or a few milliseconds at a time. It never throws for what
 * is wrong with them. `head` is what the journal in memory ends with, where there is one.
 */
export function entryChecker(
  database: DatabaseSync,
  head?: () => Head,
): (from: ChainPosition | null, maxEntries: number) => CheckStep {
  const read = database.prepare(selectEntries)
  read.setReturnArrays(true)
  const readTwo = database.prepare(
    "SELECT row, hash FROM entries WHERE seq > ? ORDER BY seq LIMIT 2",
  )
  return (from, maxEntries) => {
    const start = startOf(from, readArchivedHead(database))
    const check = openChainCheck(start)
    const taken = takeEntries(read.iterate(start.seq, maxEntries), check)
    const position = check.position()
    const isEnd = taken.flaw === null && !taken.isCut && taken.checked < maxEntries
    const flaw = taken.flaw ?? (isEnd ? missingAtEnd(position, head?.().seq ?? 0) : null)
    return { position, checked: taken.checked, flaw: flaw && refined(flaw, check), isEnd }
  }

  /** The entry after the broken one tells which of the two was changed. */
  function refined(flaw: Flaw, check: ChainCheck): Flaw {
    if (flaw.what !== hashWrong) return flaw
    const position = check.position()
    const [entry, next] = readTwo.all(position.seq) as unknown as StoredEntry[]
    if (entry === undefined || next === undefined) return flaw
    const hash = chainHash(Buffer.from(position.hash, "hex"), entry.row)
    const follows = (from: Uint8Array): boolean =>
      Buffer.compare(chainHash(from, next.row), next.hash) === 0
    if (follows(hash)) return { ...flaw, what: "its hash was changed" }
    return follows(entry.hash) ? { ...flaw, what: "its row was changed" } : flaw
  }
}

/** With what the tables of requests and refusals have of it, as one value: columns cost time. */
const selectEntries = `
  SELECT seq, id, kind, at_ms, row, hash, CASE kind
    WHEN 'request' THEN (
      SELECT json_array(seq, client, key, operation, signer, nonce, expires_after, decided_at)
      FROM requests WHERE requests.id = entries.id)
    WHEN 'refusal' THEN (SELECT seq FROM refusals WHERE refusals.id = entries.id)
    END
  FROM entries WHERE seq > ? ORDER BY seq LIMIT ?`

const requestColumns = ["seq", "client", "key", "operation", "signer", "nonce", "expires_after"]

/** Entries that went into an archive since the last step are passed over: the archive holds them. */
function startOf(from: ChainPosition | null, archived: Head): ChainPosition {
  if (from !== null && from.seq >= archived.seq) return from
  const { seq, hash } = archived
  return { ...(from ?? chainStart()), seq, hash: Buffer.from(hash).toString("hex") }
}

type Taken = { readonly checked: number; readonly flaw: Flaw | null; readonly isCut: boolean }

function takeEntries(rows: Iterable<unknown>, check: ChainCheck): Taken {
  const isOver = openTimeSlice()
  let checked = 0
  try {
    for (const columns of rows) {
      const [seq, id, kind, at_ms, row, hash, kept] = columns as Columns // our own STRICT tables
      const entry = { seq, id, kind, at_ms, row, hash }
      const flaw = check.take(entry) ?? tableFlaw(entry, check.row(), kept)
      if (flaw !== undefined) return { checked, flaw, isCut: false }
      checked += 1
      if (isOver()) return { checked, flaw: null, isCut: true }
    }
    return { checked, flaw: null, isCut: false }
  } catch (error) {
    return { checked, flaw: unreadable(error, check.position().seq + 1), isCut: false }
  }
}

/** What SQLite threw as it read on at entry `seq`: of the file's, or of the machine's. */
export function unreadable(error: unknown, seq: number): Flaw {
  const what = `it can't be read (${error instanceof Error ? error.message : "unknown error"})`
  return { seq, id: null, what, ...(isOfMachine(error) && { isUnread: true }) }
}

/** In the order of {@link selectEntries}. */
type Columns = [number, string, string, number, string, Uint8Array, string | number | null]

/** Whether the tables have what the entry says. */
function tableFlaw(
  { seq, id }: StoredEntry,
  row: NumberedRow | undefined,
  kept: Columns[6],
): Flaw | undefined {
  const what = row && tableWrong(row, kept)
  return what === undefined ? undefined : { seq, id, what }
}

function tableWrong(row: NumberedRow, kept: Columns[6]): string | undefined {
  if (row.kind === "request") return requestWrong(row, kept)
  const isKept = row.kind !== "refusal" || kept === row.seq
  return isKept ? undefined : "the table refusals doesn't have it"
}

function requestWrong(
  row: RequestRow & { readonly seq: number },
  kept: Columns[6],
): string | undefined {
  const { seq, client, key, operation, signer, nonce, expires_after, at_ms } = row
  const said = [seq, client, key, operation, signer, nonce, expires_after, at_ms]
  if (kept === JSON.stringify(said)) return undefined
  if (typeof kept !== "string") return "the table requests doesn't have it"
  const values = JSON.parse(kept) as readonly unknown[]
  const place = said.findIndex((value, index) => value !== values[index])
  if (place === -1) return undefined // SQLite writes some characters of JSON otherwise
  return `the table requests has another ${requestColumns[place] ?? "decided_at"} than its row`
}

/** What is known of the end from elsewhere: the journal in memory, or a head that was kept. */
function missingAtEnd({ seq, kept }: ChainPosition, headSeq: number): Flaw | null {
  if (headSeq > seq) {
    return {
      seq: seq + 1,
      id: null,
      what: `it and what follows up to entry ${headSeq} are missing`,
    }
  }
  if (kept === null || kept.seq <= seq) return null
  const what = `it is missing, and so is all up to entry ${kept.seq}, which the checkpoint that was kept names`
  return { seq: seq + 1, id: null, what }
}
