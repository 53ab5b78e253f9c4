import type { DatabaseSync } from "node:sqlite"

import type { ActRow } from "./row.ts"
import type { SafetyName } from "./act-kind.ts"

type SafetyRow = Extract<ActRow, { act: SafetyName }>

/** Prepares the statements of acts about copies and clocks. Within the open transaction. */
export function openSafetyProjections(database: DatabaseSync): (row: SafetyRow) => void {
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
