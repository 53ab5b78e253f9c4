import type { JudgedOrder } from "../judged/judged-order.ts"
import { patternMatcher } from "./matcher.ts"

export const clientOrderId = patternMatcher({
  key: "client_order_id",
  meaning:
    "A regular expression for the whole client_order_id; an order without one doesn't match, and a leg has its order's.",
  example: "mm-[0-9a-f]+",
  reason: "client_order_id_not_allowed",
  read: ({ order: { clientOrderId: id } }: JudgedOrder) => (id === undefined ? [] : [id]),
})
