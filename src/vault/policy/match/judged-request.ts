import type * as z from "zod"

import type { Address } from "../../../venue/address.ts"
import { type Decimal, formatDecimal, maxDecimal } from "../../../venue/decimal.ts"
import type { JsonObject } from "../../../venue/json.ts"
import type {
  Lane,
  Payload,
  Order,
  OrderLeg,
  OrderType,
  OrderFlag,
} from "../../../venue/payload/payload.ts"
import type { OperationId, Profile, SymbolEntry, SymbolTable } from "../../../venue/profile.ts"
import { type Pattern, listOf, pattern } from "../values/scalars.ts"

/** What is judged: who asks for what, parsed as far as it can be. */
export type JudgedRequest = {
  readonly client: string
  readonly key: {
    readonly name: string
    readonly address: Address
    readonly role: "wallet" | "agent"
  }
  readonly operation: OperationId
  readonly target: Address | undefined
  readonly body: JsonObject
  readonly payload: Payload
  readonly lane: Lane
  /** How long the signed request would be valid. */
  readonly expiresInMs: number
  /** It has an idempotency key, so the same sent again is no second request. */
  readonly isKeyed: boolean
  /** How far from now the very same was recorded as a check; `Infinity` where the request names none. */
  readonly checkAgeMs: number
}

/** What judging needs besides request and policies. All are values: policy has no clock and no disk. */
export type Circumstances = {
  readonly profile: Profile
  readonly nowMs: number
  /** The agent keys held here under the signing wallet, without revoked ones. Called only for an approval. */
  readonly heldAgents: () => ReadonlySet<Address>
  /** The reference price of a symbol if it is fresh at `nowMs`. */
  readonly referencePrice: (symbolId: number) => Decimal | undefined
  /** A later price that is held back. Bounds must hold by both prices. */
  readonly heldPrice?: (symbolId: number) => Decimal | undefined
  /** The raises by `limits raise` that are in force at `nowMs`: a limit, by its name or as `policy/name`, and its maximum. */
  readonly raises: readonly { readonly limit: string; readonly max: Decimal }[]
}

/** A request as the entries see it. Its orders are read once. */
export type Subject = {
  readonly request: JudgedRequest
  readonly circumstances: Circumstances
  /** `undefined` when the request makes no orders or they can't be read. */
  readonly orders: readonly ReadOrder[] | undefined
  /** Entries and legs of all orders; empty without orders. */
  readonly parts: readonly JudgedOrder[]
}

/** Reads what the entries judge. */
export function subjectOf(request: JudgedRequest, circumstances: Circumstances): Subject {
  const orders = ordersOf(request, circumstances)
  return { request, circumstances, orders, parts: orders?.flatMap(({ parts }) => parts) ?? [] }
}

/**
 * Every value that a field can mean. Empty: the order certainly has none. `undefined`: it can't be read; that
 * counts against the request, in rules and in denies.
 */
export type Reading<Value> = readonly Value[] | undefined

/**
 * In a `rule` every value that a field can mean must fit. In a `deny`, a limit or a hold, one is enough. An unreadable
 * value fits no rule and every deny. A value that is certainly absent fits neither.
 */
export function agrees<Value>(
  reading: Reading<Value>,
  polarity: "rule" | "deny",
  fits: (value: Value) => boolean,
): boolean {
  if (reading === undefined) return polarity === "deny"
  return polarity === "deny" ? reading.some(fits) : reading.length > 0 && reading.every(fits)
}

/** The entry of an order or one of its legs. The whole rule judges each. */
export type JudgedOrder = {
  readonly part: "entry" | "take_profit" | "stop_loss"
  readonly order: Order
  /** `undefined` for the entry. */
  readonly leg: OrderLeg | undefined
  readonly symbol: SymbolEntry | undefined
  readonly orderTypes: Reading<OrderType>
}

/** An order of a request with its parts, its symbol and its prices. */
export type ReadOrder = {
  readonly order: Order
  readonly parts: readonly JudgedOrder[]
  readonly symbol: SymbolEntry | undefined
  /** The price that sizes: the higher of the fresh reference price and the one that is held back. */
  readonly reference: Decimal | undefined
  /** Both of them. */
  readonly references: readonly Decimal[]
}

/** The operations that make orders. Order matchers and size bounds are about these only. */
export const orderMakingOperations: ReadonlySet<OperationId> = new Set<OperationId>([
  "placeOrder",
  "modifyOrder",
  "chaseOrder",
  "placeBatch",
  "modifyBatch",
])

/** The orders that a request makes; `undefined` when it makes none or they can't be read. */
function ordersOf(
  { operation, payload }: JudgedRequest,
  circumstances: Circumstances,
): readonly ReadOrder[] | undefined {
  if (!orderMakingOperations.has(operation)) return undefined
  if (payload.kind !== "orders" || payload.orders.length === 0) return undefined
  return payload.orders.map((order) => {
    const symbol = circumstances.profile.symbols.byId.get(order.symbolId)
    const references = referencesOf(circumstances, order.symbolId)
    const parts = partsOf(order, symbol)
    return { order, parts, symbol, reference: highest(references), references }
  })
}

type Prices = Pick<Circumstances, "referencePrice" | "heldPrice">

/** The price that sizes: the higher of the fresh one and the one that is held back. */
export function sizingPrice(prices: Prices): Circumstances["referencePrice"] {
  return (symbolId) => highest(referencesOf(prices, symbolId))
}

/** What an order is judged by: the fresh price and the one that is held back; none where none is fresh. */
function referencesOf({ referencePrice, heldPrice }: Prices, symbolId: number): readonly Decimal[] {
  const fresh = referencePrice(symbolId)
  const held = fresh && heldPrice?.(symbolId)
  return [fresh, held].filter((price) => price !== undefined)
}

function highest([first, ...others]: readonly Decimal[]): Decimal | undefined {
  return first && maxDecimal(first, ...others)
}

function partsOf(order: Order, symbol: SymbolEntry | undefined): readonly JudgedOrder[] {
  const legOf = (part: "take_profit" | "stop_loss", leg: OrderLeg | undefined): JudgedOrder[] =>
    leg === undefined ? [] : [{ part, order, leg, symbol, orderTypes: legTypes(leg) }]
  const legs = [
    ...legOf("take_profit", order.tpsl?.takeProfit),
    ...legOf("stop_loss", order.tpsl?.stopLoss),
  ]
  const orderTypes = order.orderType === undefined ? typesOfLegs(legs) : [order.orderType]
  return [{ part: "entry", order, leg: undefined, symbol, orderTypes }, ...legs]
}

/** The interface doesn't say whether `is_buy` of a standalone tpsl means the position or the order that closes it. */
function isStandalone(order: Order): boolean {
  return order.algoOrderType === "tpsl"
}

/** The sides that a part may have. A leg has the side opposite to its entry's. */
export function sidesOf({ order, leg }: JudgedOrder): readonly ("buy" | "sell")[] {
  if (isStandalone(order)) return bothSides
  return [order.isBuy === (leg === undefined) ? "buy" : "sell"]
}

export const bothSides = ["buy", "sell"] as const

/** A limit child order needs a price, so a leg without type and price can only become a market order. */
function legTypes(leg: OrderLeg): readonly OrderType[] {
  if (leg.orderType !== undefined) return [leg.orderType]
  return leg.orderPrice === undefined ? ["market"] : ["limit", "market"]
}

/** A standalone tpsl may have no type of its own: only its legs become orders. */
function typesOfLegs(legs: readonly JudgedOrder[]): Reading<OrderType> {
  const types = legs.flatMap((leg) => leg.orderTypes ?? [])
  return types.length === 0 ? undefined : types
}

/** Whether a part may become a market order, as far as it can be read. */
export function mayBeMarket({ orderTypes }: JudgedOrder): boolean {
  return orderTypes?.includes("market") ?? true
}

/** The two values that most policies match on. They are here so that each order runs no other file for them. */
export const symbolsOf = ({ order }: JudgedOrder): readonly number[] => [order.symbolId]

export const orderTypesOf = ({ orderTypes }: JudgedOrder): Reading<OrderType> => orderTypes

/** The prefix of a part's text. It tells the entry from its legs in a refusal. */
export function partText({ part }: JudgedOrder): string {
  return partTexts[part]
}

const partTexts = {
  entry: "",
  take_profit: "take-profit leg: ",
  stop_loss: "stop-loss leg: ",
} as const

/** The symbol's name, or its id where venue.yaml doesn't list it. */
export function symbolText(symbolId: number, symbols: SymbolTable): string {
  return symbols.byId.get(symbolId)?.name ?? `symbol ${symbolId}`
}

/** A quantity for people, `0.6 BTC-PERP`. */
export function quantityText(order: Order, symbols: SymbolTable): string {
  return `${formatDecimal(order.quantity)} ${symbolText(order.symbolId, symbols)}`
}

/** An order in a few words, `market buy of 0.6 BTC-PERP`. */
export function orderText(order: Order, symbols: SymbolTable): string {
  const type = order.orderType ?? order.algoOrderType ?? "untyped"
  return `${type} ${order.isBuy ? "buy" : "sell"} of ${quantityText(order, symbols)}`
}

const maxTextLength = 80

/** A text from a bot as JSON, cut if it is long: a refusal doesn't send a body back. */
export function shortText(text: string): string {
  if (text.length <= maxTextLength) return JSON.stringify(text)
  return `${JSON.stringify(text.slice(0, maxTextLength).toWellFormed())}…`
}

/**
 * One key of an entry: how it is written, what fits it, and its words for people. `On` is what it looks at: an order
 * or leg, or the whole request. Its functions are methods, so that one table can have matchers of all kinds of
 * values. Each gets only values that its own schema made.
 */
export type Matcher<Value, On, Reason extends string = string> = {
  /** The key in policy files. */
  readonly key: string
  schema(symbols: SymbolTable): z.ZodType<Value>
  /** One sentence for editors and the reference, and an example. */
  readonly meaning: string
  readonly example: unknown
  /** For the reference: what may be written, if it isn't a list of words. */
  readonly written?: string
  /** For the reference: what can't be read, or can mean several values. */
  readonly unreadable?: string
  /** The reason that a rule gives when it refuses. Bots act on it. */
  readonly reason: Reason
  /** An unreadable value fits no rule, and every entry of the other lists (`deny`). */
  fits(value: Value, on: On, polarity: "rule" | "deny"): boolean
  /** What the request has that doesn't fit, as text for people. */
  asked(on: On, symbols: SymbolTable, value: Value): string
  /** What the entry allows, as text for people. */
  allowed(value: Value, symbols: SymbolTable): string
  /** Its form in a limit's digest: values that mean the same have the same form. */
  form(value: Value): unknown
  /** Whether a rule surely allows no more once a written list has `fewer` or `more` items. */
  readonly narrowedBy?: "fewer" | "more"
  /** The operations that it is about, if not all. */
  readonly speaksOf?: ReadonlySet<OperationId>
  /** Conditions that no order can meet together with another matcher of the entry. */
  readonly contradictions?: readonly {
    readonly message: string
    isIn(value: Value, beside: Beside): boolean
  }[]
}

/** The other matchers of the same entry. */
export type Beside = {
  readonly orderTypes?: readonly OrderType[] | undefined
  readonly requireFlags?: readonly OrderFlag[] | undefined
}

/** What differs between matchers of one kind. */
type Told<Value, On, Reason extends string> = Omit<
  Matcher<Value, On, Reason>,
  "schema" | "fits" | "asked" | "allowed" | "form" | "narrowedBy"
>

/** A matcher that lists the values which an order may have. */
export function listMatcher<Value extends string | number, const Reason extends string>({
  item,
  read,
  text = String,
  ...told
}: Told<readonly Value[], JudgedOrder, Reason> & {
  readonly item: (symbols: SymbolTable) => z.ZodType<Value>
  /** Every value that an order or leg may have. */
  readonly read: (order: JudgedOrder) => Reading<Value>
  readonly text?: (value: Value, symbols: SymbolTable) => string
}): Matcher<readonly Value[], JudgedOrder, Reason> {
  const textOf = (values: Reading<Value>, symbols: SymbolTable): string =>
    readingText(values?.map((value) => text(value, symbols)))
  return {
    ...told,
    schema: (symbols) => listOf(item(symbols)),
    fits: (list, order, polarity) => agrees(read(order), polarity, (value) => list.includes(value)),
    asked: (order, symbols) => `${partText(order)}${textOf(read(order), symbols)}`,
    allowed: textOf,
    form: (list) => sorted(list.map(String)),
    narrowedBy: "fewer",
  }
}

/** A matcher that tests a text with a regular expression. A text that is too long is unreadable. */
export function patternMatcher<On, const Reason extends string>({
  read,
  ...told
}: Told<Pattern, On, Reason> & { readonly read: (on: On) => Reading<string> }): Matcher<
  Pattern,
  On,
  Reason
> {
  return {
    ...told,
    written: "regular expression",
    schema: () => pattern,
    fits: ({ matches }, on, polarity) => {
      const fits = read(on)?.map(matches)
      const readable = fits?.includes(undefined) === true ? undefined : fits
      return agrees(readable, polarity, (fit) => fit === true)
    },
    asked: (on) => readingText(read(on)?.map(shortText)),
    allowed: ({ source }) => source,
    form: ({ source }) => source,
  }
}

/** A reading as text for people. */
export function readingText(reading: Reading<string>): string {
  if (reading === undefined) return "unreadable"
  return reading.length === 0 ? "none" : reading.join(", ")
}

/** Each word once, sorted, so that lists with the same meaning are equal. `null` without a list. */
export function sorted(words: readonly string[] | undefined): readonly string[] | null {
  return words === undefined ? null : [...new Set(words)].sort()
}
