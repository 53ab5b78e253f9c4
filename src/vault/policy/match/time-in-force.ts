import type { TimeInForce } from "../../../venue/payload/payload.ts"
import type { JudgedOrder, Reading } from "../judged/judged-order.ts"
import { oneOf } from "../values/scalars.ts"
import { isPostOnly } from "./flags.ts"
import { listMatcher } from "./matcher.ts"
import { isMarketOnly } from "./order-types.ts"

export const timeInForce = listMatcher({
  key: "time_in_force",
  meaning:
    "Times in force of the order: a limit order without one is gtc, a market order has none.",
  example: ["gtc"],
  unreadable: "a leg's limit order, and a standalone tpsl without `order_type`: unreadable",
  reason: "time_in_force_not_allowed",
  item: () => oneOf(["gtc", "fok", "ioc"]),
  read: timeInForceOf,
  contradictions: [
    {
      message: "no order matches: a market order has no time_in_force",
      isIn: (_, beside) => isMarketOnly(beside),
    },
    {
      message: "no order matches: a post_only order is gtc",
      isIn: (times, beside) => isPostOnly(beside) && !times.includes("gtc"),
    },
  ],
})

function timeInForceOf({ order, leg, orderTypes: types }: JudgedOrder): Reading<TimeInForce> {
  // A market order has none. The interface doesn't say what a leg's limit order has.
  if (leg !== undefined) return types?.includes("limit") === true ? undefined : []
  if (order.timeInForce !== undefined) return [order.timeInForce]
  if (order.orderType === "limit") return ["gtc"] // the documented default
  return order.orderType === "market" ? [] : undefined
}
