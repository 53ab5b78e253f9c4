// POST /v1/trade/orders and its batch. The single order is the interface's; the batch's body and answer
// are invented.

import { err, ok, type Result } from "../std/result.ts"
import { chaseInMarket, modifyInMarket, placeInMarket } from "./market/play-order.ts"
import { noteEnd } from "./market/trade.ts"
import { checkOrderFields, checkOrderRules } from "./order-rules.ts"
import { fieldsCheck, typeAPlay } from "./signing/signed-play.ts"
import { actionTags } from "./signing/typed-hash.ts"
import { errorCodes, reject, type Rejection } from "./state/error-codes.ts"
import {
  type Body,
  checkFields,
  checkRequired,
  integer,
  listOf,
  object,
  text,
} from "./state/fields.ts"
import { marketSymbols } from "./state/market.ts"
import {
  cancelAll,
  cancelOrder,
  findOrder,
  nextOrderId,
  type OpenOrder,
  orderRecord,
  recordCancelled,
  recordFilled,
  replaceOrder,
} from "./state/records.ts"
import type { Play, Turn, Venue } from "./state/venue.ts"

/** What an order's answer holds beside `tx_hash`. */
type Placed = {
  readonly order_id: string
  readonly client_order_id: unknown
  readonly state: "open" | "filled" | "cancelled"
}

/** One item's answer in a batch: its own `code`, `0` when it was taken. */
type Item = {
  readonly code: string
  readonly msg: string
  readonly order_id: string | null
  readonly client_order_id: unknown
  readonly state: string | null
}

/** `POST /v1/trade/orders`: market orders fill at once, the others stay open. */
export const playPlaceOrder = typeAPlay(
  actionTags.placeOrder,
  checkOrder,
  ({ body, admitted, turn }) => {
    const placed = placeOrder(body, admitted.account, turn)
    if (!placed.ok) return placed
    const { order_id, state } = placed.value
    return ok({ data: placed.value, note: `order ${order_id} ${state}` })
  },
)

/** `POST /v1/trade/orders/batch` with `orders`: each is taken or refused by itself. */
export const playPlaceBatch = batchPlay(actionTags.placeBatch, "placed", (order, account, turn) => {
  const refused = checkOrder(order)
  return refused === undefined ? placeOrder(order, account, turn) : err(refused)
})

/** Plays a batch of orders, of which `play` takes or refuses each. */
function batchPlay(
  actionTag: number,
  done: string,
  play: (order: Body, account: string, turn: Turn) => Result<Placed, Rejection>,
): Play {
  return typeAPlay(
    actionTag,
    fieldsCheck(["orders"], { orders: listOf(object) }),
    ({ body, admitted, turn }) => {
      const orders = body["orders"] as readonly Body[] // checked above
      const list = orders.map((order) => itemAnswer(order, play(order, admitted.account, turn)))
      const taken = list.filter(({ code }) => code === "0").length
      return ok({ data: { list }, note: `${taken} of ${list.length} orders ${done}` })
    },
  )
}

/** Checks an order against the interface's tables and its rules. */
function checkOrder(order: Body): Rejection | undefined {
  return checkOrderFields(order) ?? checkOrderRules(order)
}

/** An item's answer. */
function itemAnswer(order: Body, result: Result<Placed, Rejection>): Item {
  const client_order_id = order["client_order_id"] ?? null
  if (result.ok) {
    const { order_id, state } = result.value
    return { code: "0", msg: "", order_id, client_order_id, state }
  }
  const { name, msg } = result.error
  return { code: errorCodes[name], msg, order_id: null, client_order_id, state: null }
}

/** Invented, as all states are: what can't rest in a book is filled, what waits for a trigger is open. */
function stateOf(order: Body): "open" | "filled" {
  const waits = order["algo_order_type"] === "conditional" || order["algo_order_type"] === "tpsl"
  const rests = order["order_type"] === "limit" && (order["time_in_force"] ?? "gtc") === "gtc"
  return waits || rests ? "open" : "filled"
}

function placeOrder(order: Body, account: string, turn: Turn): Result<Placed, Rejection> {
  const { venue, nowMs } = turn
  if (venue.market !== undefined) return placeInMarket(venue.market, order, { account, nowMs })
  const orderId = nextOrderId(venue.book)
  const record = orderRecord(order, { orderId, account, nowMs })
  const state = stateOf(order)
  if (state === "open") venue.book.orders.set(orderId, record)
  else recordFilled(venue.records, record, nowMs)
  return ok({ order_id: orderId, client_order_id: record.client_order_id, state })
}

// POST /v1/trade/orders/modify, its batch, and chase. All of it is invented.

const orderIdTable = { order_id: text }

/** `POST /v1/trade/orders/modify`: a complete order and the `order_id` of the one that it replaces. */
export const playModifyOrder = typeAPlay(
  actionTags.modifyOrder,
  checkModification,
  ({ body, admitted, turn }) => {
    const modified = modifyOrder(body, admitted.account, turn)
    if (!modified.ok) return modified
    const { order_id, state } = modified.value
    return ok({ data: modified.value, note: `order ${order_id} modified, ${state}` })
  },
)

/** `POST /v1/trade/orders/batch/modify` with `orders`: each is modified or refused by itself. */
export const playModifyBatch = batchPlay(
  actionTags.modifyBatch,
  "modified",
  (order, account, turn) => {
    const refused = checkModification(order)
    return refused === undefined ? modifyOrder(order, account, turn) : err(refused)
  },
)

/** `POST /v1/trade/orders/chase` with `order_id`: a limit order moves to the symbol's reference price. */
export const playChaseOrder = typeAPlay(
  actionTags.chaseOrder,
  fieldsCheck(["order_id"], orderIdTable),
  ({ body, admitted, turn }) => {
    const order = findOrder(turn.venue.book, admitted.account, String(body["order_id"]))
    if (order === undefined) return unknownOrder()
    if (order.order_type !== "limit") {
      return reject("not_chased", "Only a limit order can be chased.")
    }
    const { order_id, client_order_id, state, symbol_id } = order
    const { market } = turn.venue
    if (market !== undefined) return chaseInMarket(market, order, turn.nowMs)
    const price = marketSymbols.find(({ id }) => id === symbol_id)?.referencePrice ?? order.price
    replaceOrder(turn.venue.book, { ...order, price })
    return ok({
      data: { order_id, client_order_id, state, price },
      note: `order ${order_id} chased`,
    })
  },
)

function checkModification(body: Body): Rejection | undefined {
  return checkRequired(body, ["order_id"]) ?? checkFields(body, orderIdTable) ?? checkOrder(body)
}

function modifyOrder(
  body: Body,
  account: string,
  { venue, nowMs }: Turn,
): Result<Placed, Rejection> {
  const orderId = String(body["order_id"])
  const earlier = findOrder(venue.book, account, orderId)
  if (earlier === undefined) return unknownOrder()
  if (body["symbol_id"] !== earlier.symbol_id || body["is_buy"] !== earlier.is_buy) {
    return reject("order_changed", "An order's symbol_id and is_buy can't be modified.")
  }
  if (venue.market !== undefined) return modifyInMarket(venue.market, body, { earlier, nowMs })
  const changed = orderRecord(body, { orderId, account, nowMs: earlier.created_at })
  const order = { ...changed, client_order_id: body["client_order_id"] ?? earlier.client_order_id }
  const state = stateOf(body)
  if (state === "open") replaceOrder(venue.book, order)
  else fill(order, { venue, nowMs })
  return ok({ order_id: orderId, client_order_id: order.client_order_id, state })
}

function fill(order: OpenOrder, { venue, nowMs }: Turn): void {
  cancelOrder(venue.book, order.account_address, order.order_id)
  recordFilled(venue.records, order, nowMs)
}

function unknownOrder() {
  return reject("unknown_order", "The account has no open order with this order_id.")
}

// The three cancel endpoints, which the reserve is for. Their bodies and answers are invented.

/** `POST /v1/trade/orders/cancel` with `order_id`. */
export const playCancelOrder = typeAPlay(
  actionTags.cancelOrder,
  fieldsCheck(["order_id"], { order_id: text }),
  ({ body, admitted, turn }) => {
    const order = cancel(String(body["order_id"]), admitted.account, turn)
    if (order === undefined) return unknownOrder()
    const { order_id, client_order_id } = order
    return ok({
      data: { order_id, client_order_id, state: "cancelled" },
      note: `order ${order_id} cancelled`,
    })
  },
)

/** `POST /v1/trade/orders/batch/cancel` with `order_ids`: each item has a code of its own. */
export const playCancelBatch = typeAPlay(
  actionTags.cancelBatch,
  fieldsCheck(["order_ids"], { order_ids: listOf(text) }),
  ({ body, admitted, turn }) => {
    const orderIds = body["order_ids"] as readonly string[] // checked above
    const list = orderIds.map((order_id) =>
      cancel(order_id, admitted.account, turn) === undefined
        ? { order_id, state: null, code: errorCodes.unknown_order }
        : { order_id, state: "cancelled", code: "0" },
    )
    const cancelled = list.filter(({ state }) => state !== null).length
    return ok({ data: { list }, note: `${cancelled} of ${list.length} orders cancelled` })
  },
)

/** `POST /v1/trade/orders/cancel-all`, of the account, or with `symbol_id` in one symbol. */
export const playCancelAll = typeAPlay(
  actionTags.cancelAll,
  fieldsCheck([], { symbol_id: integer(0, Number.MAX_SAFE_INTEGER) }),
  ({ body, admitted, turn: { venue, nowMs } }) => {
    const orders = cancelAll(venue.book, admitted.account, body["symbol_id"])
    for (const order of orders) recordGone(venue, order, nowMs)
    return ok({
      data: { order_ids: orders.map(({ order_id }) => order_id) },
      note: `${orders.length} orders cancelled`,
    })
  },
)

function cancel(orderId: string, account: string, { venue, nowMs }: Turn): OpenOrder | undefined {
  const order = cancelOrder(venue.book, account, orderId)
  if (order !== undefined) recordGone(venue, order, nowMs)
  return order
}

function recordGone({ records, market }: Venue, order: OpenOrder, nowMs: number): void {
  recordCancelled(records, order, nowMs)
  if (market !== undefined) noteEnd(market, order, { state: "cancelled", atMs: nowMs })
}
