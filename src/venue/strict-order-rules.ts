// The interface's tables say for which orders a field is; we read that strictly. docs/signing.md lists
// these rules as our reading.

import type { JsonObject, JsonValue } from "./json.ts"
import { legFields } from "./order-fields.ts"
import { has, objectAt, type OrderFacts, type OrderRule, type Rule } from "./order-rule.ts"

/** "for conditional orders", "for TPSL / attached TPSL". */
const algoRules: readonly Rule[] = [
  {
    rule: "conditional_needs_algo_order_type",
    path: "/conditional",
    isBroken: ({ order }) =>
      has(order, "conditional") && order["algo_order_type"] !== "conditional",
    message: "send algo_order_type conditional, or leave conditional out",
  },
  {
    rule: "algo_order_type_needs_conditional",
    path: "/conditional",
    isBroken: ({ order }) =>
      order["algo_order_type"] === "conditional" && !has(order, "conditional"),
    message: "add conditional, which algo_order_type conditional needs",
  },
  {
    rule: "tpsl_needs_algo_order_type",
    path: "/tpsl",
    isBroken: ({ order, tpsl }) => tpsl !== undefined && !isTpslType(order),
    message: "send algo_order_type tpsl or attached_tpsl, or leave tpsl out",
  },
  {
    rule: "algo_order_type_needs_tpsl",
    path: "/tpsl",
    isBroken: ({ order }) => isTpslType(order) && (order["tpsl"] ?? null) === null,
    message: "add tpsl, which this algo_order_type needs",
  },
]

/** "for limit orders", "market-order slippage". */
const marketOrderRules: readonly Rule[] = [
  marketWithout("time_in_force", "market_with_time_in_force"),
  marketWithout("price_match", "market_with_price_match"),
  onlyMarketWith("slippage", "slippage_needs_market"),
  onlyMarketWith("market_order_type", "market_order_type_needs_market"),
]

/** "perpetuals only", "spot supports last_price only"; they hold where the symbol table knows the symbol. */
const symbolRules: readonly Rule[] = [
  spotWithout("position_side", "spot_with_position_side"),
  spotWithout("margin_mode", "spot_with_margin_mode"),
  spotTriggers(
    "/conditional/trigger_by",
    ({ order }) => objectAt(order, "conditional")?.["trigger_by"],
  ),
  spotTriggers("/tpsl/tp_trigger_by", ({ tpsl }) => tpsl?.["tp_trigger_by"]),
  spotTriggers("/tpsl/sl_trigger_by", ({ tpsl }) => tpsl?.["sl_trigger_by"]),
  {
    rule: "perpetual_needs_base",
    path: "/market_order_type",
    isBroken: ({ order, market }) => market === "perp" && order["market_order_type"] === "quote",
    message: "send market_order_type base or leave it out; this symbol is a perpetual",
  },
]

/** A leg is there once any of its fields is. */
function legRules(leg: "tp" | "sl"): readonly Rule[] {
  const names = legFields(leg).map((field) => field.name)
  const [trigger, price, type] = [`${leg}_trigger_price`, `${leg}_order_price`, `${leg}_order_type`]
  return [
    {
      rule: "leg_needs_trigger_price",
      path: `/tpsl/${trigger}`,
      isBroken: ({ tpsl }) =>
        tpsl !== undefined && names.some((name) => has(tpsl, name)) && !has(tpsl, trigger),
      message: `add ${trigger}, or leave out the other ${leg}_ fields`,
    },
    {
      rule: "leg_needs_order_price",
      path: `/tpsl/${price}`,
      isBroken: ({ tpsl }) => tpsl?.[type] === "limit" && !has(tpsl, price),
      message: `add ${price}, which ${type} limit needs`,
    },
  ]
}

/** Our strict reading, in the order in which it is told. */
export const strictRules: readonly Rule[] = [
  ...algoRules,
  ...marketOrderRules,
  ...legRules("tp"),
  ...legRules("sl"),
  ...symbolRules,
]

function isTpslType(order: JsonObject): boolean {
  return order["algo_order_type"] === "tpsl" || order["algo_order_type"] === "attached_tpsl"
}

function marketWithout(field: string, rule: OrderRule): Rule {
  return {
    rule,
    path: `/${field}`,
    isBroken: ({ order }) => order["order_type"] === "market" && has(order, field),
    message: `leave ${field} out of a market order`,
  }
}

function onlyMarketWith(field: string, rule: OrderRule): Rule {
  return {
    rule,
    path: `/${field}`,
    isBroken: ({ order }) => order["order_type"] !== "market" && has(order, field),
    message: `leave ${field} out; it is for market orders`,
  }
}

function spotWithout(field: string, rule: OrderRule): Rule {
  return {
    rule,
    path: `/${field}`,
    isBroken: ({ order, market }) => market === "spot" && has(order, field),
    message: `leave ${field} out; this symbol is spot`,
  }
}

function spotTriggers(path: string, triggerBy: (facts: OrderFacts) => JsonValue | undefined): Rule {
  return {
    rule: "spot_needs_last_price",
    path,
    isBroken: (facts) =>
      facts.market === "spot" && (triggerBy(facts) ?? "last_price") !== "last_price",
    message: "send last_price; this symbol is spot",
  }
}
