import type { JudgedOrder, Reading } from "../judged/judged-order.ts"
import { oneOf } from "../values/scalars.ts"
import { listMatcher } from "./matcher.ts"

export const positionSides = listMatcher({
  key: "position_sides",
  meaning:
    "Position sides of the order; left out on a perpetual it can't be read, and a spot order has none.",
  example: ["both"],
  unreadable: "left out on anything but a known spot symbol: unreadable",
  reason: "position_side_not_allowed",
  item: () => oneOf(["both", "long", "short"]),
  read: (order) => ownOrAccounts(order.order.positionSide, order),
})

/** Spot orders have none. Elsewhere, if it is left out, the account's mode decides, and the request doesn't say it. */
export function ownOrAccounts<Value>(
  own: Value | undefined,
  { symbol }: JudgedOrder,
): Reading<Value> {
  if (own !== undefined) return [own]
  return symbol?.market === "spot" ? [] : undefined
}
