import { hash as digest } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../std/fault.ts"
import { canonicalRow, type JournalRow } from "./row.ts"

/** The chained list of everything that was recorded. */
export type Journal = {
  /** Appends within the open transaction. Returns the entry's sequence number, from 1 on. */
  append(row: JournalRow): number
  /** Number of entries, those in archives among them. */
  length(): number
  head(): Head
}

/** An entry's number and hash. */
export type Head = { readonly seq: number; readonly hash: Uint8Array }

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
  return {
    append(row) {
      const seq = head.seq + 1
      const text = canonicalRow({ ...row, seq })
      const hash = chainHash(head.hash, text)
      insert.run(seq, row.id, row.kind, row.at_ms, text, hash)
      head = { seq, hash }
      return seq
    },
    length: () => head.seq,
    head: () => head,
  }
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
