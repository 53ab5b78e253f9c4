// Placing, modifying and chasing an order where there is a market.

import { err, ok, type Result } from "../../std/result.ts"
import { reject, type Rejection } from "../state/error-codes.ts"
import type { Body } from "../state/fields.ts"
import { decimalText, readUnits } from "../state/market.ts"
import { nextOrderId, type OpenOrder } from "../state/records.ts"
import { checkEntry, enterOrder, type Entry } from "./enter-order.ts"
import { quoteOf, symbolOf } from "./market.ts"
import { keepOrder } from "./versions.ts"
import type { Market } from "../state/market-state.ts"

type Placed = {
  readonly order_id: string
  readonly client_order_id: unknown
  readonly state: "open" | "filled" | "cancelled"
}

/** Places an order whose fields were checked. */
export function placeInMarket(
  market: Market,
  body: Body,
  { account, nowMs }: { readonly account: string; readonly nowMs: number },
): Result<Placed, Rejection> {
  const entry: Entry = { orderId: "", account, createdMs: nowMs, nowMs, filled: "0" }
  const refused = checkEntry(market, body, entry)
  if (refused !== undefined) return err(refused)
  return ok(enter(market, body, { ...entry, orderId: nextOrderId(market.book) }))
}

/** An order comes in anew in the place of `earlier`, with its id and what was filled of it. */
export function modifyInMarket(
  market: Market,
  body: Body,
  { earlier, nowMs }: { readonly earlier: OpenOrder; readonly nowMs: number },
): Result<Placed, Rejection> {
  const { account_address: account, order_id: orderId, created_at: createdMs } = earlier
  const filled = earlier.filled_quantity ?? "0"
  if (readUnits(String(body["quantity"])) < readUnits(filled)) {
    return reject("order_changed", "More than this quantity is filled already.")
  }
  const changed = { ...body, client_order_id: body["client_order_id"] ?? earlier.client_order_id }
  // Out of the sums while the new one is checked, and in its place in the book all the while.
  market.book.orders.set(orderId, { ...earlier, is_waiting: true })
  const entry: Entry = { orderId, account, createdMs, nowMs, filled }
  const refused = checkEntry(market, changed, entry)
  market.book.orders.set(orderId, earlier)
  return refused === undefined ? ok(enter(market, changed, entry)) : err(refused)
}

/** A limit order moves to the market's price. */
export function chaseInMarket(market: Market, order: OpenOrder, nowMs: number) {
  const { order_id, client_order_id, state } = order
  const price = decimalText(quoteOf(market, symbolOf(order.symbol_id)).price)
  const chased = { ...order, price }
  market.book.orders.set(order_id, chased)
  keepOrder(market, order_id, { atMs: nowMs, value: chased })
  return ok({
    data: { order_id, client_order_id, state, price },
    note: `order ${order_id} chased`,
  })
}

function enter(market: Market, body: Body, entry: Entry): Placed {
  const { order, state } = enterOrder(market, body, entry)
  return { order_id: order.order_id, client_order_id: order.client_order_id, state }
}
