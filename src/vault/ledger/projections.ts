import type { DatabaseSync } from "node:sqlite"

import type { Journal } from "./journal.ts"
import { hear, type Heard } from "./record-state.ts"
import type { ActRow, ClientFields, JournalRow, KeyFields, OutcomeRow, RequestRow } from "./row.ts"

export type Written = "written" | "unknown_request"

/** Writes a row to the journal and to the tables that follow from it. Within the open transaction. */
export type WriteRow = (row: JournalRow) => Written

/** Prepares the statements that keep the tables in step with the journal. */
export function openProjections(database: DatabaseSync, journal: Journal): WriteRow {
  const writeRequest = requestWriter(database)
  const writeOutcome = outcomeWriter(database)
  const writeAct = actWriter(database)
  const addRefusal = database.prepare("INSERT INTO refusals (id, seq, repeats) VALUES (?, ?, 0)")
  const addRepeats = database.prepare("UPDATE refusals SET repeats = repeats + ? WHERE id = ?")

  return (row) => {
    if (row.kind === "outcome") return writeOutcome(row, journal)
    const seq = journal.append(row)
    switch (row.kind) {
      case "request":
        writeRequest(row, seq)
        break
      case "refusal":
        addRefusal.run(row.id, seq)
        break
      case "repeats":
        addRepeats.run(row.count, row.record)
        break
      case "act":
        writeAct(row, seq)
        break
      case "omitted":
        break // stands in the journal alone
    }
    return "written"
  }
}

function requestWriter(database: DatabaseSync): (row: RequestRow, seq: number) => void {
  const add = database.prepare(
    `INSERT INTO requests (id, seq, client, key, operation, signer, nonce, expires_after, decided_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const keepNonce = database.prepare(
    `INSERT INTO signers (address, last_nonce) VALUES (?, ?)
     ON CONFLICT (address) DO UPDATE SET last_nonce = max(last_nonce, excluded.last_nonce)`,
  )
  return (row, seq) => {
    const { id, client, key, operation, signer, nonce } = row
    add.run(id, seq, client, key, operation, signer, nonce, row.expires_after, row.at_ms)
    keepNonce.run(signer, nonce)
  }
}

function outcomeWriter(database: DatabaseSync): (row: OutcomeRow, journal: Journal) => Written {
  const find = database.prepare("SELECT heard FROM requests WHERE id = ?")
  const replace = database.prepare(
    "UPDATE requests SET heard = ?, status = ?, code = ? WHERE id = ?",
  )
  return (row, journal) => {
    const found = find.get(row.record)
    if (found === undefined) return "unknown_request"
    journal.append(row)
    const earlier = found["heard"] as Heard | null // nothing else is ever written there
    const heard = hear(earlier, row.outcome)
    if (heard !== earlier) replace.run(heard, row.status, row.code, row.record)
    return "written"
  }
}

function actWriter(database: DatabaseSync): (row: ActRow, seq: number) => void {
  const addKey = keyAdder(database)
  const addClient = clientAdder(database)
  const approve = database.prepare(
    "UPDATE keys SET approval = 'approved', expires_at = ? WHERE name = ? AND approval <> 'revoked'",
  )
  const revoke = database.prepare("UPDATE keys SET approval = 'revoked' WHERE name = ?")
  return (row, seq) => {
    switch (row.act) {
      case "key_added":
        addKey(row.key, seq)
        break
      case "client_added":
        addClient(row.client, seq)
        break
      case "agent_approved":
        approve.run(row.expires_at, row.name)
        break
      case "agent_revoked":
        revoke.run(row.name)
        break
      case "started":
      case "key_exported":
        break // changes no table
    }
  }
}

function keyAdder(database: DatabaseSync): (key: KeyFields, seq: number) => void {
  const add = database.prepare(
    `INSERT INTO keys (seq, name, address, role, wallet, targets, network, approval, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (key, seq) => {
    const { name, address, role, wallet, network, approval } = key
    const targets = JSON.stringify(key.targets)
    add.run(seq, name, address, role, wallet, targets, network, approval, key.expires_at)
  }
}

function clientAdder(database: DatabaseSync): (client: ClientFields, seq: number) => void {
  const add = database.prepare(
    `INSERT INTO clients (seq, name, token_hash, keys, rights, allow_type_b)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  return ({ name, token_hash, keys, rights, allow_type_b }, seq) => {
    const mayTypeB = allow_type_b ? 1 : 0
    add.run(seq, name, token_hash, JSON.stringify(keys), JSON.stringify(rights), mayTypeB)
  }
}
