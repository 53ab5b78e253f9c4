import { orderTypesOf } from "../judged/judged-order.ts"
import { oneOf } from "../values/scalars.ts"
import { isPostOnly } from "./flags.ts"
import { listMatcher, type Beside } from "./matcher.ts"

export const orderTypes = listMatcher({
  key: "order_types",
  meaning: "Types of the order.",
  example: ["limit"],
  unreadable: "a leg with a price but no type is both",
  reason: "order_type_not_allowed",
  item: () => oneOf(["limit", "market"]),
  read: orderTypesOf,
  contradictions: [
    {
      message: "no order matches: a market order can't be post_only",
      isIn: (_, beside) => isMarketOnly(beside) && isPostOnly(beside),
    },
  ],
})

/** Whether an entry asks for market orders alone. */
export function isMarketOnly({ orderTypes: types }: Beside): boolean {
  return types?.every((type) => type === "market") ?? false
}
