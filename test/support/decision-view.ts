import type { DecisionFeed, DecisionView } from "../../src/link/console-views.ts"

/** A decision as the console is told it: the first, which allowed an order. */
export const decisionView: DecisionView = {
  seq: 1,
  at: 1_000,
  result: "allowed",
  client: "maker",
  key: "agent",
  operation: "create_order",
  asked: "buy 0.1 BTC-PERP at 63000, limit",
  by: "everyday/orders",
  reason: null,
  message: null,
  record: "r-1",
}

/** The same, refused. */
export const refusedView: DecisionView = {
  ...decisionView,
  result: "refused",
  by: "everyday/largest_order",
  reason: "order_too_large",
  message: "The order is larger than 5.",
}

/** Decisions that follow one another up to `last`; the vault lost those before them. */
export function feedOf(
  last: number,
  results: readonly DecisionView["result"][],
  missed = 0,
): DecisionFeed {
  const first = last - results.length + 1
  const decisions = results.map((result, index): DecisionView => {
    const view = result === "allowed" ? decisionView : { ...refusedView, result }
    return { ...view, seq: first + index }
  })
  return { decisions, missed, last }
}
