import type { Answer } from "../asks.ts"
import { shownText } from "../shown-text.ts"

const maxAskedLength = 200
/** Of a list, no more are worded than could be shown. */
const maxItems = 20

type Symbols = Answer<"record">["symbols"]
type Fields = Readonly<Record<string, unknown>>

/**
 * What a body asks for, in words: `buy 0.1 BTC-PERP at 63000, limit`. It shows what the bot sent, whether the venue
 * would take it or not, and is for people alone: nothing is decided by it.
 */
export function askedText(body: unknown, symbols: Symbols): string {
  return shownText(isFields(body) ? wordsOf(body, symbols) : valueText(body), maxAskedLength)
}

function wordsOf(body: Fields, symbols: Symbols): string {
  if (isOrder(body)) return orderWords(body, symbols)
  const [list, ...others] = Object.entries(body).filter(isList)
  if (list === undefined || others.length > 0) return membersText(body)
  const [name, items] = list
  const words = items.slice(0, maxItems).map((item) => itemWords(item, symbols))
  return `${name} (${items.length}): ${words.join("; ")}`
}

function itemWords(item: unknown, symbols: Symbols): string {
  return isFields(item) && isOrder(item) ? orderWords(item, symbols) : valueText(item)
}

function isOrder(body: Fields): boolean {
  return typeof body["is_buy"] === "boolean" && body["quantity"] !== undefined
}

function orderWords(order: Fields, symbols: Symbols): string {
  const { order_id, is_buy, price } = order
  const which = order_id === undefined ? "" : `order ${valueText(order_id)}: `
  const side = is_buy === true ? "buy" : "sell"
  const at = price === undefined ? "" : ` at ${valueText(price)}`
  return `${which}${side} ${amountWords(order, symbols)}${at}${kindWords(order)}`
}

function amountWords(
  order: Fields,
  { names, default_market_order_type: byDefault }: Symbols,
): string {
  const { symbol_id, quantity, order_type, market_order_type = byDefault } = order
  const named = typeof symbol_id === "number" ? names[symbol_id] : undefined
  const symbol = named ?? `symbol ${valueText(symbol_id)}`
  const isOfQuote = order_type === "market" && market_order_type === "quote"
  return isOfQuote
    ? `${symbol} for ${valueText(quantity)} in quote units`
    : `${valueText(quantity)} ${symbol}`
}

function kindWords({ order_type, algo_order_type, flags = [] }: Fields): string {
  return [order_type, algo_order_type, flags]
    .flat()
    .filter((each) => each !== undefined)
    .map((each) => `, ${valueText(each)}`)
    .join("")
}

function membersText(body: Fields): string {
  return Object.entries(body)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(", ")
}

function valueText(value: unknown): string {
  if (value === undefined) return "?"
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isList(member: [string, unknown]): member is [string, readonly unknown[]] {
  return Array.isArray(member[1])
}
