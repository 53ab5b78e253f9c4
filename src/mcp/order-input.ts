import * as z from "zod"

import type { WriteBodies } from "../client/create-client.ts"
import {
  formatDecimal,
  maxDecimalDigits,
  multiplyDecimals,
  parseDecimal,
} from "../venue/decimal.ts"
import { orderTypes, timesInForce } from "../venue/payload/payload.ts"
import { onPaper, orderWords } from "../words/order-words.ts"
import { idPattern } from "./others-words.ts"

/** The ids of the symbols that may be traded, by their names. */
export type SymbolIds = ReadonlyMap<string, number>

type OrderBody = WriteBodies["/v1/trade/orders"]

const decimal = z
  .string()
  .max(maxDecimalDigits + 1)
  .regex(/^(?:0|[1-9]\d*)(?:\.\d+)?$/)

/** An order as a tool takes it: plain limit and market orders. */
export function orderInput(symbols: SymbolIds) {
  return z.strictObject({
    symbol: symbolInput(symbols),
    side: z.enum(["buy", "sell"]),
    type: z.enum(orderTypes),
    quantity: decimal.describe("In base units, a decimal string."),
    price: decimal.optional().describe("Of a limit order, which needs one; a decimal string."),
    time_in_force: z.enum(timesInForce).optional().describe("Of a limit order."),
    reduce_only: z.boolean().optional().describe("It can only make a position smaller."),
    post_only: z.boolean().optional(),
    slippage: decimal.optional().describe('Of a market order: "0.005" is half a percent.'),
    client_order_id: z.string().regex(idPattern).optional(),
  })
}

export type OrderInput = z.infer<ReturnType<typeof orderInput>>

/** One of the symbols, by its name. */
export function symbolInput(symbols: SymbolIds) {
  return z.enum([...symbols.keys()])
}

/** The body that the daemon gets: field by field, so that nothing else of the input gets there. */
export function bodyOf(order: OrderInput, symbols: SymbolIds): OrderBody {
  const symbolId = symbols.get(order.symbol)
  if (symbolId === undefined) throw new TypeError("A symbol without an id got past the schema.")
  return {
    symbol_id: symbolId,
    is_buy: order.side === "buy",
    order_type: order.type,
    quantity: order.quantity,
    // Else the venue's settings would say whether the quantity is of the quote.
    ...(order.type === "market" && { market_order_type: "base" as const }),
    ...(order.price !== undefined && { price: order.price }),
    ...(order.time_in_force !== undefined && { time_in_force: order.time_in_force }),
    ...(order.slippage !== undefined && { slippage: order.slippage }),
    ...(order.client_order_id !== undefined && { client_order_id: order.client_order_id }),
    ...flagsOf(order),
  }
}

function flagsOf(order: OrderInput): Pick<OrderBody, "flags"> {
  const flags = (["post_only", "reduce_only"] as const).filter((flag) => order[flag] === true)
  return flags.length === 0 ? {} : { flags }
}

/** `buy 0.1 BTC-PERP at 63,000 limit`, as a person would be asked. */
export function wordsOf(body: OrderBody, symbols: SymbolIds, isPaper: boolean): string {
  const names = Object.fromEntries([...symbols].map(([name, id]) => [id, name]))
  const known = { names, quotes: {}, default_market_order_type: null }
  const asked = orderWords(body, known)
  return onPaper(asked?.words ?? "an order", isPaper)
}

/** What a limit order comes to at its price, in quote units; `null` of a market order, whose price isn't known here. */
export function notionalOf({ quantity, price }: OrderInput): string | null {
  const factors = [quantity, price ?? ""].map(parseDecimal)
  const [amount, each] = factors
  if (amount === undefined || each === undefined) return null
  return formatDecimal(multiplyDecimals(amount, each))
}
