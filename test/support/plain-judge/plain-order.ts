import type { JudgedRequest } from "../../../src/vault/policy/match/judged-request.ts"
import type { Order, OrderLeg } from "../../../src/venue/payload/payload.ts"
import type { Profile } from "../../../src/venue/profile.ts"
import { decimalText } from "./plain-amount.ts"

/** All that a field may stand for: nothing where it is certainly absent, `undefined` where it can't be read. */
export type Values = readonly string[] | undefined

export type Field =
  | "symbols"
  | "sides"
  | "orderTypes"
  | "timeInForce"
  | "positionSides"
  | "marginModes"
  | "stpModes"
  | "algoOrderTypes"
  | "clientOrderId"

/** An order of its own: the entry, or a leg of it. */
export type PlainPart = {
  /** What a refusal puts before what it says of this part. */
  readonly prefix: "" | "take-profit leg: " | "stop-loss leg: "
  readonly order: Order
  readonly leg: OrderLeg | undefined
  readonly flags: readonly string[]
  readonly values: Readonly<Record<Field, Values>>
}

/** An order with its entry and then its legs. */
export type PlainOrder = {
  readonly order: Order
  readonly parts: readonly PlainPart[]
  readonly market: "spot" | "perp" | undefined
}

const orderMaking = ["placeOrder", "modifyOrder", "chaseOrder", "placeBatch", "modifyBatch"]

/** Whether an operation makes orders. */
export function makesOrders({ operation }: JudgedRequest): boolean {
  return orderMaking.includes(operation)
}

/** The orders that a request makes; `undefined` where it makes none or they can't be read. */
export function plainOrders(
  request: JudgedRequest,
  profile: Profile,
): readonly PlainOrder[] | undefined {
  const { payload } = request
  if (!makesOrders(request) || payload.kind !== "orders") return undefined
  if (payload.orders.length === 0) return undefined
  return payload.orders.map((order) => {
    const market = profile.symbols.byId.get(order.symbolId)?.market
    return { order, market, parts: partsOf(order, market) }
  })
}

function partsOf(order: Order, market: PlainOrder["market"]): readonly PlainPart[] {
  const shared = sharedValues(order, market)
  const legs = [
    legPart(order, order.tpsl?.takeProfit, "take-profit leg: "),
    legPart(order, order.tpsl?.stopLoss, "stop-loss leg: "),
  ].filter((leg) => leg !== undefined)
  const own = {
    sides: sidesOf(order, order.isBuy ? "buy" : "sell"),
    orderTypes: order.orderType === undefined ? typesOfLegs(legs) : [order.orderType],
    timeInForce: entryTimeInForce(order),
    stpModes: [order.stpMode ?? "cancel_maker"],
  }
  const entry = { prefix: "", order, leg: undefined, flags: order.flags, values: own } as const
  return [entry, ...legs].map((part) => ({ ...part, values: { ...shared, ...part.values } }))
}

/** What makes the position: a leg's are its order's. */
function sharedValues(order: Order, market: PlainOrder["market"]) {
  const leftOut = market === "spot" ? [] : undefined
  const unnamed = order.conditional === undefined && order.tpsl === undefined ? ["none"] : undefined
  return {
    symbols: [String(order.symbolId)],
    positionSides: order.positionSide === undefined ? leftOut : [order.positionSide],
    marginModes: order.marginMode === undefined ? leftOut : [order.marginMode],
    algoOrderTypes: order.algoOrderType === undefined ? unnamed : [order.algoOrderType],
    clientOrderId: order.clientOrderId === undefined ? [] : [order.clientOrderId],
  }
}

/** A leg is of the opposite side, has no flags, and doesn't say its time in force or self-trade prevention. */
function legPart(order: Order, leg: OrderLeg | undefined, prefix: PlainPart["prefix"]) {
  if (leg === undefined) return undefined
  const untyped = leg.orderPrice === undefined ? ["market"] : ["limit", "market"]
  const orderTypes = leg.orderType === undefined ? untyped : [leg.orderType]
  const values = {
    sides: sidesOf(order, order.isBuy ? "sell" : "buy"),
    orderTypes,
    timeInForce: orderTypes.includes("limit") ? undefined : [],
    stpModes: undefined,
  }
  return { prefix, order, leg, flags: [], values }
}

function sidesOf({ algoOrderType }: Order, side: string): readonly string[] {
  return algoOrderType === "tpsl" ? ["buy", "sell"] : [side]
}

/** An order that leaves its type out is what its legs make. */
function typesOfLegs(legs: readonly NonNullable<ReturnType<typeof legPart>>[]): Values {
  return legs.length === 0 ? undefined : legs.flatMap(({ values }) => values.orderTypes)
}

function entryTimeInForce({ timeInForce, orderType }: Order): Values {
  if (timeInForce !== undefined) return [timeInForce]
  return { limit: ["gtc"], market: [], untyped: undefined }[orderType ?? "untyped"]
}

/** A symbol's name, or its id where the table has none. */
export function symbolWords(symbolId: number, { symbols }: Profile): string {
  return symbols.byId.get(symbolId)?.name ?? `symbol ${symbolId}`
}

/** `0.6 BTC-PERP` */
export function quantityWords(order: Order, profile: Profile): string {
  return `${decimalText(order.quantity)} ${symbolWords(order.symbolId, profile)}`
}

/** `market buy of 0.6 BTC-PERP` */
export function orderWords(order: Order, profile: Profile): string {
  const type = order.orderType ?? order.algoOrderType ?? "untyped"
  return `${type} ${order.isBuy ? "buy" : "sell"} of ${quantityWords(order, profile)}`
}
