import type { SymbolsView } from "../contract/bot-views.ts"
import { formatDecimal, parseDecimal } from "../venue/decimal.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../venue/json.ts"
import { type BodyField, type FieldType, orderFields } from "../venue/payload/payload.ts"

/** What is asked for in words, and how many of its fields have none. */
export type AskedWords = {
  readonly words: string
  readonly unsaid: number
  /** Of an order: `buy BTC-PERP`. */
  readonly side?: string
}

/** On paper it is said first: `PAPER: buy …`. */
export function onPaper(words: string, isPaper: boolean): string {
  return isPaper ? `PAPER: ${words}` : words
}

/** Said first, in words of their own. */
const headFields: readonly string[] = ["symbol_id", "is_buy", "order_type", "quantity", "price"]

/** A bot's own text, which is never said. */
const botsText = "client_order_id"

/**
 * `buy 0.45 BTC-PERP at 63,000 limit, time in force ioc`: an order that the vault has read, without a word of the bot's.
 * `undefined` for what is no order. `known` are the names of fields that are said elsewhere.
 */
export function orderWords(
  order: JsonValue | undefined,
  symbols: SymbolsView,
  known: readonly string[] = [],
): AskedWords | undefined {
  if (!isJsonObject(order)) return undefined
  const head = headWords(order, symbols)
  if (head === undefined) return undefined
  const others = orderFields.filter(
    ({ name }) => !headFields.includes(name) && name !== botsText && order[name] !== undefined,
  )
  const said = others.map((field) => fieldWords(field, order[field.name]))
  const names = [...headFields, ...others.map(({ name }) => name), botsText, ...known]
  const strange = Object.keys(order).filter((name) => !names.includes(name)).length
  const more = said.filter((words) => words !== undefined)
  return {
    words: [head, ...more].join(", "),
    unsaid: strange + said.length - more.length,
    side: `${order["is_buy"] === true ? "buy" : "sell"} ${symbolName(order, symbols)}`,
  }
}

/** `1,234,567.5`; `undefined` where it is no decimal. */
export function decimalWords(value: JsonValue | undefined): string | undefined {
  const decimal = typeof value === "string" ? parseDecimal(value) : undefined
  if (decimal === undefined) return undefined
  const [whole = "", fraction] = formatDecimal(decimal).split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** `undefined` where one of them isn't what the vault lets an order have. */
function headWords(order: JsonObject, symbols: SymbolsView): string | undefined {
  const { is_buy: isBuy, order_type: type, price } = order
  if (typeof isBuy !== "boolean") return undefined
  const parts = [
    isBuy ? "buy" : "sell",
    amountWords(order, symbols),
    price === undefined ? "" : prefixed("at ", decimalWords(price)),
    type === undefined ? "" : valueWords(typeOf("order_type"), type),
  ]
  if (parts.includes(undefined)) return undefined
  return parts.filter((part) => part !== "").join(" ")
}

function prefixed(prefix: string, words: string | undefined): string | undefined {
  return words === undefined ? undefined : `${prefix}${words}`
}

function symbolName({ symbol_id: id }: JsonObject, { names }: Pick<SymbolsView, "names">): string {
  return names[Number(id)] ?? `symbol ${Number(id)}`
}

function amountWords(
  { symbol_id: id, quantity, order_type: type, market_order_type: unit }: JsonObject,
  { names, quotes, default_market_order_type: usual }: SymbolsView,
): string | undefined {
  const amount = decimalWords(quantity)
  if (amount === undefined || typeof id !== "number") return undefined
  const name = symbolName({ symbol_id: id }, { names })
  const isOfQuote = type === "market" && (unit ?? usual) === "quote"
  return isOfQuote ? `${name} for ${amount} ${quotes[id] ?? "quote units"}` : `${amount} ${name}`
}

function typeOf(name: string): FieldType | undefined {
  return orderFields.find((field) => field.name === name)?.type
}

function fieldWords({ name, type }: BodyField, value: JsonValue | undefined): string | undefined {
  const said = valueWords(type, value)
  return prefixed(`${spaced(name)} `, said)
}

/** `undefined` for what isn't of that type, and for types that hold a bot's text. */
function valueWords(type: FieldType | undefined, value: JsonValue | undefined): string | undefined {
  if (type?.kind === "object") return objectWords(type.fields, value)
  if (type?.kind === "decimal") return decimalWords(value)
  return type !== undefined && "values" in type ? listWords(type, value) : undefined
}

type Words = Extract<FieldType, { readonly values: readonly string[] }>

/** One of the type's values, or of `words` several. */
function listWords({ kind, values }: Words, value: JsonValue | undefined): string | undefined {
  const given = kind === "words" ? value : [value]
  if (!Array.isArray(given)) return undefined
  const items = given as readonly JsonValue[]
  const known = items.filter((each) => isOneOf(each, values))
  if (known.length < items.length) return undefined
  return known.length === 0 ? "none" : known.map(spaced).join(" and ")
}

function objectWords(
  fields: readonly BodyField[],
  value: JsonValue | undefined,
): string | undefined {
  if (value === null) return "none"
  if (!isJsonObject(value)) return undefined
  const said = Object.entries(value).map(([name, each]) => {
    const field = fields.find((known) => known.name === name)
    return field && fieldWords(field, each)
  })
  return said.includes(undefined) ? undefined : `(${said.join(", ")})`
}

function isOneOf(value: JsonValue | undefined, values: readonly string[]): value is string {
  return typeof value === "string" && values.includes(value)
}

function spaced(name: string): string {
  return name.replaceAll("_", " ")
}
