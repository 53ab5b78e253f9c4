import type { AlgoOrderType } from "../../../venue/payload/payload.ts"
import type { JudgedOrder, Reading } from "../judged/judged-order.ts"
import { oneOf } from "../values/scalars.ts"
import { listMatcher } from "./matcher.ts"

export const algoOrderTypes = listMatcher({
  key: "algo_order_types",
  meaning: "Algo types of the order; none is an order without algo_order_type.",
  example: ["none"],
  unreadable: "`conditional` or `tpsl` fields without the type: unreadable",
  reason: "algo_order_type_not_allowed",
  item: () => oneOf(["conditional", "tpsl", "attached_tpsl", "none"]),
  read: algoTypeOf,
})

/** An order that breaks the venue's rules here is unreadable; it never counts as "none". */
function algoTypeOf({ order }: JudgedOrder): Reading<AlgoOrderType | "none"> {
  if (order.algoOrderType !== undefined) return [order.algoOrderType]
  return order.conditional === undefined && order.tpsl === undefined ? ["none"] : undefined
}
