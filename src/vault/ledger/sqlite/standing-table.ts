import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import { parseJson } from "../../../std/parse-json.ts"
import {
  changesOf,
  nothingStands,
  standingSchemas,
  withChanges,
  type Part,
  type StandingFields,
} from "../records/standing.ts"
import type { ActRow, RequestRow } from "../records/row.ts"

/** Prepares the statements that keep what stands, and reads it. Within the open transaction. */
export function openStandingTable(
  database: DatabaseSync,
): (row: ActRow | RequestRow, seq: number) => void {
  // A name that is added twice is refused by the table itself.
  const add = database.prepare("INSERT INTO standing (part, name, seq, value) VALUES (?, ?, ?, ?)")
  const set = database.prepare("UPDATE standing SET value = ? WHERE part = ? AND name = ?")
  const end = database.prepare("DELETE FROM standing WHERE part = ? AND name = ?")
  let standing = readStanding(database)
  return (row, seq) => {
    const changes = changesOf(row, standing)
    for (const { part, name, ...change } of changes) {
      if (change.to === "add") add.run(part, name, seq, JSON.stringify(change.value))
      else if (change.to === "set") set.run(JSON.stringify(change.value), part, name)
      else end.run(part, name)
    }
    standing = withChanges(standing, changes)
  }
}

/** Reads what stands. @throws {Fault} `ledger_unusable` where an entry of it makes no sense. */
export function readStanding(database: DatabaseSync): StandingFields {
  const rows = database.prepare("SELECT part, name, value FROM standing ORDER BY seq").all()
  return rows.reduce<StandingFields>((standing, { part, name, value }) => {
    const entries = standing[part as Part] as Map<string, unknown> // our own STRICT table
    entries.set(name as string, readEntry(part as Part, name as string, value as string))
    return standing
  }, structuredClone(nothingStands))
}

function readEntry(part: Part, name: string, value: string): unknown {
  const fields = parseJson(value)
  if (standingSchemas[part].safeParse(fields).success) return fields
  const message = `The ledger's entry ${name} of ${part} can't be read; restore the ledger from a back-up.`
  throw new Fault("ledger_unusable", message)
}
