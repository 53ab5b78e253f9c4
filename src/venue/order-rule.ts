import { isJsonObject, type JsonObject } from "./json.ts"
import type { OrderFlag } from "./payload.ts"

/** Every rule over several fields of an order. Bots act on these words, so they never change. */
export const orderRules = [
  "order_type_required",
  "post_only_needs_limit",
  "post_only_needs_gtc",
  "post_only_needs_price",
  "post_only_with_price_match",
  "reduce_only_with_tpsl",
  "market_with_price",
  "limit_needs_one_price",
  "tpsl_needs_leg",
  "conditional_needs_algo_order_type",
  "algo_order_type_needs_conditional",
  "tpsl_needs_algo_order_type",
  "algo_order_type_needs_tpsl",
  "market_with_time_in_force",
  "market_with_price_match",
  "slippage_needs_market",
  "market_order_type_needs_market",
  "leg_needs_trigger_price",
  "leg_needs_order_price",
  "spot_with_position_side",
  "spot_with_margin_mode",
  "spot_needs_last_price",
  "perpetual_needs_base",
] as const
export type OrderRule = (typeof orderRules)[number]

/** What rules look at. A field whose value has the wrong type counts as present. */
export type OrderFacts = {
  readonly order: JsonObject
  readonly tpsl: JsonObject | undefined
  /** `undefined` for a symbol outside the table. */
  readonly market: "spot" | "perp" | undefined
}

export type Rule = {
  readonly rule: OrderRule
  /** From the order on. */
  readonly path: string
  readonly isBroken: (facts: OrderFacts) => boolean
  readonly message: string
}

/** Whether the field is there, be it with `null`. */
export function has(object: JsonObject, name: string): boolean {
  return Object.hasOwn(object, name)
}

/** Whether the order's `flags` hold `flag`. */
export function hasFlag(order: JsonObject, flag: OrderFlag): boolean {
  const flags = order["flags"]
  return Array.isArray(flags) && flags.includes(flag)
}

/** The object in a field; `undefined` when the field is absent or holds something else. */
export function objectAt(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name]
  return isJsonObject(value) ? value : undefined
}
