// POST /v1/trade/orders and its batch. The single order is the interface's; the batch's body and answer
// are invented.

import { ok, type Result } from "../../std/result.ts"
import { actionTags } from "../signing/action-tags.ts"
import { fieldsCheck, typeAPlay } from "../signing/signed-play.ts"
import { nextOrderId, orderRecord } from "../state/book.ts"
import { errorCodes, type Rejection } from "../state/error-codes.ts"
import { listOf, object, type Body } from "../state/fields.ts"
import { recordFilled } from "../state/records.ts"
import type { Turn } from "../state/turn.ts"
import { checkOrderFields } from "./order-fields.ts"
import { checkOrderRules } from "./order-rules.ts"

/** What an order's answer holds beside `tx_hash`. */
export type Placed = {
  readonly order_id: string
  readonly client_order_id: unknown
  readonly state: "open" | "filled"
}

/** One item's answer in a batch: its own `code`, `0` when it was taken. */
export type Item = {
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
    return ok({ data: placed, note: `order ${placed.order_id} ${placed.state}` })
  },
)

/** `POST /v1/trade/orders/batch` with `orders`: each is taken or refused by itself. */
export const playPlaceBatch = typeAPlay(
  actionTags.placeBatch,
  fieldsCheck(["orders"], { orders: listOf(object) }),
  ({ body, admitted, turn }) => {
    const list = itemsOf(body).map((order) => {
      const refused = checkOrder(order)
      return itemAnswer(
        order,
        refused === undefined
          ? ok(placeOrder(order, admitted.account, turn))
          : { ok: false, error: refused },
      )
    })
    return ok({ data: { list }, note: `${countTaken(list)} of ${list.length} orders placed` })
  },
)

/** Checks an order against the interface's tables and its rules. */
export function checkOrder(order: Body): Rejection | undefined {
  return checkOrderFields(order) ?? checkOrderRules(order)
}

/** The orders of a batch whose list was checked. */
export function itemsOf(body: Body): readonly Body[] {
  return body["orders"] as readonly Body[]
}

/** An item's answer. */
export function itemAnswer(
  order: Body,
  result: Result<{ readonly order_id: string; readonly state: string }, Rejection>,
): Item {
  const client_order_id = order["client_order_id"] ?? null
  if (result.ok) {
    const { order_id, state } = result.value
    return { code: "0", msg: "", order_id, client_order_id, state }
  }
  const { name, msg } = result.error
  return { code: errorCodes[name], msg, order_id: null, client_order_id, state: null }
}

/** How many items of a batch were taken. */
export function countTaken(list: readonly Item[]): number {
  return list.filter(({ code }) => code === "0").length
}

/** Invented, as all states are: what can't rest in a book is filled, what waits for a trigger is open. */
export function stateOf(order: Body): "open" | "filled" {
  const waits = order["algo_order_type"] === "conditional" || order["algo_order_type"] === "tpsl"
  const rests = order["order_type"] === "limit" && (order["time_in_force"] ?? "gtc") === "gtc"
  return waits || rests ? "open" : "filled"
}

function placeOrder(order: Body, account: string, { venue, nowMs }: Turn): Placed {
  const orderId = nextOrderId(venue.book)
  const record = orderRecord(order, { orderId, account, nowMs })
  const state = stateOf(order)
  if (state === "open") venue.book.orders.set(orderId, record)
  else recordFilled(venue.records, record, nowMs)
  return { order_id: orderId, client_order_id: record.client_order_id, state }
}
