import type { DatabaseSync } from "node:sqlite"

import type { StoredSet } from "../records/entries.ts"
import type { Hold } from "../records/hold.ts"
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

function readHolds(database: DatabaseSync, nowMs: number): readonly Hold[] {
  const open = database.prepare(
    `SELECT ${holdColumns} FROM holds WHERE state IN ('pending', 'released') AND expires_at > ?`,
  )
  const latest = database.prepare(`SELECT ${holdColumns} FROM holds ORDER BY seq DESC LIMIT ?`)
  const bySeq = new Map(
    [...open.all(nowMs), ...latest.all(maxEndedHolds)].map(({ seq, ...hold }) => [seq, hold]),
  )
  return [...bySeq].sort(([a], [b]) => Number(a) - Number(b)).map(([, hold]) => hold as Hold)
}

const holdColumns = `seq, id AS hold, client, key, operation, target, body_hash, body, policy, rule, worst, opened_at,
  expires_at, state, decided_by`

function readLastSet(database: DatabaseSync): StoredSet | undefined {
  const last = database.prepare("SELECT hash FROM sets ORDER BY seq DESC LIMIT 1").get()
  return last === undefined ? undefined : readSet(database, last["hash"] as string)
}

/** The set that `hash` names. */
export function readSet(database: DatabaseSync, hash: string): StoredSet | undefined {
  const found = database.prepare("SELECT files FROM sets WHERE hash = ?").get(hash)
  if (found === undefined) return undefined
  const files = JSON.parse(found["files"] as string) as StoredSet["files"] // written from one
  return { hash, files }
}
