// The tables of the place-order request body. Fields that they don't name are let through: the
// interface doesn't say that they are refused.

import { type ErrorName, reject, type Rejection } from "./state/error-codes.ts"
import {
  amount,
  type Body,
  type Check,
  checkFields,
  checkRequired,
  type FieldTable,
  flag,
  has,
  integer,
  isBody,
  listOf,
  object,
  oneOf,
  textUpTo,
} from "./state/fields.ts"
import { type MarketSymbol, marketSymbols } from "./state/market.ts"

const triggerBy = oneOf("last_price", "mark_price", "oracle_price")
const orderType = oneOf("limit", "market")

const slippage: Check = (value) =>
  amount(value) === undefined && isSlippage(value as string) // `amount` passes strings alone
    ? undefined
    : "a decimal string from 0.0001 to 0.1"

// Rule 3 speaks of a tpsl "whose value is null", so null can be sent; for the rest it counts as absent.
const objectOrNull: Check = (value) => (value === null ? undefined : object(value))

const orderTable: FieldTable = {
  client_order_id: textUpTo(36),
  symbol_id: integer(0, Number.MAX_SAFE_INTEGER),
  is_buy: flag,
  order_type: orderType,
  time_in_force: oneOf("gtc", "fok", "ioc"),
  quantity: amount,
  price: amount,
  slippage,
  position_side: oneOf("both", "long", "short"),
  margin_mode: oneOf("cross", "isolated"),
  market_order_type: oneOf("base", "quote"),
  stp_mode: oneOf("cancel_maker", "cancel_taker", "cancel_both", "none"),
  price_match: oneOf("queue_1", "queue_5", "counter_party_1", "counter_party_5"),
  algo_order_type: oneOf("conditional", "tpsl", "attached_tpsl"),
  conditional: object,
  tpsl: objectOrNull,
  flags: listOf(oneOf("post_only", "reduce_only")),
}

const conditionalTable: FieldTable = { trigger_price: amount, trigger_by: triggerBy }

const tpslTable: FieldTable = {
  tpsl_mode: oneOf("full", "partial"),
  tp_trigger_price: amount,
  tp_trigger_by: triggerBy,
  tp_order_type: orderType,
  tp_order_price: amount,
  sl_trigger_price: amount,
  sl_trigger_by: triggerBy,
  sl_order_type: orderType,
  sl_order_price: amount,
}

/** Checks an order's fields against the interface's tables and the symbol's market. */
export function checkOrderFields(order: Body): Rejection | undefined {
  return (
    checkRequired(order, ["symbol_id", "is_buy", "quantity"]) ??
    checkFields(order, orderTable) ??
    checkRequired(order, requiredByType(order)) ??
    checkConditional(order) ??
    checkTpsl(order) ??
    checkMarket(order)
  )
}

/** The `tpsl` object; `undefined` when it is absent or null. */
function tpslOf(order: Body): Body | undefined {
  return isBody(order["tpsl"]) ? order["tpsl"] : undefined
}

function requiredByType(order: Body): readonly string[] {
  const algo = order["algo_order_type"]
  if (algo === "conditional") return ["order_type", "conditional"]
  if (algo === "attached_tpsl") return ["order_type", "tpsl"]
  return algo === "tpsl" ? ["tpsl"] : ["order_type"]
}

function checkConditional(order: Body): Rejection | undefined {
  const { conditional } = order
  if (!isBody(conditional)) return undefined
  return (
    checkRequired(conditional, ["trigger_price", "trigger_by"]) ??
    checkFields(conditional, conditionalTable)
  )
}

function checkTpsl(order: Body): Rejection | undefined {
  const tpsl = tpslOf(order)
  if (tpsl === undefined) {
    const isNeeded = ["tpsl", "attached_tpsl"].includes(String(order["algo_order_type"]))
    return isNeeded ? reject("missing_field", "tpsl is required here.").error : undefined
  }
  const required = ["tpsl_mode"]
  if (tpsl["tp_order_type"] === "limit") required.push("tp_order_price")
  if (tpsl["sl_order_type"] === "limit") required.push("sl_order_price")
  return checkFields(tpsl, tpslTable) ?? checkRequired(tpsl, required)
}

function checkMarket(order: Body): Rejection | undefined {
  const symbol = marketSymbols.find(({ id }) => id === order["symbol_id"])
  if (symbol === undefined) {
    return reject("unknown_symbol", "The sandbox doesn't trade this symbol_id.").error
  }
  return symbol.market === "spot" ? checkSpot(order) : checkPerpetual(order, symbol)
}

function checkSpot(order: Body): Rejection | undefined {
  const perpetualField = ["position_side", "margin_mode"].find((name) => has(order, name))
  if (perpetualField !== undefined) {
    return reject("perpetual_only", `${perpetualField} must be left out for a spot symbol.`).error
  }
  const tpsl = tpslOf(order)
  const conditional = isBody(order["conditional"]) ? order["conditional"] : undefined
  const triggers = [conditional?.["trigger_by"], tpsl?.["tp_trigger_by"], tpsl?.["sl_trigger_by"]]
  return triggers.every((trigger) => trigger === undefined || trigger === "last_price")
    ? undefined
    : reject("perpetual_only", "A spot symbol can only be triggered by last_price.").error
}

function checkPerpetual(order: Body, symbol: MarketSymbol): Rejection | undefined {
  return order["market_order_type"] === "quote"
    ? reject("spot_only", `${symbol.name} is a perpetual: its market_order_type is base.`).error
    : undefined
}

/** From 0.0001 to 0.1, both included, compared exactly. */
function isSlippage(decimal: string): boolean {
  const [whole = "", fraction = ""] = decimal.split(".")
  const one = 10n ** BigInt(fraction.length)
  const value = BigInt(whole + fraction)
  return value * 10_000n >= one && value * 10n <= one
}

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
