import type { DatabaseSync } from "node:sqlite"

import { isAboutHold, isSafety, isSetting, isStop } from "./act-kind.ts"
import { openBindingProjections } from "./binding-projections.ts"
import { openHoldProjections } from "./hold-projections.ts"
import { openSafetyProjections } from "./safety-projections.ts"
import type { ActRow, PriceFields, RaiseFields } from "./row.ts"
import { openStopProjections } from "./stop-projections.ts"

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
  const addRaise = raiseAdder(database)
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
        addRaise(row, seq)
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
    `INSERT OR REPLACE INTO prices (symbol_id, seq, value, as_of, set_by, confirmed)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  return ({ symbol_id, value, as_of, by, confirmed }, seq) => {
    set.run(symbol_id, seq, value, as_of, by, confirmed ? 1 : 0)
  }
}

function raiseAdder(database: DatabaseSync): (raise: RaiseFields, seq: number) => void {
  const add = database.prepare(
    "INSERT INTO raises (seq, limit_name, raised_to, ends_at, reason) VALUES (?, ?, ?, ?, ?)",
  )
  return ({ limit, to, until, reason }, seq) => {
    add.run(seq, limit, to, until, reason)
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
