import type { FieldError } from "./field-error.ts"
import type { JsonObject } from "./json.ts"
import { has, hasFlag, objectAt, type Rule } from "./order-rule.ts"
import { strictRules } from "./strict-order-rules.ts"
import type { SymbolEntry } from "./profile.ts"

/** The rules over several fields that an order breaks: the interface's numbered ones, and our reading of its tables. */
export function brokenOrderRules(
  order: JsonObject,
  symbol: SymbolEntry | undefined,
): readonly FieldError[] {
  const facts = { order, tpsl: objectAt(order, "tpsl"), market: symbol?.market }
  return allRules
    .filter(({ isBroken }) => isBroken(facts))
    .map(({ path, rule, message }) => ({ path, rule, message }))
}

/** The interface's validation rules 1 to 6, and when order_type may be left out. */
const interfaceRules: readonly Rule[] = [
  {
    rule: "order_type_required",
    path: "/order_type",
    isBroken: ({ order }) => !has(order, "order_type") && order["algo_order_type"] !== "tpsl",
    message: "add order_type; only algo_order_type tpsl goes without it",
  },
  {
    rule: "post_only_needs_limit",
    path: "/order_type",
    isBroken: ({ order }) => hasFlag(order, "post_only") && order["order_type"] !== "limit",
    message: "send order_type limit, or drop the flag post_only",
  },
  {
    rule: "post_only_needs_gtc",
    path: "/time_in_force",
    isBroken: ({ order }) =>
      hasFlag(order, "post_only") &&
      has(order, "time_in_force") &&
      order["time_in_force"] !== "gtc",
    message: "send time_in_force gtc or leave it out, or drop the flag post_only",
  },
  {
    rule: "post_only_needs_price",
    path: "/price",
    isBroken: ({ order }) => hasFlag(order, "post_only") && !has(order, "price"),
    message: "add price, or drop the flag post_only",
  },
  {
    rule: "post_only_with_price_match",
    path: "/price_match",
    isBroken: ({ order }) => hasFlag(order, "post_only") && has(order, "price_match"),
    message: "leave price_match out, or drop the flag post_only",
  },
  {
    rule: "reduce_only_with_tpsl",
    path: "/tpsl",
    isBroken: ({ order }) => hasFlag(order, "reduce_only") && has(order, "tpsl"),
    message: "leave tpsl out, even a null one, or drop the flag reduce_only",
  },
  {
    rule: "market_with_price",
    path: "/price",
    isBroken: ({ order }) => order["order_type"] === "market" && has(order, "price"),
    message: "leave price out of a market order",
  },
  {
    rule: "limit_needs_one_price",
    path: "/price",
    isBroken: ({ order }) =>
      order["order_type"] === "limit" && has(order, "price") === has(order, "price_match"),
    message: "a limit order takes exactly one of price and price_match",
  },
  {
    rule: "tpsl_needs_leg",
    path: "/tpsl",
    isBroken: ({ tpsl }) =>
      tpsl !== undefined && !has(tpsl, "tp_trigger_price") && !has(tpsl, "sl_trigger_price"),
    message: "add tp_trigger_price, sl_trigger_price or both",
  },
]

const allRules: readonly Rule[] = [...interfaceRules, ...strictRules]
