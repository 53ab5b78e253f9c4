import { visible } from "../std/visible.ts"

const maxAskedLength = 200
/** Of a list, no more are worded than could be shown. */
const maxItems = 20

/** How the venue's profile says that orders are meant. */
type Symbols = {
  readonly names: Readonly<Record<string, string>>
  readonly default_market_order_type: "base" | "quote" | null
}
type Fields = Readonly<Record<string, unknown>>

/** What was asked for: the operation by its name, `null` where that isn't known, and its body. */
type Asked = { readonly operation: string | null; readonly body: unknown }

/**
 * What a request asks for, in words: `buy 0.1 BTC-PERP at 63000, limit`, `cancel order 7: BTC-PERP`. It shows what the bot
 * sent, whether the venue would take it or not, and is for people alone: nothing is decided by it.
 */
export function askedText({ operation, body }: Asked, symbols: Symbols): string {
  const verb = operation === null ? "" : verbOf(operation)
  const words = isFields(body) ? wordsOf(body, verb, symbols) : joined([verb, valueText(body)])
  return shownText(words, maxAskedLength)
}

/** The names of the symbols that a body is about, each once. */
export function symbolsIn(body: unknown, symbols: Symbols): readonly string[] {
  if (!isFields(body)) return []
  const items = Object.entries(body)
    .filter(isList)
    .flatMap(([, list]) => list)
  const all = [body, ...items].filter(isFields)
  const names = all.map(({ symbol_id: id }) => symbolName(id, symbols))
  return [...new Set(names)].filter((name) => name !== undefined)
}

/** `cancelOrder` as people write it. A new order says by its side what it is. */
function verbOf(operation: string): string {
  if (operation === "placeOrder") return ""
  return operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function wordsOf(body: Fields, verb: string, symbols: Symbols): string {
  const { order_id: id, ...rest } = body
  return joined([id === undefined ? verb : orderName(verb, id), contentsText(rest, symbols)])
}

function orderName(verb: string, id: unknown): string {
  const name = verb.endsWith("order") ? verb : `${verb} order`.trim()
  return `${name} ${valueText(id)}`
}

function contentsText(body: Fields, symbols: Symbols): string {
  if (isOrder(body)) return orderWords(body, symbols)
  const [list, ...others] = Object.entries(body).filter(isList)
  if (list === undefined || others.length > 0) return membersText(body, symbols)
  const [name, items] = list
  const rest = Object.fromEntries(Object.entries(body).filter((member) => !isList(member)))
  const words = items.slice(0, maxItems).map((item) => itemWords(item, symbols))
  return joined([membersText(rest, symbols), `${name} (${items.length})`, words.join("; ")])
}

function itemWords(item: unknown, symbols: Symbols): string {
  return isFields(item) ? wordsOf(item, "", symbols) : valueText(item)
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(": ")
}

function isOrder(body: Fields): boolean {
  return typeof body["is_buy"] === "boolean" && body["quantity"] !== undefined
}

function orderWords(order: Fields, symbols: Symbols): string {
  const { is_buy, price } = order
  const side = is_buy === true ? "buy" : "sell"
  const at = price === undefined ? "" : ` at ${valueText(price)}`
  return `${side} ${amountWords(order, symbols)}${at}${kindWords(order)}`
}

function amountWords(order: Fields, symbols: Symbols): string {
  const { default_market_order_type: byDefault } = symbols
  const { symbol_id, quantity, order_type, market_order_type = byDefault } = order
  const symbol = symbolName(symbol_id, symbols) ?? `symbol ${valueText(symbol_id)}`
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

function membersText(body: Fields, symbols: Symbols): string {
  return Object.entries(body)
    .map(([name, value]) => {
      const symbol = name === "symbol_id" ? symbolName(value, symbols) : undefined
      return symbol ?? `${name} ${valueText(value)}`
    })
    .join(", ")
}

function symbolName(id: unknown, { names }: Symbols): string | undefined {
  return typeof id === "number" ? names[id] : undefined
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

/** Text that others chose, fit to be shown among ours: what hides or moves letters is written out, what is long is cut. */
export function shownText(text: string, maxLength: number): string {
  const shown = visible(text.slice(0, maxLength))
  const isWhole = Math.max(text.length, shown.length) <= maxLength
  return (isWhole ? shown : `${shown.slice(0, maxLength - 1)}…`).toWellFormed()
}
