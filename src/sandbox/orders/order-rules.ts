import { reject, type ErrorName, type Rejection } from "../state/error-codes.ts"
import { has, type Body } from "../state/fields.ts"
import { tpslOf } from "./order-fields.ts"

type OrderRule = {
  readonly name: ErrorName
  readonly msg: string
  readonly isBroken: (order: Body) => boolean
}

/** The interface's validation rules 1 to 6, in its order. */
const orderRules: readonly OrderRule[] = [
  {
    name: "order_rule_1",
    msg: "post_only needs order_type limit, time_in_force gtc or none, and a price.",
    isBroken: (order) =>
      hasFlag(order, "post_only") &&
      !(order["order_type"] === "limit" && isGoodTillCancelled(order) && has(order, "price")),
  },
  {
    name: "order_rule_2",
    msg: "post_only can't be combined with price_match.",
    isBroken: (order) => hasFlag(order, "post_only") && has(order, "price_match"),
  },
  {
    name: "order_rule_3",
    msg: "reduce_only can't be combined with a tpsl field, not even with null.",
    isBroken: (order) => hasFlag(order, "reduce_only") && has(order, "tpsl"),
  },
  {
    name: "order_rule_4",
    msg: "A market order must not have a price.",
    isBroken: (order) => order["order_type"] === "market" && has(order, "price"),
  },
  {
    name: "order_rule_5",
    msg: "A limit order needs exactly one of price and price_match.",
    isBroken: (order) =>
      order["order_type"] === "limit" && has(order, "price") === has(order, "price_match"),
  },
  {
    name: "order_rule_6",
    msg: "tpsl needs a take-profit leg, a stop-loss leg or both.",
    isBroken: (order) => {
      const tpsl = tpslOf(order)
      return tpsl !== undefined && !has(tpsl, "tp_trigger_price") && !has(tpsl, "sl_trigger_price")
    },
  },
]

/** Names the first rule that an order with well-formed fields breaks. */
export function checkOrderRules(order: Body): Rejection | undefined {
  const broken = orderRules.find(({ isBroken }) => isBroken(order))
  return broken === undefined ? undefined : reject(broken.name, broken.msg).error
}

function hasFlag(order: Body, name: string): boolean {
  const { flags } = order
  return Array.isArray(flags) && flags.includes(name)
}

function isGoodTillCancelled(order: Body): boolean {
  return !has(order, "time_in_force") || order["time_in_force"] === "gtc"
}
