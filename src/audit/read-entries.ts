import type { WholeRecord } from "../contract/views.ts"
import { timeOfId } from "../vault/ledger/records/record-id.ts"
import { isRequest } from "../vault/ledger/found-records.ts"
import { findArchive } from "../vault/ledger/sqlite/archivable.ts"
import { recordFinder } from "../vault/ledger/sqlite/stored-rows.ts"
import { recordedTime } from "../vault/process/clock.ts"
import { recordView } from "../vault/status/views.ts"
import { matcher, type EntryFilter } from "./entry-filter.ts"
import type { LedgerReader } from "./open-ledger.ts"
import { fieldsOf, type StoredEntry } from "./stored-entry.ts"

/** How many entries are read at a time: a few milliseconds. */
const pageEntries = 1_000

/** Entries after `seq`, upwards, up to where the journal ends when it is reached. */
export function entriesAfter(ledger: LedgerReader, seq: number, filter: EntryFilter = {}) {
  return entriesFrom(ledger, seq, { where: "seq > ? ORDER BY seq", filter })
}

/** Entries before `seq`, downwards, down to where the journal begins. */
export function entriesBefore(ledger: LedgerReader, seq: number, filter: EntryFilter = {}) {
  return entriesFrom(ledger, seq, { where: "seq < ? ORDER BY seq DESC", filter })
}

function* entriesFrom(
  ledger: LedgerReader,
  seq: number,
  { where, filter }: { readonly where: string; readonly filter: EntryFilter },
): Generator<StoredEntry, void> {
  const matches = matcher(ledger, filter)
  const read = ledger.prepare(`SELECT * FROM entries WHERE ${where} LIMIT ${pageEntries}`)
  for (let page = read.all(seq); page.length > 0; page = read.all(page.at(-1)?.["seq"] ?? 0)) {
    yield* stored(page).filter(matches)
  }
}

/** The last `count` entries, the oldest first. */
export function lastEntries(
  ledger: LedgerReader,
  count: number,
  filter: EntryFilter = {},
): readonly StoredEntry[] {
  return entriesBefore(ledger, Infinity, filter).take(count).toArray().reverse()
}

/** The entry with a number. */
export function entryAt(ledger: LedgerReader, seq: number): StoredEntry | undefined {
  return stored(ledger.prepare("SELECT * FROM entries WHERE seq = ?").all(seq))[0]
}

const maxOthers = 200

/**
 * A request, a refusal or a hold by id, or an entry by its number; with those that are about it: its outcomes, repeats and
 * acts, and those of its hold, in their order, at most 200.
 */
export function aboutEntry(ledger: LedgerReader, id: string) {
  const seq = /^\d{1,15}$/.test(id) ? Number(id) : seqOf(ledger, id)
  const entry = seq === undefined ? undefined : entryAt(ledger, seq)
  if (entry === undefined) return undefined
  const byRecord = ledger.prepare(
    `SELECT * FROM entries WHERE kind IN ('outcome', 'repeats', 'act') AND json_valid(row)
     AND row ->> '$.record' = ? ORDER BY seq LIMIT ${maxOthers}`,
  )
  const byHold = ledger.prepare(
    `SELECT * FROM entries WHERE kind = 'act' AND json_valid(row)
     AND row ->> '$.hold' = ? ORDER BY seq LIMIT ${maxOthers}`,
  )
  const hold = holdOf(entry)
  const others = [
    ...stored(byRecord.all(entry.id)),
    ...(hold === undefined ? [] : stored(byHold.all(hold))),
  ]
  return {
    entry,
    others: others.filter((other) => other.seq !== entry.seq).sort((a, b) => a.seq - b.seq),
  }
}

/** What was recorded last may stand in the journal alone. */
function seqOf(ledger: LedgerReader, id: string): number | undefined {
  const found = ledger
    .prepare(
      `SELECT seq FROM requests WHERE id = ?1 UNION ALL SELECT seq FROM refusals WHERE id = ?1
       UNION ALL SELECT seq FROM holds WHERE id = ?1 UNION ALL SELECT seq FROM entries
       WHERE seq > (SELECT coalesce(max(seq), 0) FROM requests) AND kind = 'request' AND id = ?1`,
    )
    .get(id)
  return found?.["seq"] as number | undefined // our own STRICT tables
}

/** A request or refusal by its record's id; `null` where there is none. */
export function readWholeRecord(
  ledger: LedgerReader,
  id: string,
  nowMs: number,
): WholeRecord | null {
  const found = recordFinder(ledger)(id)
  if (found === undefined) return null
  const body = isRequest(found) ? found.row.body : null
  return { ...recordView(found, recordedTime(nowMs)), body }
}

/** The file that a record or hold of this id is in if there ever was one. Ask once it isn't found here. */
export function archiveOf(ledger: LedgerReader, id: string): string | undefined {
  const atMs = timeOfId(id)
  return atMs === undefined ? undefined : findArchive(ledger, atMs)
}

/** The hold that an entry opened, decided or used up. */
function holdOf({ row }: StoredEntry): string | undefined {
  const { hold, release } = fieldsOf(row)
  return textOf(hold) ?? textOf(release)
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

/** Rows of our own STRICT table. */
function stored(rows: readonly unknown[]): readonly StoredEntry[] {
  return rows as readonly StoredEntry[]
}

/** When entries were archived last; 0 where none were. */
export function archivedAtMs(ledger: LedgerReader): number {
  const last = ledger.prepare("SELECT at_ms FROM archives ORDER BY seq DESC LIMIT 1").get()
  return (last?.["at_ms"] as number | undefined) ?? 0 // our own STRICT table
}
