// POST /v1/trade/orders/modify, its batch, and chase. All of it is invented.

import { ok, type Result } from "../../std/result.ts"
import { actionTags } from "../signing/action-tags.ts"
import { fieldsCheck, typeAPlay } from "../signing/signed-play.ts"
import { cancelOrder, findOrder, orderRecord, replaceOrder, type OpenOrder } from "../state/book.ts"
import { reject, type Rejection } from "../state/error-codes.ts"
import { checkFields, checkRequired, listOf, object, text, type Body } from "../state/fields.ts"
import { marketSymbols } from "../state/market.ts"
import { recordFilled } from "../state/records.ts"
import type { Turn } from "../state/turn.ts"
import { checkOrder, countTaken, itemAnswer, itemsOf, stateOf, type Placed } from "./place-order.ts"

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
export const playModifyBatch = typeAPlay(
  actionTags.modifyBatch,
  fieldsCheck(["orders"], { orders: listOf(object) }),
  ({ body, admitted, turn }) => {
    const list = itemsOf(body).map((order) => {
      const refused = checkModification(order)
      return itemAnswer(
        order,
        refused === undefined
          ? modifyOrder(order, admitted.account, turn)
          : { ok: false, error: refused },
      )
    })
    return ok({ data: { list }, note: `${countTaken(list)} of ${list.length} orders modified` })
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
