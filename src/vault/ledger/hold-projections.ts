import type { DatabaseSync } from "node:sqlite"

import type { ActRow } from "./row.ts"

type HoldRow = Extract<ActRow, { act: `hold_${string}` }>

/** Prepares the statements that keep the table of holds. Within the open transaction. */
export function openHoldProjections(database: DatabaseSync): (act: HoldRow, seq: number) => void {
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
