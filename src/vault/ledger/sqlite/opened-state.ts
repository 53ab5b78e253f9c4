import type { DatabaseSync } from "node:sqlite"

import type { SetActivation, StoredSet } from "../records/entries.ts"
import type { StoredHold } from "../records/row.ts"
import { maxEndedHolds, type OpenedState } from "../store/store.ts"
import { readIdentity } from "./journal.ts"
import { readStanding } from "./standing-table.ts"

// Every cast below reads what the projections wrote into our own STRICT tables.
type Columns = Readonly<Record<string, unknown>>

/** Reads all that a start needs, as of `nowMs`; lists are in the order in which they were added. */
export function readOpenedState(database: DatabaseSync, nowMs: number): OpenedState {
  const all = (sql: string): readonly Columns[] => database.prepare(sql).all()
  return {
    identity: readIdentity(database),
    standing: readStanding(database),
    lastNonces: new Map(
      all("SELECT address, last_nonce FROM signers").map((signer) => [
        signer["address"] as string,
        signer["last_nonce"] as number,
      ]),
    ),
    ever: all("SELECT meter, used FROM ever_sums") as OpenedState["ever"],
    holds: readHolds(database, nowMs),
    lastSet: readLastSet(database),
  }
}

function readHolds(database: DatabaseSync, nowMs: number): readonly StoredHold[] {
  const open = database.prepare(
    "SELECT * FROM holds WHERE state IN ('pending', 'released') AND expires_at > ?",
  )
  const latest = database.prepare("SELECT * FROM holds ORDER BY seq DESC LIMIT ?")
  const bySeq = new Map(
    [...open.all(nowMs), ...latest.all(maxEndedHolds)].map((hold) => [hold["seq"], hold]),
  )
  return [...bySeq.values()]
    .sort((a, b) => (a["seq"] as number) - (b["seq"] as number))
    .map(holdFields)
}

function readLastSet(database: DatabaseSync): StoredSet | undefined {
  const last = database.prepare("SELECT hash FROM sets ORDER BY seq DESC LIMIT 1").get()
  return last === undefined ? undefined : readSet(database, last["hash"] as string)
}

function holdFields(columns: Columns): StoredHold {
  return {
    hold: columns["id"] as string,
    client: columns["client"] as string,
    key: columns["key"] as string,
    operation: columns["operation"] as string,
    target: columns["target"] as string | null,
    body_hash: columns["body_hash"] as string,
    body: columns["body"] as string,
    policy: columns["policy"] as string,
    rule: columns["rule"] as string,
    worst: columns["worst"] as string,
    opened_at: columns["opened_at"] as number,
    expires_at: columns["expires_at"] as number,
    state: columns["state"] as StoredHold["state"],
    decided_by: columns["decided_by"] as string | null,
  }
}

/** How many sets one may go back to by `sets`. */
const maxSets = 20

/** The set that `hash` names. */
export function readSet(database: DatabaseSync, hash: string): StoredSet | undefined {
  const found = database.prepare("SELECT files FROM sets WHERE hash = ?").get(hash)
  if (found === undefined) return undefined
  const files = JSON.parse(found["files"] as string) as StoredSet["files"] // written from one
  return { hash, files }
}

/** The sets that were active last, the newest first. */
export function readSets(database: DatabaseSync): readonly SetActivation[] {
  return database
    .prepare("SELECT hash, activated_at FROM sets ORDER BY seq DESC LIMIT ?")
    .all(maxSets)
    .map((set) => ({
      hash: set["hash"] as string,
      activatedAtMs: set["activated_at"] as number,
    }))
}
