import { type Decimal, formatDecimal, maxDecimal } from "../../../venue/decimal.ts"
import type {
  Order,
  OrderFlag,
  OrderLeg,
  OrderType,
  TimeInForce,
} from "../../../venue/payload/payload.ts"
import type { OperationId, SymbolEntry, SymbolTable } from "../../../venue/profile.ts"
import type { Circumstances, JudgedRequest } from "./decision.ts"
import type { AlgoType, MarginMode, PositionSide, Side, StpMode, Policy } from "./policy.ts"

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
  readonly leg: OrderLeg | undefined
  readonly symbols: readonly number[]
  readonly sides: readonly Side[]
  readonly orderTypes: Reading<OrderType>
  readonly timeInForce: Reading<TimeInForce>
  readonly flags: readonly OrderFlag[]
  readonly positionSides: Reading<PositionSide>
  readonly marginModes: Reading<MarginMode>
  readonly stpModes: Reading<StpMode>
  readonly algoOrderTypes: Reading<AlgoType>
  /** The bot's name for the order with its legs; empty without one. */
  readonly clientOrderId: Reading<string>
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
function readOrders(
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
  const shared = sharedReadings(order, symbol)
  const legs = [
    judgedLeg(shared, "take_profit", order.tpsl?.takeProfit),
    judgedLeg(shared, "stop_loss", order.tpsl?.stopLoss),
  ].filter((leg) => leg !== undefined)

  const orderTypes = order.orderType === undefined ? typesOfLegs(legs) : [order.orderType]
  const entry: JudgedOrder = {
    ...shared,
    part: "entry",
    leg: undefined,
    sides: isStandalone(order) ? ["buy", "sell"] : [order.isBuy ? "buy" : "sell"],
    orderTypes,
    timeInForce: timeInForceOf(order),
    flags: order.flags,
    stpModes: [order.stpMode ?? "cancel_maker"], // the documented default
  }
  return [entry, ...legs]
}

type SharedReadings = Pick<
  JudgedOrder,
  "order" | "symbols" | "positionSides" | "marginModes" | "algoOrderTypes" | "clientOrderId"
>

/** What an order says of its legs too: they belong to the same position, margin and name. */
function sharedReadings(order: Order, symbol: SymbolEntry | undefined): SharedReadings {
  // Omitted on spot by the interface; elsewhere the account's mode decides, which the request doesn't tell.
  const absent = symbol?.market === "spot" ? [] : undefined
  return {
    order,
    symbols: [order.symbolId],
    positionSides: order.positionSide === undefined ? absent : [order.positionSide],
    marginModes: order.marginMode === undefined ? absent : [order.marginMode],
    algoOrderTypes: algoTypeOf(order),
    clientOrderId: order.clientOrderId === undefined ? [] : [order.clientOrderId],
  }
}

/** The interface doesn't say whether `is_buy` of a standalone tpsl means the position or what closes it. */
function isStandalone(order: Order): boolean {
  return order.algoOrderType === "tpsl"
}

function judgedLeg(
  shared: SharedReadings,
  part: "take_profit" | "stop_loss",
  leg: OrderLeg | undefined,
): JudgedOrder | undefined {
  if (leg === undefined) return undefined
  const { order } = shared
  const orderTypes = legTypes(leg)
  return {
    ...shared,
    part,
    leg,
    sides: isStandalone(order) ? ["buy", "sell"] : [order.isBuy ? "sell" : "buy"],
    orderTypes,
    // A market order has none; of a leg's limit order the interface doesn't tell it.
    timeInForce: orderTypes.includes("limit") ? undefined : [],
    // The interface gives legs no flags, so no leg is post_only or reduce_only by its own word.
    flags: [],
    // Nor does it tell whether a leg's order takes over the mode of its entry.
    stpModes: undefined,
  }
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

function timeInForceOf(order: Order): Reading<TimeInForce> {
  if (order.timeInForce !== undefined) return [order.timeInForce]
  if (order.orderType === "limit") return ["gtc"] // the documented default
  return order.orderType === "market" ? [] : undefined
}

/** What the venue's rules keep together is not taken for "none" where it came apart. */
function algoTypeOf(order: Order): Reading<AlgoType> {
  if (order.algoOrderType !== undefined) return [order.algoOrderType]
  return order.conditional === undefined && order.tpsl === undefined ? ["none"] : undefined
}

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
  const orders = readOrders(request, circumstances)
  return { request, circumstances, orders, parts: orders?.flatMap(({ parts }) => parts) ?? [] }
}

/**
 * Whether a policy is for a client and the key that signs, or that a read names. One for certain keys is for no
 * read that names none.
 */
export function appliesTo(
  { appliesTo: { clients, keys } }: Policy,
  client: string,
  key: string | undefined,
): boolean {
  const isClient = clients?.includes(client) ?? true
  const isKey = keys === undefined || (key !== undefined && keys.includes(key))
  return isClient && isKey
}
