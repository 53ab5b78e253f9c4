import type { Decision, Look } from "../../src/console/asks.ts"

/** A decision as the console is told it: one that allowed an order. */
export const allowedRow: Decision = {
  seq: 1,
  record: `rec_${"0".repeat(26)}`,
  at: 1_000,
  times: 1,
  result: "allowed",
  client: "maker",
  key: "agent",
  operation: "placeOrder",
  by: "everyday/orders",
  reason: null,
  message: null,
}

/** The same, refused. */
export const refusedRow: Decision = {
  ...allowedRow,
  result: "refused",
  by: "everyday/largest_order",
  reason: "order_too_large",
  message: "The order is larger than 5.",
}

/** How all stands with a daemon that signs and was asked nothing yet. */
export const quietLook: Look = {
  at: 0,
  version: "0.0.0",
  network: "test",
  policy_hash: "0x00",
  state: { signs: "all", words: "signs what policies allow", reasons: [] },
  alarms: [],
  freezes: [],
  holds: [],
  budgets: [],
  limits: [],
  keys: [],
  decided: { allowed: 0, refused: 0, held: 0 },
  signing: { bounds: [0.1], counts: [0, 0] },
  recorded: 0,
  decisions: [],
}

/** A look after `recorded` decisions of these results, the last of which fell last; it has no others. */
export function lookOf(recorded: number, results: readonly Decision["result"][]): Look {
  const decisions = results.map((result, index): Decision => {
    const row = result === "allowed" ? allowedRow : { ...refusedRow, result }
    return { ...row, seq: recorded - results.length + 1 + index }
  })
  return { ...quietLook, recorded, decisions: decisions.reverse() }
}
