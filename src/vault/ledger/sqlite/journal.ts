import { hash as digest } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import type { ClockReading } from "../../process/clock.ts"
import type { JournalRow, RequestRow } from "../records/row.ts"
import type { JournalHead } from "../store/audit-queries.ts"
import type { Head, Identity } from "../store/store.ts"

/** The chained list of everything that was recorded. */
export type Journal = {
  /** Appends within the open transaction. Returns the entry's sequence number, from 1 on. */
  append(row: JournalRow): number
  /** Number of entries, those in archives among them. */
  length(): number
  head(): Head
  /** The rows that were appended since this was asked last, as they are chained. */
  appended(): readonly string[]
}

/**
 * Goes on with the journal in `database`, after a look at its last link.
 *
 * The head is kept in memory and moves with each append, so after a transaction that failed the journal
 * must not be used again.
 *
 * @throws {Fault} `ledger_unavailable` when the last entry doesn't match its hash.
 */
export function openJournal(database: DatabaseSync): Journal {
  const insert = database.prepare(
    "INSERT INTO entries (seq, id, kind, at_ms, row, hash) VALUES (?, ?, ?, ?, ?, ?)",
  )
  let head = readHead(database)
  let appended: string[] = []
  return {
    append(row) {
      const seq = head.seq + 1
      const text = canonicalRow({ ...row, seq })
      const hash = chainHash(head.hash, text)
      insert.run(seq, row.id, row.kind, row.at_ms, text, hash)
      head = { seq, hash }
      appended.push(text)
      return seq
    },
    length: () => head.seq,
    head: () => head,
    appended() {
      const rows = appended
      appended = []
      return rows
    },
  }
}

/**
 * Writes a row as RFC 8785 (JSON Canonicalization Scheme) does: compact, keys sorted at every depth,
 * strings and numbers as `JSON.stringify` writes them. Keys must not look like array indexes.
 */
export function canonicalRow(row: JournalRow & { readonly seq: number }): string {
  return JSON.stringify(sorted(row))
}

/** A copy first, for a replacer that JSON.stringify calls for each value takes three times as long. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const from = value as Readonly<Record<string, unknown>>
  const copy = Object.create(null) as Record<string, unknown> // which takes any key
  for (const key of Object.keys(from).sort()) copy[key] = sorted(from[key])
  return copy
}

/** SHA-256(hash of the entry before ‖ UTF-8 of the row). */
export function chainHash(previous: Uint8Array, row: string): Uint8Array {
  const mostBytes = previous.length + 3 * row.length // UTF-8 takes up to 3 bytes a UTF-16 unit
  if (scratch.length < mostBytes) scratch = Buffer.alloc(2 * mostBytes)
  scratch.set(previous)
  const bytes = previous.length + scratch.write(row, previous.length)
  return digest("sha256", scratch.subarray(0, bytes), "buffer")
}

/** Where the two are joined; kept from one entry to the next, since a check hashes many. */
let scratch = Buffer.alloc(8_192)

/** As it is told and kept. */
export function hexHead({ seq, hash }: Head): JournalHead {
  return { seq, hash: Buffer.from(hash).toString("hex") }
}

/** What the first entry is chained to: 32 zero bytes. */
const beginning: Head = { seq: 0, hash: new Uint8Array(32) }

/** What the first entry that is still here is chained to: the last one in an archive, if there are any. */
export function readArchivedHead(database: DatabaseSync): Head {
  const last = database
    .prepare("SELECT last_seq, last_hash FROM archives ORDER BY seq DESC LIMIT 1")
    .get()
  if (last === undefined) return beginning
  // Our own STRICT table.
  return { seq: last["last_seq"] as number, hash: Buffer.from(last["last_hash"] as string, "hex") }
}

function readHead(database: DatabaseSync): Head {
  // Our own STRICT table: the types are those of its columns.
  const [last, before] = database
    .prepare("SELECT seq, row, hash FROM entries ORDER BY seq DESC LIMIT 2")
    .all() as unknown as readonly (Head & { readonly row: string })[]
  if (last === undefined) return beginning
  const previous = before ?? readArchivedHead(database)
  const hash = chainHash(previous.hash, last.row)
  if (last.seq !== previous.seq + 1 || Buffer.compare(hash, last.hash) !== 0) {
    throw new Fault(
      "ledger_unusable",
      `The ledger's last entry (${last.seq}) doesn't match its hash: it was changed or is damaged; restore it from a back-up.`,
    )
  }
  return { seq: last.seq, hash }
}

/** Reads it at a start. */
export function readIdentity(database: DatabaseSync): Identity {
  const named = database.prepare("SELECT name FROM identity").get()
  const last = database.prepare("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").get()
  return {
    // Our own STRICT tables.
    ledger: named?.["name"] as string,
    head: (last as Head | undefined) ?? readArchivedHead(database),
    clock: readClock(database),
  }
}

/** For how long a reading stands for later ones, while the clock goes on as it should. */
const clockStandsMs = 1_000

/**
 * Prepares keeping the clocks with a commit. Within the open transaction. A reading of a second ago tells a
 * start as much as the latest.
 */
export function clockKeeper(database: DatabaseSync): (reading: ClockReading) => void {
  let last: ClockReading | undefined
  const keep = database.prepare(
    `INSERT INTO clock (one, wall_ms, uptime_ms, boot_id) VALUES (1, ?, ?, ?)
     ON CONFLICT (one) DO UPDATE
     SET wall_ms = excluded.wall_ms, uptime_ms = excluded.uptime_ms, boot_id = excluded.boot_id`,
  )
  return (reading) => {
    if (last !== undefined && isSoonAfter(last, reading)) return
    last = reading
    keep.run(reading.wallMs, reading.uptimeMs, reading.bootId)
  }
}

function isSoonAfter(last: ClockReading, { wallMs, uptimeMs, bootId }: ClockReading): boolean {
  const isSoon = (ms: number): boolean => ms >= 0 && ms < clockStandsMs
  return isSoon(wallMs - last.wallMs) && isSoon(uptimeMs - last.uptimeMs) && bootId === last.bootId
}

function readClock(database: DatabaseSync): ClockReading | undefined {
  const kept = database.prepare("SELECT wall_ms, uptime_ms, boot_id FROM clock").get()
  return (
    kept && {
      wallMs: kept["wall_ms"] as number,
      uptimeMs: kept["uptime_ms"] as number,
      bootId: kept["boot_id"] as string,
    }
  )
}

/**
 * Whether the tables may have a request later than the journal. One with an idempotency key, a release or a grant
 * may not: there the database itself refuses a second one.
 */
export function mayTrail({ idempotency, release, grant }: RequestRow): boolean {
  return [idempotency, release, grant].every((each) => each === undefined)
}

/**
 * Reads what trails, in the journal's order: requests that it has and the tables may not have yet. They are at its very
 * end, since nothing else is written before the tables have caught up.
 */
export function readTrail(database: DatabaseSync) {
  const last = database.prepare("SELECT kind FROM entries ORDER BY seq DESC LIMIT 1").get()
  if (last?.["kind"] !== "request") return []
  // Our own STRICT table. Rows that the table lost from before another entry are for a check to find.
  const behind = database
    .prepare(
      `SELECT seq, row FROM entries
       WHERE seq > (SELECT coalesce(max(seq), 0) FROM requests)
         AND seq > (SELECT coalesce(max(seq), 0) FROM entries WHERE kind <> 'request')
       ORDER BY seq`,
    )
    .all() as unknown as readonly { readonly seq: number; readonly row: string }[]
  return behind.map(({ seq, row }) => ({ seq, row: JSON.parse(row) as RequestRow }))
}

/**
 * Prepares the check that each nonce of a signer is above all before it, also those that trail. Nobody but a
 * flaw of ours gets that far with another: the database's own refusal would come too late.
 */
export function nonceCheck(
  database: DatabaseSync,
  trail: ReturnType<typeof readTrail>,
): (row: RequestRow) => void {
  const last = new Map<string, number>()
  for (const { address, last_nonce } of database
    .prepare("SELECT address, last_nonce FROM signers")
    .all()) {
    last.set(address as string, last_nonce as number) // our own STRICT table
  }
  const take = ({ signer, nonce, isolated }: RequestRow): void => {
    if (isolated === true) return // of a share of its own, where the database refuses a second one
    if (nonce <= (last.get(signer) ?? -1)) throw new Error("a nonce was used twice")
    last.set(signer, nonce)
  }
  for (const { row } of trail) take(row)
  return take
}
