// The three cancel endpoints, which the reserve is for. Their bodies and answers are invented.

import { ok } from "../../std/result.ts"
import { actionTags } from "../signing/action-tags.ts"
import { fieldsCheck, typeAPlay } from "../signing/signed-play.ts"
import { cancelAll, cancelOrder, type OpenOrder } from "../state/book.ts"
import { errorCodes, reject } from "../state/error-codes.ts"
import { integer, listOf, text } from "../state/fields.ts"
import { recordCancelled } from "../state/records.ts"
import type { Turn } from "../state/turn.ts"

/** `POST /v1/trade/orders/cancel` with `order_id`. */
export const playCancelOrder = typeAPlay(
  actionTags.cancelOrder,
  fieldsCheck(["order_id"], { order_id: text }),
  ({ body, admitted, turn }) => {
    const order = cancel(String(body["order_id"]), admitted.account, turn)
    if (order === undefined) {
      return reject("unknown_order", "The account has no open order with this order_id.")
    }
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
    const list = orderIds.map((orderId) => cancelItem(orderId, admitted.account, turn))
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
    for (const order of orders) recordCancelled(venue.records, order, nowMs)
    return ok({
      data: { order_ids: orders.map(({ order_id }) => order_id) },
      note: `${orders.length} orders cancelled`,
    })
  },
)

type CancelledItem = {
  readonly order_id: string
  readonly state: "cancelled" | null
  readonly code: string
}

function cancelItem(orderId: string, account: string, turn: Turn): CancelledItem {
  return cancel(orderId, account, turn) === undefined
    ? { order_id: orderId, state: null, code: errorCodes.unknown_order }
    : { order_id: orderId, state: "cancelled", code: "0" }
}

function cancel(orderId: string, account: string, { venue, nowMs }: Turn): OpenOrder | undefined {
  const order = cancelOrder(venue.book, account, orderId)
  if (order !== undefined) recordCancelled(venue.records, order, nowMs)
  return order
}
