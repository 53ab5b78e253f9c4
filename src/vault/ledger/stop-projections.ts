import type { DatabaseSync } from "node:sqlite"

import type { StopName } from "./act-kind.ts"
import type { ActRow } from "./row.ts"

type StopRow = Extract<ActRow, { act: StopName }>

/** Prepares the statements that keep the tables of freezes and heartbeats. Within the open transaction. */
export function openStopProjections(database: DatabaseSync): (row: StopRow, seq: number) => void {
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
