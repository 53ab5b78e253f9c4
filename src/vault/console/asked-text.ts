import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "../../venue/json.ts"
import type { Profile } from "../../venue/profile.ts"
import { symbolText } from "../policy/order-text.ts"
import { shownText } from "./shown-text.ts"

const maxAskedLength = 200
/** Of a list, no more are worded than could be shown. */
const maxItems = 20

/** What of a profile tells how an order is meant. */
export type Wording = Pick<Profile, "symbols" | "defaultMarketOrderType">

/**
 * What a body asks for, in words: `buy 0.1 BTC-PERP at 63000, limit`. It shows what the bot sent, whether the venue
 * would take it or not, and is for people alone: nothing is decided by it.
 */
export function askedText(body: JsonObject, wording: Wording): string {
  return shownText(wordsOf(body, wording), maxAskedLength)
}

function wordsOf(body: JsonObject, wording: Wording): string {
  if (isOrder(body)) return orderWords(body, wording)
  const [list, ...others] = Object.entries(body).filter(isList)
  if (list === undefined || others.length > 0) return membersText(body)
  const [name, items] = list
  const words = items.slice(0, maxItems).map((item) => itemWords(item, wording))
  return `${name} (${items.length}): ${words.join("; ")}`
}

function itemWords(item: JsonValue, wording: Wording): string {
  return isJsonObject(item) && isOrder(item) ? orderWords(item, wording) : valueText(item)
}

function isOrder(body: JsonObject): boolean {
  return typeof body["is_buy"] === "boolean" && body["quantity"] !== undefined
}

function orderWords(order: JsonObject, wording: Wording): string {
  const { order_id, is_buy, price } = order
  const which = order_id === undefined ? "" : `order ${valueText(order_id)}: `
  const side = is_buy === true ? "buy" : "sell"
  const at = price === undefined ? "" : ` at ${valueText(price)}`
  return `${which}${side} ${amountWords(order, wording)}${at}${kindWords(order)}`
}

function amountWords(order: JsonObject, { symbols, defaultMarketOrderType }: Wording): string {
  const { symbol_id, quantity, order_type, market_order_type = defaultMarketOrderType } = order
  const symbol = typeof symbol_id === "number" ? symbolText(symbol_id, symbols) : "?"
  const isOfQuote = order_type === "market" && market_order_type === "quote"
  return isOfQuote
    ? `${symbol} for ${valueText(quantity)} in quote units`
    : `${valueText(quantity)} ${symbol}`
}

function kindWords({ order_type, algo_order_type, flags = [] }: JsonObject): string {
  return [order_type, algo_order_type, flags]
    .flat()
    .filter((each) => each !== undefined)
    .map((each) => `, ${valueText(each)}`)
    .join("")
}

function membersText(body: JsonObject): string {
  return Object.entries(body)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(", ")
}

function valueText(value: JsonValue | undefined): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value)
}

function isList(member: [string, JsonValue]): member is [string, JsonArray] {
  return Array.isArray(member[1])
}
