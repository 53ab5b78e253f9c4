import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import { storedKey } from "../records/idempotency.ts"
import { hear, type Heard } from "../records/record-state.ts"
import { countedAt } from "../records/request-row.ts"
import type { JournalRow, OutcomeRow, RequestRow } from "../records/row.ts"
import type { Written } from "../store/store.ts"
import { openActProjections } from "./act-projections.ts"
import { type Journal, mayTrail, nonceCheck, readTrail } from "./journal.ts"
import type { FollowedRows } from "./worker-messages.ts"

/** Writes a row to the journal and to the tables that follow from it. Within the open transaction. */
export type WriteRow = (row: JournalRow) => Written

/**
 * The tables that follow from the journal. A row that does no more than add a request may trail: it is
 * durable in the journal, and the tables have it after the next `catchUp`.
 */
export type Projections = {
  readonly write: WriteRow
  /** Brings the tables up to the journal. Whoever reads them calls it first. Within the open transaction. */
  readonly catchUp: () => void
  /** How many requests trail. */
  readonly trailing: () => number
}

/** Prepares the statements that keep the tables in step with the journal, and finds what trails. */
export function openProjections(database: DatabaseSync, journal: Journal): Projections {
  const writeRequest = requestWriter(database)
  const writeRow = rowWriter(database, journal, writeRequest)
  let trail = readTrail(database)
  const assertRising = nonceCheck(database, trail)
  const catchUp = (): void => {
    const behind = trail
    trail = []
    for (const { row, seq } of behind) writeRequest(row, seq)
  }
  return {
    write(row) {
      if (row.kind === "request") assertRising(row)
      if (row.kind === "request" && mayTrail(row)) {
        trail.push({ row, seq: journal.append(row) })
        return written
      }
      catchUp()
      return writeRow(row)
    },
    catchUp,
    trailing: () => trail.length,
  }
}

/** Adds entries that are durable elsewhere. Within the open transaction. @throws {Fault} `ledger_unusable`. */
export function followRows(
  { rows, head }: FollowedRows,
  { journal, tables }: { readonly journal: Journal; readonly tables: Projections },
): readonly Written[] {
  const written = rows.map((row) => tables.write(row))
  if (Buffer.compare(journal.head().hash, head.hash) !== 0) {
    const message = `The entries up to ${head.seq} in PostgreSQL aren't what this Countersign would write; install the version that wrote them.`
    throw new Fault("ledger_unusable", message)
  }
  journal.appended() // these needn't be made durable anywhere
  return written
}

/** Writes to the journal and to the tables at once. */
function rowWriter(
  database: DatabaseSync,
  journal: Journal,
  writeRequest: (row: RequestRow, seq: number) => void,
): WriteRow {
  const writeOutcome = outcomeWriter(database)
  const acts = openActProjections(database)
  const addRefusal = database.prepare("INSERT INTO refusals (id, seq, repeats) VALUES (?, ?, 0)")
  const addShadow = database.prepare("INSERT INTO shadows (seq, asked_at) VALUES (?, ?)")
  const addCheckpoint = database.prepare("INSERT INTO checkpoints VALUES (?, ?, ?)")
  const addRepeats = database.prepare("UPDATE refusals SET repeats = repeats + ? WHERE id = ?")

  return (row) => {
    if (row.kind === "outcome") return writeOutcome(row, journal)
    const seq = journal.append(row.kind === "act" ? acts.shorten(row) : row)
    switch (row.kind) {
      case "request":
        writeRequest(row, seq)
        if (row.grant !== undefined) acts.useGrant(row, seq)
        break
      case "shadow":
        addShadow.run(seq, row.at_ms)
        break
      case "refusal":
        addRefusal.run(row.id, seq)
        break
      case "repeats":
        addRepeats.run(row.count, row.record)
        break
      case "act":
        acts.write(row, seq)
        break
      case "checkpoint":
        addCheckpoint.run(seq, row.at_ms, row.public_key)
        break
      case "omitted":
        break // stands in the journal alone
    }
    return written
  }
}

const written: Written = { kind: "written", released: undefined }

function requestWriter(database: DatabaseSync): (row: RequestRow, seq: number) => void {
  const add = database.prepare(
    `INSERT INTO requests
       (id, seq, client, key, operation, signer, nonce, expires_after, decided_at, counted_at,
        client_order_id, idempotency_key)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const endKey = keyEnder(database)
  const useRelease = database.prepare(
    "UPDATE holds SET state = 'used' WHERE id = ? AND state = 'released'",
  )
  const keepEver = database.prepare("REPLACE INTO ever_sums (meter, used) VALUES (?, ?)")
  const keepNonce = database.prepare(
    `INSERT INTO signers (address, last_nonce) VALUES (?, ?)
     ON CONFLICT (address) DO UPDATE SET last_nonce = max(last_nonce, excluded.last_nonce)`,
  )
  return (row, seq) => {
    const { id, client, key, operation, signer, nonce, at_ms: atMs } = row
    const times = [row.expires_after, atMs, countedAt(row)]
    endKey(row, seq)
    add.run(id, seq, client, key, operation, signer, nonce, ...times, ...namesOf(row))
    keepNonce.run(signer, nonce)
    for (const [meter, used] of Object.entries(row.ever ?? {})) keepEver.run(meter, used)
    if (row.release === undefined) return
    // As UNIQUE does for a nonce: the database itself refuses a release a second time.
    if (useRelease.run(row.release).changes !== 1) throw new Error("a release was used twice")
  }
}

/** Frees a key from the request that the row names. Any other with the key is refused by the index, as a nonce is. */
function keyEnder(database: DatabaseSync): (row: RequestRow, seq: number) => void {
  const end = database.prepare("UPDATE requests SET key_ended_seq = ? WHERE id = ?")
  return ({ idempotency }, seq) => {
    if (idempotency?.replaces !== undefined) end.run(seq, idempotency.replaces)
  }
}

/** What the request can be looked for by. */
function namesOf({ client_order_id, idempotency }: RequestRow): readonly (string | null)[] {
  return [client_order_id ?? null, idempotency === undefined ? null : storedKey(idempotency)]
}

function outcomeWriter(database: DatabaseSync): (row: OutcomeRow, journal: Journal) => Written {
  const find = database.prepare("SELECT seq, heard, sends, released_at FROM requests WHERE id = ?")
  const replace = database.prepare(
    "UPDATE requests SET heard = ?, status = ?, code = ?, answer_seq = ? WHERE id = ?",
  )
  const countSend = database.prepare("UPDATE requests SET sends = sends + 1 WHERE id = ?")
  const withdraw = database.prepare(
    `UPDATE requests SET heard = 'unsent', sends = 0, status = ?, code = ?
     WHERE id = ? AND heard = 'sent' AND sends = 1`,
  )
  const release = releaser(database)
  return (row, journal) => {
    const found = find.get(row.record) as FoundRequest | undefined // our own STRICT table
    if (found === undefined) return { kind: "unknown_request" }
    const seq = journal.append(row)
    const heard = hear(found.heard, wordOf(row, found.sends))
    if (heard !== found.heard) {
      const keptSeq = isFinal(heard) && keepsWords(row) ? seq : null
      replace.run(heard, row.status, row.code, keptSeq, row.record)
    }
    if (row.outcome === "sent") countSend.run(row.record)
    if (row.withdrawn === true) withdraw.run(row.status, row.code, row.record)
    return givesRoomBack(found, heard)
      ? { kind: "written", released: release(row, found.seq, seq) }
      : written
  }
}

/** A refusal of bytes that may have been sent before says nothing of the earlier sending. */
function wordOf({ outcome, again }: OutcomeRow, sends: number): Heard {
  return outcome === "refused" && (again === true || sends > 1) ? "unknown" : outcome
}

function isFinal(heard: Heard): boolean {
  return heard === "accepted" || heard === "refused"
}

function keepsWords({ answer, order }: OutcomeRow): boolean {
  return answer !== undefined || order !== undefined
}

type FoundRequest = {
  readonly seq: number
  readonly heard: Heard | null
  readonly sends: number
  readonly released_at: number | null
}

/**
 * Only the refusal of the only send does, and only once: after an unknown outcome or a second send an
 * earlier one may have been accepted.
 */
function givesRoomBack(found: FoundRequest, heard: Heard): boolean {
  const isRefusedNow = found.heard === "sent" && heard === "refused"
  return isRefusedNow && found.sends === 1 && found.released_at === null
}

/** Notes that a request's room was given back; returns it if there is anything to give back. */
function releaser(database: DatabaseSync) {
  const read = database.prepare("SELECT row FROM entries WHERE seq = ?")
  const note = database.prepare(
    "UPDATE requests SET released_at = ?, released_seq = ? WHERE id = ?",
  )
  return (row: OutcomeRow, requestSeq: number, seq: number): RequestRow | undefined => {
    const request = JSON.parse(read.get(requestSeq)?.["row"] as string) as RequestRow // its entry
    if (request.refunds === undefined) return undefined
    note.run(countedAt(row), seq, row.record)
    return request
  }
}
