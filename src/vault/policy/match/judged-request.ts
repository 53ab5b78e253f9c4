import type { Address } from "../../../venue/address.ts"
import { type Decimal, formatDecimal, maxDecimal } from "../../../venue/decimal.ts"
import type { JsonObject } from "../../../venue/json.ts"
import type { Lane, Payload, Order, OrderLeg, OrderType } from "../../../venue/payload/payload.ts"
import type { OperationId, Profile, SymbolEntry, SymbolTable } from "../../../venue/profile.ts"

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
}

/**
 * Whether a policy applies to a client and a key: the key that signs, or the key that a read names. A policy for
 * certain keys doesn't apply to a read without a key.
 */
export function appliesTo(
  {
    appliesTo: { clients, keys },
  }: {
    readonly appliesTo: {
      readonly clients: readonly string[] | undefined
      readonly keys: readonly string[] | undefined
    }
  },
  client: string,
  key: string | undefined,
): boolean {
  const isClient = clients?.includes(client) ?? true
  const isKey = keys === undefined || (key !== undefined && keys.includes(key))
  return isClient && isKey
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

/** In a `rule` every value that a field can mean must fit. In a `deny`, a limit or a hold, one is enough. */
export type Polarity = "rule" | "deny"

/** An unreadable value fits no rule and every deny. A value that is certainly absent fits neither. */
export function agrees<Value>(
  reading: Reading<Value>,
  polarity: Polarity,
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

/** The interface doesn't say whether `is_buy` of a standalone tpsl means the position or the order that closes it. */
export function isStandalone(order: Order): boolean {
  return order.algoOrderType === "tpsl"
}

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
