import * as fields from "./order-fields.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { parseDecimal, type Decimal } from "../decimal.ts"
import type { FieldError, JsonArray, JsonObject, JsonValue } from "../json.ts"
import type { SymbolTable } from "../profile.ts"
import { checkFields, type Spot } from "./check-fields.ts"
import { objectAt, brokenOrderRules } from "./order-rules.ts"
import type { Order, OrderLeg } from "./payload.ts"

/** Reads an order by the interface's tables and rules. All that is wrong is told at once. */
export function parseOrder(
  body: JsonObject,
  spot: Spot,
  symbols: SymbolTable,
): Result<Order, readonly FieldError[]> {
  const symbolId = body["symbol_id"]
  const symbol = typeof symbolId === "number" ? symbols.byId.get(symbolId) : undefined
  const broken = brokenOrderRules(body, symbol)
  const errors = [
    ...checkFields(fields.orderFields, body, spot),
    ...broken.map((error) => ({ ...error, path: `${spot.path}${error.path}` })),
  ]
  const order = orderOf(body)
  return order === undefined || errors.length > 0 ? err(errors) : ok(order)
}

/** `undefined` when a required field can't be read, which {@link checkFields} has told then. */
function orderOf(body: JsonObject): Order | undefined {
  const symbolId = body["symbol_id"]
  const isBuy = body["is_buy"]
  const quantity = decimalOf(body["quantity"])
  if (typeof symbolId !== "number" || typeof isBuy !== "boolean" || quantity === undefined) {
    return undefined
  }
  return {
    clientOrderId: textOf(body["client_order_id"]),
    symbolId,
    isBuy,
    orderType: wordOf(fields.orderTypes, body["order_type"]),
    timeInForce: wordOf(fields.timesInForce, body["time_in_force"]),
    quantity,
    price: decimalOf(body["price"]),
    slippage: decimalOf(body["slippage"]),
    positionSide: wordOf(fields.positionSides, body["position_side"]),
    marginMode: wordOf(fields.marginModes, body["margin_mode"]),
    marketOrderType: wordOf(fields.marketOrderTypes, body["market_order_type"]),
    stpMode: wordOf(fields.stpModes, body["stp_mode"]),
    priceMatch: wordOf(fields.priceMatches, body["price_match"]),
    algoOrderType: wordOf(fields.algoOrderTypes, body["algo_order_type"]),
    conditional: conditionalOf(objectAt(body, "conditional")),
    tpsl: tpslOf(objectAt(body, "tpsl")),
    flags: flagsOf(body["flags"]),
  }
}

function conditionalOf(conditional: JsonObject | undefined): Order["conditional"] {
  const triggerPrice = decimalOf(conditional?.["trigger_price"])
  const triggerBy = wordOf(fields.triggerSources, conditional?.["trigger_by"])
  return triggerPrice && triggerBy && { triggerPrice, triggerBy }
}

function tpslOf(tpsl: JsonObject | undefined): Order["tpsl"] {
  const mode = wordOf(fields.tpslModes, tpsl?.["tpsl_mode"])
  return tpsl && mode && { mode, takeProfit: legOf(tpsl, "tp"), stopLoss: legOf(tpsl, "sl") }
}

function legOf(tpsl: JsonObject, leg: "tp" | "sl"): OrderLeg | undefined {
  const triggerPrice = decimalOf(tpsl[`${leg}_trigger_price`])
  return (
    triggerPrice && {
      triggerPrice,
      triggerBy: wordOf(fields.triggerSources, tpsl[`${leg}_trigger_by`]),
      orderType: wordOf(fields.orderTypes, tpsl[`${leg}_order_type`]),
      orderPrice: decimalOf(tpsl[`${leg}_order_price`]),
    }
  )
}

function flagsOf(value: JsonValue | undefined): Order["flags"] {
  const words: JsonArray = Array.isArray(value) ? value : []
  return words.flatMap((word) => wordOf(fields.orderFlags, word) ?? [])
}

function decimalOf(value: JsonValue | undefined): Decimal | undefined {
  return typeof value === "string" ? parseDecimal(value) : undefined
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}

function wordOf<Word extends string>(
  words: readonly Word[],
  value: JsonValue | undefined,
): Word | undefined {
  return words.find((word) => word === value)
}
