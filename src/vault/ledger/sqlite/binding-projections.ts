import type { DatabaseSync } from "node:sqlite"

import type { SafetyName, StopName } from "../records/act-row.ts"
import { replaceName } from "../records/bindings.ts"
import type { ActRow, KeyFields } from "../records/row.ts"

type BindingRow = Exclude<
  ActRow,
  { act: "archived" | SafetyName | StopName | `${"price" | "limit" | "set" | "hold"}_${string}` }
>

/** Prepares the statements that keep the tables of keys and clients. Within the open transaction. */
export function openBindingProjections(
  database: DatabaseSync,
): (row: BindingRow, seq: number) => void {
  const addKey = keyAdder(database)
  const change = keyChanges(database)
  const replaceKey = keyReplacer(database)
  const putClient = clientPutter(database)
  const setToken = database.prepare("UPDATE clients SET token_hash = ? WHERE name = ?")
  return (row, seq) => {
    switch (row.act) {
      case "key_added":
        addKey(row.key, seq)
        break
      case "key_replaced":
        replaceKey(row.from, row.to)
        break
      case "agent_approved":
      case "agent_revoked":
      case "key_removed":
      case "key_targets_set":
        change(row)
        break
      case "client_added":
      case "client_set":
        putClient(row, seq)
        break
      case "client_token_set":
      case "client_revoked":
        setToken.run("token_hash" in row ? row.token_hash : null, row.name)
        break
      case "started":
      case "asked":
      case "key_exported":
      case "locked":
      case "unlocked":
        break // changes no table
    }
  }
}

type ChangeRow = Extract<
  BindingRow,
  { act: "agent_approved" | "agent_revoked" | "key_removed" | "key_targets_set" }
>

/** What has ended stays so: an approval is for a key that is in use, and what is removed never changes. */
function keyChanges(database: DatabaseSync): (row: ChangeRow) => void {
  const approve = database.prepare(
    `UPDATE keys SET approval = 'approved', expires_at = ?, wallet = coalesce(?, wallet)
     WHERE name = ? AND approval IN ('unknown', 'approved')`,
  )
  const revoke = database.prepare(
    "UPDATE keys SET approval = 'revoked' WHERE name = ? AND approval <> 'removed'",
  )
  const remove = database.prepare("UPDATE keys SET approval = 'removed' WHERE name = ?")
  const setTargets = database.prepare("UPDATE keys SET targets = ? WHERE name = ?")
  return (row) => {
    switch (row.act) {
      case "agent_approved":
        approve.run(row.expires_at, row.wallet ?? null, row.name)
        break
      case "agent_revoked":
        revoke.run(row.name)
        break
      case "key_removed":
        remove.run(row.name)
        break
      case "key_targets_set":
        setTargets.run(JSON.stringify(row.targets), row.name)
        break
    }
  }
}

function keyReplacer(database: DatabaseSync): (from: string, to: string) => void {
  const retire = database.prepare(
    "UPDATE keys SET approval = 'retired' WHERE name = ? AND approval IN ('unknown', 'approved')",
  )
  const clients = database.prepare("SELECT seq, keys FROM clients")
  const setKeys = database.prepare("UPDATE clients SET keys = ? WHERE seq = ?")
  return (from, to) => {
    retire.run(from)
    for (const { seq, keys } of clients.all()) {
      const names = JSON.parse(keys as string) as readonly string[] // our own STRICT table
      setKeys.run(JSON.stringify(replaceName(names, from, to)), seq as number)
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

type ClientRow = Extract<BindingRow, { act: "client_added" | "client_set" }>

/** One that is set keeps its place. A name that is added twice is refused by the table itself. */
function clientPutter(database: DatabaseSync): (row: ClientRow, seq: number) => void {
  const takeOut = database.prepare("DELETE FROM clients WHERE name = ? RETURNING seq")
  const add = database.prepare(
    `INSERT INTO clients (seq, name, token_hash, keys, rights, allow_type_b, idempotency_by, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return ({ act, client }, seq) => {
    const { name, token_hash, idempotency_by = "header", expires_at = null } = client
    const place = act === "client_set" ? (takeOut.get(name)?.["seq"] as number) : seq
    const lists = [JSON.stringify(client.keys), JSON.stringify(client.rights)]
    const mayTypeB = client.allow_type_b ? 1 : 0
    add.run(place, name, token_hash, ...lists, mayTypeB, idempotency_by, expires_at)
  }
}
