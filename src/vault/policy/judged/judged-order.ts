import { type Decimal, formatDecimal, maxDecimal } from "../../../venue/decimal.ts"
import type { Order, OrderLeg, OrderType } from "../../../venue/payload/payload.ts"
import type { OperationId, SymbolEntry, SymbolTable } from "../../../venue/profile.ts"
import type { Circumstances, JudgedRequest } from "./judged-request.ts"

/**
 * Every value that a field can stand for. Empty: the order certainly has none. `undefined`: it can't
 * be read, which counts against the request in rules and in denies alike.
 */
export type Reading<Value> = readonly Value[] | undefined

/** In a `rule` all that a field may stand for must fit; in a `deny`, a limit or a hold one such value is enough. */
export type Polarity = "rule" | "deny"

/** What can't be read agrees with no rule and with every deny; what is certainly absent with neither. */
export function agrees<Value>(
  reading: Reading<Value>,
  polarity: Polarity,
  fits: (value: Value) => boolean,
): boolean {
  if (reading === undefined) return polarity === "deny"
  return polarity === "deny" ? reading.some(fits) : reading.length > 0 && reading.every(fits)
}

/** One order that a request can bring about: the entry itself or one of its legs, each judged by the whole rule. */
export type JudgedOrder = {
  readonly part: "entry" | "take_profit" | "stop_loss"
  readonly order: Order
  /** `undefined` for the entry. */
  readonly leg: OrderLeg | undefined
  readonly symbol: SymbolEntry | undefined
  readonly orderTypes: Reading<OrderType>
}

/** An order of a request with all that it can bring about, and what is known of its symbol. */
export type ReadOrder = {
  readonly order: Order
  readonly parts: readonly JudgedOrder[]
  readonly symbol: SymbolEntry | undefined
  /** The fresh reference price, or the one that is held back, where that is higher: what sizes. */
  readonly reference: Decimal | undefined
  /** Both of them. */
  readonly references: readonly Decimal[]
}

/** The operations that make orders: the only ones that order matchers and size bounds speak of. */
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
  { profile, referencePrice, heldPrice }: Circumstances,
): readonly ReadOrder[] | undefined {
  if (!orderMakingOperations.has(operation)) return undefined
  if (payload.kind !== "orders" || payload.orders.length === 0) return undefined
  return payload.orders.map((order) => {
    const symbol = profile.symbols.byId.get(order.symbolId)
    const fresh = referencePrice(order.symbolId)
    const held = fresh && heldPrice?.(order.symbolId)
    const reference = fresh && maxDecimal(fresh, held ?? fresh)
    const references = [fresh, held].filter((price) => price !== undefined)
    return { order, parts: partsOf(order, symbol), symbol, reference, references }
  })
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

/** The interface doesn't say whether `is_buy` of a standalone tpsl means the position or what closes it. */
export function isStandalone(order: Order): boolean {
  return order.algoOrderType === "tpsl"
}

/** A limit child order needs a price, so a leg without type and price can only become a market order. */
function legTypes(leg: OrderLeg): readonly OrderType[] {
  if (leg.orderType !== undefined) return [leg.orderType]
  return leg.orderPrice === undefined ? ["market"] : ["limit", "market"]
}

/** A standalone tpsl may leave its type out: what it makes is its legs. */
function typesOfLegs(legs: readonly JudgedOrder[]): Reading<OrderType> {
  const types = legs.flatMap((leg) => leg.orderTypes ?? [])
  return types.length === 0 ? undefined : types
}

/** What the two matchers read that most policies have: here, so that no file of theirs has to run for each order. */
export const symbolsOf = ({ order }: JudgedOrder): readonly number[] => [order.symbolId]
export const orderTypesOf = ({ orderTypes }: JudgedOrder): Reading<OrderType> => orderTypes

/** What comes before a part's text, so that a refusal tells the entry from its legs. */
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

/** A quantity as people read it, `0.6 BTC-PERP`. */
export function quantityText(order: Order, symbols: SymbolTable): string {
  return `${formatDecimal(order.quantity)} ${symbolText(order.symbolId, symbols)}`
}

/** An order in a few words, `market buy of 0.6 BTC-PERP`. */
export function orderText(order: Order, symbols: SymbolTable): string {
  const type = order.orderType ?? order.algoOrderType ?? "untyped"
  return `${type} ${order.isBuy ? "buy" : "sell"} of ${quantityText(order, symbols)}`
}

const maxTextLength = 80

/** A text of the bot's as JSON, cut where it is long: a refusal isn't a place to send a body back. */
export function shortText(text: string): string {
  if (text.length <= maxTextLength) return JSON.stringify(text)
  return `${JSON.stringify(text.slice(0, maxTextLength).toWellFormed())}…`
}

/** A request as every entry sees it: its orders are read once. */
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

/** Whom a policy is for: both must match; `undefined` is everyone. */
export type AppliesTo = {
  readonly clients: readonly string[] | undefined
  readonly keys: readonly string[] | undefined
}

/**
 * Whether a policy is for a client and the key that signs, or that a read names. One for certain keys is for no
 * read that names none.
 */
export function appliesTo(
  { appliesTo: { clients, keys } }: { readonly appliesTo: AppliesTo },
  client: string,
  key: string | undefined,
): boolean {
  const isClient = clients?.includes(client) ?? true
  const isKey = keys === undefined || (key !== undefined && keys.includes(key))
  return isClient && isKey
}
