import { isStandalone, type JudgedOrder } from "../judged/judged-order.ts"
import { oneOf } from "../values/scalars.ts"
import { listMatcher } from "./matcher.ts"

const words = ["buy", "sell"] as const

export const sides = listMatcher({
  key: "sides",
  meaning: "Sides of the order.",
  example: ["buy"],
  unreadable: "a standalone tpsl is both sides",
  reason: "side_not_allowed",
  item: () => oneOf(words),
  read: sidesOf,
})

/** A leg has the side opposite to its entry's. */
function sidesOf({ order, leg }: JudgedOrder): readonly (typeof words)[number][] {
  if (isStandalone(order)) return words
  return [order.isBuy === (leg === undefined) ? "buy" : "sell"]
}
