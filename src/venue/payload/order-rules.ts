// The interface's tables say which orders may have a field. We refuse the field in all other orders; docs/signing.md
// lists these rules as our reading.

import { type FieldError, type JsonObject, isJsonObject, type JsonValue } from "../json.ts"
import type { SymbolEntry } from "../profile.ts"
import { legFields, legNames, type LegName, type OrderFlag } from "./payload.ts"

/** What rules look at. A field whose value has the wrong type counts as present. */
type OrderFacts = {
  readonly order: JsonObject
  readonly tpsl: JsonObject | undefined
  /** `undefined` for a symbol outside the table. */
  readonly market: "spot" | "perp" | undefined
}

type Rule = {
  readonly rule: string
  /** A JSON Pointer that starts at the order. */
  readonly path: string
  readonly isBroken: (facts: OrderFacts) => boolean
  readonly message: string
}

/** Whether the field is there, even if it is `null`. */
function has(object: JsonObject, name: string): boolean {
  return Object.hasOwn(object, name)
}

/** Whether the order's `flags` hold `flag`. */
function hasFlag(order: JsonObject, flag: OrderFlag): boolean {
  const flags = order["flags"]
  return Array.isArray(flags) && flags.includes(flag)
}

/** The object in a field; `undefined` when the field is absent or holds something else. */
export function objectAt(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name]
  return isJsonObject(value) ? value : undefined
}

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

/** "perpetuals only", "spot supports last_price only". Checked if the symbol is in venue.yaml's table. */
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

/** An order has a leg if it has any of the leg's fields. */
function legRules(leg: LegName): readonly Rule[] {
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

/** Our strict reading. Errors come in this order. */
const strictRules: readonly Rule[] = [
  ...algoRules,
  ...marketOrderRules,
  ...legNames.flatMap(legRules),
  ...symbolRules,
]

function isTpslType(order: JsonObject): boolean {
  return order["algo_order_type"] === "tpsl" || order["algo_order_type"] === "attached_tpsl"
}

function marketWithout(field: string, rule: string): Rule {
  return {
    rule,
    path: `/${field}`,
    isBroken: ({ order }) => order["order_type"] === "market" && has(order, field),
    message: `leave ${field} out of a market order`,
  }
}

function onlyMarketWith(field: string, rule: string): Rule {
  return {
    rule,
    path: `/${field}`,
    isBroken: ({ order, tpsl }) =>
      has(order, field) && order["order_type"] !== "market" && !hasMarketLeg(tpsl),
    message: `leave ${field} out; neither the order nor a leg is a market order`,
  }
}

/** Whether a leg may become a market order: any leg that isn't said to be a limit order. */
function hasMarketLeg(tpsl: JsonObject | undefined): boolean {
  if (tpsl === undefined) return false
  return legNames.some(
    (leg) => has(tpsl, `${leg}_trigger_price`) && tpsl[`${leg}_order_type`] !== "limit",
  )
}

function spotWithout(field: string, rule: string): Rule {
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

/** The rules that an order breaks: the interface's numbered rules, then our reading of its tables. */
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

/** The rules that compare several fields of an order. Bots act on these words, so they never change. */
export const orderRules: readonly string[] = [...new Set(allRules.map(({ rule }) => rule))]
