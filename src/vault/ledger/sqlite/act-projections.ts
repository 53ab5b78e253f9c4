import type { DatabaseSync } from "node:sqlite"

import {
  isAboutHold,
  isSafety,
  isSetting,
  isStop,
  type StopName,
  type SafetyName,
} from "../records/act-row.ts"
import { raisesEndedBy } from "../records/admin-entry.ts"
import type { ActRow, PriceFields, RaiseFields } from "../records/row.ts"
import { openBindingProjections } from "./binding-projections.ts"

/** Keeps the tables that follow from acts. Within the open transaction. */
export type ActProjections = {
  /** The row as it goes into the journal: without what an earlier entry holds already. */
  shorten(row: ActRow): ActRow
  write(row: ActRow, seq: number): void
}

/** Prepares the statements of every act that changes a table. */
export function openActProjections(database: DatabaseSync): ActProjections {
  const findSet = database.prepare("SELECT 1 FROM sets WHERE hash = ?")
  const writeBinding = openBindingProjections(database)
  const writeHold = openHoldProjections(database)
  const writeSetting = settingWriter(database)
  const writeStop = openStopProjections(database)
  const addArchive = archiveAdder(database)
  const writeSafety = openSafetyProjections(database)
  return {
    shorten(row) {
      if (row.act !== "set_activated" || findSet.get(row.hash) === undefined) return row
      const { kind, id, at_ms, act, hash } = row
      return { kind, id, at_ms, act, hash }
    },
    write(row, seq) {
      if (row.act === "archived") addArchive(row, seq)
      else if (isSafety(row)) writeSafety(row)
      else if (isAboutHold(row)) writeHold(row, seq)
      else if (isSetting(row)) writeSetting(row, seq)
      else if (isStop(row)) writeStop(row, seq)
      else writeBinding(row, seq)
    },
  }
}

type SettingRow = Extract<ActRow, { act: `${"price" | "limit" | "set"}_${string}` }>

function settingWriter(database: DatabaseSync): (row: SettingRow, seq: number) => void {
  const setPrice = priceSetter(database)
  const raises = raiseWriter(database)
  const activate = database.prepare(
    `INSERT INTO sets (hash, files, activated_at, seq) VALUES (?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET activated_at = excluded.activated_at, seq = excluded.seq`,
  )
  const accept = database.prepare("INSERT INTO accepted_sets (seq, hash) VALUES (?, ?)")
  return (row, seq) => {
    switch (row.act) {
      case "price_set":
        setPrice(row, seq)
        break
      case "limit_raised":
        raises.add(row, seq)
        break
      case "limit_raise_ended":
        raises.end(row)
        break
      case "set_activated":
        activate.run(row.hash, JSON.stringify(row.files ?? []), row.at_ms, seq)
        break
      case "set_accepted":
        accept.run(seq, row.hash)
        break
    }
  }
}

function priceSetter(database: DatabaseSync): (price: PriceFields, seq: number) => void {
  const set = database.prepare(
    `INSERT OR REPLACE INTO prices (symbol_id, seq, value, as_of, set_by, confirmed, drift)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return ({ symbol_id, value, as_of, by, confirmed, drift = null }, seq) => {
    set.run(symbol_id, seq, value, as_of, by, confirmed ? 1 : 0, drift && JSON.stringify(drift))
  }
}

function raiseWriter(database: DatabaseSync) {
  const remove = database.prepare("DELETE FROM raises WHERE limit_name IN (?, ?)")
  const insert = database.prepare(
    "INSERT INTO raises (seq, limit_name, raised_to, ends_at, reason) VALUES (?, ?, ?, ?, ?)",
  )
  const end = ({ limit }: Pick<RaiseFields, "limit">): void => {
    remove.run(...raisesEndedBy(limit))
  }
  return {
    end,
    add: (raise: RaiseFields, seq: number) => {
      end(raise)
      insert.run(seq, raise.limit, raise.to, raise.until, raise.reason)
    },
  }
}

type ArchivedRow = Extract<ActRow, { act: "archived" }>

function archiveAdder(database: DatabaseSync): (row: ArchivedRow, seq: number) => void {
  const add = database.prepare(
    `INSERT INTO archives
       (seq, at_ms, file, sha256, first_seq, last_seq, last_hash, from_ms, to_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return ({ at_ms, file, sha256, first_seq, last_seq, last_hash, from_ms, to_ms }, seq) => {
    add.run(seq, at_ms, file, sha256, first_seq, last_seq, last_hash, from_ms, to_ms)
  }
}

type StopRow = Extract<ActRow, { act: StopName }>

/** Prepares the statements that keep the tables of freezes and heartbeats. Within the open transaction. */
function openStopProjections(database: DatabaseSync): (row: StopRow, seq: number) => void {
  const freezes = freezeWriter(database)
  const arm = database.prepare("INSERT OR REPLACE INTO heartbeats (client, seq) VALUES (?, ?)")
  const disarm = database.prepare("DELETE FROM heartbeats WHERE client = ?")
  return (row, seq) => {
    switch (row.act) {
      case "frozen":
        freezes.add(row, seq)
        break
      case "thawed":
        freezes.end(row)
        break
      case "heartbeat_armed":
        arm.run(row.client, seq)
        break
      case "heartbeat_missed":
        disarm.run(row.client)
        break
    }
  }
}

type FreezeRow = Extract<StopRow, { act: "frozen" }>
type ThawRow = Extract<StopRow, { act: "thawed" }>

/** A name is '' where the freeze is for all. */
function freezeWriter(database: DatabaseSync) {
  const end = database.prepare("DELETE FROM freezes WHERE scope = ? AND name = ?")
  const add = database.prepare(
    `INSERT INTO freezes (seq, scope, name, reason, frozen_by, cancels, since)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return {
    add: (row: FreezeRow, seq: number) => {
      end.run(row.scope, row.name ?? "")
      const cancels = row.cancels ? 1 : 0
      add.run(seq, row.scope, row.name ?? "", row.reason, row.by, cancels, row.since)
    },
    end: (row: ThawRow) => void end.run(row.scope, row.name ?? ""),
  }
}

type SafetyRow = Extract<ActRow, { act: SafetyName }>

/** Prepares the statements of acts about copies and clocks. Within the open transaction. */
function openSafetyProjections(database: DatabaseSync): (row: SafetyRow) => void {
  const rename = database.prepare("UPDATE identity SET name = ?")
  const raiseFloor = database.prepare(
    `INSERT INTO signers (address, last_nonce) VALUES (?, ?)
     ON CONFLICT (address) DO UPDATE SET last_nonce = max(last_nonce, excluded.last_nonce)`,
  )
  return (row) => {
    switch (row.act) {
      case "restore_accepted":
        rename.run(row.ledger)
        for (const { signer, nonce } of row.signers) raiseFloor.run(signer, nonce)
        break
      case "backed_up":
      case "clock_accepted":
        break // changes no table
    }
  }
}

type HoldRow = Extract<ActRow, { act: `hold_${string}` }>

/** Prepares the statements that keep the table of holds. Within the open transaction. */
function openHoldProjections(database: DatabaseSync): (act: HoldRow, seq: number) => void {
  const open = database.prepare(
    `INSERT INTO holds (seq, id, client, key, operation, target, body_hash, body, policy, rule,
       worst, opened_at, expires_at, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
  )
  const decide = database.prepare(
    "UPDATE holds SET state = ?, decided_by = ? WHERE id = ? AND state = 'pending'",
  )
  const close = (state: "released" | "refused", { hold, by }: { hold: string; by: string }) => {
    if (decide.run(state, by, hold).changes !== 1) throw new Error("a hold was decided twice")
  }
  return (act, seq) => {
    switch (act.act) {
      case "hold_opened": {
        const { hold, client, key, operation, target, body_hash, body, policy, rule } = act
        const fields = [hold, client, key, operation, target, body_hash, body, policy, rule]
        open.run(seq, ...fields, act.worst, act.at_ms, act.expires_at)
        break
      }
      case "hold_released":
        close("released", act)
        break
      case "hold_refused":
        close("refused", act)
        break
    }
  }
}
