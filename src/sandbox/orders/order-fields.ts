// The tables of the place-order request body. Fields that they don't name are let through: the
// interface doesn't say that they are refused.

import { reject, type Rejection } from "../state/error-codes.ts"
import {
  amount,
  checkFields,
  checkRequired,
  flag,
  has,
  integer,
  isBody,
  listOf,
  object,
  oneOf,
  textUpTo,
  type Body,
  type Check,
  type FieldTable,
} from "../state/fields.ts"
import { marketSymbols, type MarketSymbol } from "../state/market.ts"

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
export function tpslOf(order: Body): Body | undefined {
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
