import type { DatabaseSync } from "node:sqlite"

import type { Hold } from "../records/hold.ts"
import type { ActRow, RequestRow, RowOf } from "../records/row.ts"
import { openStandingTable } from "./standing-table.ts"

/** Prepares the statements of every act that changes a table. They run within the open transaction. */
export function openActProjections(database: DatabaseSync) {
  const findSet = database.prepare("SELECT 1 FROM sets WHERE hash = ?")
  const writeStanding = openStandingTable(database)
  const others = otherWriters(database)
  return {
    /** The row as it goes into the journal: without what an earlier entry holds already. */
    shorten(row: ActRow): ActRow {
      if (row.act !== "set_activated" || findSet.get(row.hash) === undefined) return row
      const { kind, id, at_ms, act, hash } = row
      return { kind, id, at_ms, act, hash }
    },
    /** What a request leaves of a grant. */
    useGrant: (row: RequestRow, seq: number): void => writeStanding(row, seq),
    write(row: ActRow, seq: number): void {
      writeStanding(row, seq)
      const write = others[row.act] as ((of: ActRow, at: number) => void) | undefined // its own
      write?.(row, seq)
    },
  }
}

function otherWriters(database: DatabaseSync): {
  readonly [Name in ActRow["act"]]?: (row: RowOf<Name>, seq: number) => void
} {
  const holds = holdWriter(database)
  const activate = database.prepare(
    `INSERT INTO sets (hash, files, activated_at, seq) VALUES (?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET activated_at = excluded.activated_at, seq = excluded.seq`,
  )
  return {
    set_activated: ({ hash, files = [], at_ms }, seq) =>
      void activate.run(hash, JSON.stringify(files), at_ms, seq),
    hold_opened: holds.open,
    hold_released: (row) => holds.decide(row, "released"),
    hold_granted: (row) => holds.decide(row, "granted"),
    hold_refused: (row) => holds.decide(row, "refused"),
    archived: archiveAdder(database),
    restore_accepted: restoreAccepter(database),
  }
}

function archiveAdder(database: DatabaseSync): (row: RowOf<"archived">, seq: number) => void {
  const add = database.prepare(
    `INSERT INTO archives
       (seq, at_ms, file, sha256, first_seq, last_seq, last_hash, from_ms, to_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return ({ at_ms, file, sha256, first_seq, last_seq, last_hash, from_ms, to_ms }, seq) => {
    add.run(seq, at_ms, file, sha256, first_seq, last_seq, last_hash, from_ms, to_ms)
  }
}

function restoreAccepter(database: DatabaseSync): (row: RowOf<"restore_accepted">) => void {
  const rename = database.prepare("UPDATE identity SET name = ?")
  const raiseFloor = database.prepare(
    `INSERT INTO signers (address, last_nonce) VALUES (?, ?)
     ON CONFLICT (address) DO UPDATE SET last_nonce = max(last_nonce, excluded.last_nonce)`,
  )
  return (row) => {
    rename.run(row.ledger)
    for (const { signer, nonce } of row.signers) raiseFloor.run(signer, nonce)
  }
}

function holdWriter(database: DatabaseSync) {
  const add = database.prepare(
    `INSERT INTO holds (seq, id, client, key, operation, target, body_hash, body, policy, rule,
       worst, opened_at, expires_at, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
  )
  const close = database.prepare(
    "UPDATE holds SET state = ?, decided_by = ? WHERE id = ? AND state = 'pending'",
  )
  return {
    open: (row: RowOf<"hold_opened">, seq: number) => {
      const { hold, client, key, operation, target, body_hash, body, policy, rule } = row
      const fields = [hold, client, key, operation, target, body_hash, body, policy, rule]
      add.run(seq, ...fields, row.worst, row.at_ms, row.expires_at)
    },
    decide: ({ hold, by }: { hold: string; by: string }, state: Hold["state"]) => {
      if (close.run(state, by, hold).changes !== 1) throw new Error("a hold was decided twice")
    },
  }
}
