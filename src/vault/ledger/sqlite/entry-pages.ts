import type { DatabaseSync } from "node:sqlite"

import { parseJson } from "../../../std/parse-json.ts"
import type {
  AboutEntry,
  EntryAsk,
  EntryFilter,
  EntryPage,
  StoredEntry,
} from "../store/audit-queries.ts"

/** How much of rows a page holds, so that it crosses a socket in one frame. */
export const maxPageBytes = 96 * 1_024

/** Prepares the look-up of entries. A page ends early after a few milliseconds: commits wait meanwhile. */
export function entryPager(database: DatabaseSync): (ask: EntryAsk) => EntryPage {
  const upwards = database.prepare("SELECT * FROM entries WHERE seq > ? ORDER BY seq")
  const downwards = database.prepare("SELECT * FROM entries WHERE seq < ? ORDER BY seq DESC")
  const matches = matcher(database)
  return ({ from, limit, filter }) => {
    const isUpwards = "after" in from
    const start = isUpwards ? from.after : from.before
    const wanted = (entry: StoredEntry): boolean => matches(entry, filter)
    return gatherPage((isUpwards ? upwards : downwards).iterate(start), { start, limit, wanted })
  }
}

function gatherPage(
  rows: Iterable<unknown>,
  ask: {
    readonly start: number
    readonly limit: number
    readonly wanted: (entry: StoredEntry) => boolean
  },
): EntryPage {
  const isOver = openTimeSlice()
  const entries: StoredEntry[] = []
  let next = ask.start
  let bytes = 0
  for (const columns of rows) {
    const entry = columns as StoredEntry // our own STRICT table
    if (ask.wanted(entry)) {
      bytes += Buffer.byteLength(entry.row)
      if (entries.length > 0 && bytes > maxPageBytes) return { entries, next, isEnd: false }
      entries.push(entry)
    }
    next = entry.seq
    if (entries.length >= ask.limit || isOver()) return { entries, next, isEnd: false }
  }
  return { entries, next, isEnd: true }
}

const maxOthers = 200

/** Prepares the look-up of a request, a refusal or a hold by id, or of an entry by its number. */
export function entryFinder(database: DatabaseSync): (id: string) => AboutEntry | undefined {
  const bySeq = database.prepare("SELECT * FROM entries WHERE seq = ?")
  const seqOf = database.prepare(
    `SELECT seq FROM requests WHERE id = ?1 UNION ALL SELECT seq FROM refusals WHERE id = ?1
     UNION ALL SELECT seq FROM holds WHERE id = ?1`,
  )
  const byRecord = database.prepare(
    `SELECT * FROM entries WHERE kind IN ('outcome', 'repeats', 'act') AND json_valid(row)
     AND row ->> '$.record' = ? ORDER BY seq LIMIT ${maxOthers}`,
  )
  const byHold = database.prepare(
    `SELECT * FROM entries WHERE kind = 'act' AND json_valid(row)
     AND row ->> '$.hold' = ? ORDER BY seq LIMIT ${maxOthers}`,
  )
  return (id) => {
    const seq = /^\d{1,15}$/.test(id) ? Number(id) : (seqOf.get(id)?.["seq"] ?? null)
    const entry = bySeq.get(seq) as StoredEntry | undefined // our own STRICT table, as below
    if (entry === undefined) return undefined
    const hold = holdOf(entry)
    const others = [
      ...byRecord.all(entry.id),
      ...(hold === undefined ? [] : byHold.all(hold)),
    ] as unknown as readonly StoredEntry[]
    return {
      entry,
      others: others.filter((other) => other.seq !== entry.seq).sort((a, b) => a.seq - b.seq),
    }
  }
}

/** The hold that an entry opened, decided or used up. */
function holdOf({ row }: StoredEntry): string | undefined {
  const { hold, release } = fieldsOf(row)
  return textOf(hold) ?? textOf(release)
}

function matcher(database: DatabaseSync): (entry: StoredEntry, filter: EntryFilter) => boolean {
  const ownerOf = database.prepare(
    `SELECT client, key FROM requests WHERE id = ?1
     UNION ALL SELECT row ->> '$.client', row ->> '$.key'
     FROM refusals JOIN entries USING (seq) WHERE refusals.id = ?1`,
  )
  const ownerIn = (row: string): Fields => {
    const fields = fieldsOf(row)
    const record = textOf(fields["record"])
    return record === undefined ? fields : (ownerOf.get(record) ?? {})
  }
  return (entry, filter) => {
    if (!isOfKindAndTime(entry, filter)) return false
    const wanted = (["client", "key"] as const).filter((name) => filter[name] !== undefined)
    if (wanted.length === 0) return true
    const owner = ownerIn(entry.row)
    return wanted.every((name) => owner[name] === filter[name])
  }
}

function isOfKindAndTime(entry: StoredEntry, { kind, sinceMs = 0 }: EntryFilter): boolean {
  return entry.at_ms >= sinceMs && (kind ?? entry.kind) === entry.kind
}

type Fields = Readonly<Record<string, unknown>>

/** Empty where the row can't be read: showing what is there doesn't prove it. */
function fieldsOf(row: string): Fields {
  const fields = parseJson(row)
  return typeof fields === "object" && fields !== null ? (fields as Fields) : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

/** How long one step of reading may hold the ledger's thread: commits wait for that long at most. */
const sliceMs = 4

/** Between looks at the clock, which costs about as much as an entry. */
const entriesBetween = 16

/** Begins a time slice: tells, asked after each entry, when it is over. */
export function openTimeSlice(): () => boolean {
  const endMs = performance.now() + sliceMs
  let asked = 0
  return () => {
    asked += 1
    return asked % entriesBetween === 0 && performance.now() >= endMs
  }
}
