import type { Answer, Decision, Entries, Look, RecordAnswer } from "../../src/console/asks.ts"

/** A decision as the console is told it: one that allowed an order. */
export const allowedRow: Decision = {
  seq: 1,
  record: `rec_${"0".repeat(26)}`,
  at: 1_000,
  result: "allowed",
  client: "maker",
  key: "agent",
  operation: "placeOrder",
  is_paper: false,
  by: "everyday/orders",
  asked: "buy 0.1 BTC-PERP at 63000, limit",
  symbols: ["BTC-PERP"],
  code: null,
  reason: null,
  message: null,
}

/** The same, refused. */
export const refusedRow: Decision = {
  ...allowedRow,
  result: "refused",
  by: "everyday/largest_order",
  asked: null,
  symbols: [],
  code: "policy_denied",
  reason: "order_too_large",
  message: "The order is larger than 5.",
}

/** How all stands with a daemon that signs and was asked nothing yet. */
export const quietStand: Answer<"look"> = {
  at: 0,
  version: "0.0.0",
  network: "test",
  policy_hash: "0x00",
  files_differ: null,
  where: "",
  state: { signs: "all", words: "signs what policies allow", reasons: [] },
  alarms: [],
  freezes: [],
  holds: [],
  grants: [],
  may_release: false,
  budgets: [],
  limits: [],
  guards: [],
  keys: [],
  decided: { allowed: 0, refused: 0, held: 0 },
  signing: { bounds: [0.1], counts: [0, 0] },
}

/** A ledger that has nothing. */
export const noEntries: Entries = {
  ...{ first: 1, last: 0, skipped: 0, is_end: true, since: null },
  ...{ decisions: [], repeats: [] },
}

/** A look at both. */
export const quietLook: Look = { ...quietStand, news: noEntries }

/** Entries of these results alone, up to the one with the number `last`; of each the record has its number. */
export function entriesOf(last: number, results: readonly Decision["result"][]): Entries {
  const first = last - results.length + 1
  const decisions = results.map((result, index): Decision => {
    const row = result === "allowed" ? allowedRow : { ...refusedRow, result }
    return { ...row, seq: first + index, record: `rec_${first + index}` }
  })
  const since = decisions[0]?.at ?? null
  return { ...noEntries, first, last, since, decisions: decisions.reverse() }
}

/** A look at which these were new. */
export function lookOf(last: number, results: readonly Decision["result"][]): Look {
  return { ...quietLook, news: entriesOf(last, results) }
}

/** What is known of a record that was signed and not sent. */
export const signedRecord: RecordAnswer = {
  record: {
    ...{ state: "signed", operation: "cancelOrder", outcome: null, body: '{"order_id":"7"}' },
    ...{ policy_hash: "0x00", nonce: 7, expires_after: 90_000 },
    ...{ idempotency_key: null, refusal: null },
  },
  symbols: { names: {}, default_market_order_type: null },
  place: { seq: 5, hash: "a".repeat(64), head: 9 },
  verdicts: [],
}
