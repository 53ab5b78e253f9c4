import type { Body } from "./fields.ts"

/** An open order as the sandbox lists it. The record's fields are invented; the interface shows none. */
export type OpenOrder = {
  readonly order_id: string
  readonly client_order_id: unknown
  readonly account_address: string
  readonly symbol_id: unknown
  readonly is_buy: unknown
  readonly order_type: unknown
  readonly quantity: unknown
  readonly price: unknown
  readonly state: "open"
  readonly created_at: number
}

/** Open orders by id, oldest first. Nothing is matched: an order is open until it is cancelled. */
export type Book = { readonly orders: Map<string, OpenOrder>; lastOrderNumber: number }

export type Page = {
  readonly list: readonly OpenOrder[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

/** The next order id, a number in text that only grows. */
export function nextOrderId(book: Book): string {
  book.lastOrderNumber += 1
  return String(book.lastOrderNumber)
}

/** Keeps an order open. */
export function addOrder(
  book: Book,
  order: Body,
  place: { readonly orderId: string; readonly account: string; readonly nowMs: number },
): void {
  book.orders.set(place.orderId, {
    order_id: place.orderId,
    client_order_id: order["client_order_id"] ?? null,
    account_address: place.account,
    symbol_id: order["symbol_id"],
    is_buy: order["is_buy"],
    order_type: order["order_type"] ?? null,
    quantity: order["quantity"],
    price: order["price"] ?? null,
    state: "open",
    created_at: place.nowMs,
  })
}

/** Takes an account's order out of the book; `undefined` when it has no such open order. */
export function cancelOrder(book: Book, account: string, orderId: string): OpenOrder | undefined {
  const order = book.orders.get(orderId)
  if (order?.account_address !== account) return undefined
  book.orders.delete(orderId)
  return order
}

/** Takes out all of an account's orders, or those in one symbol, and returns their ids. */
export function cancelAll(book: Book, account: string, symbolId: unknown): readonly string[] {
  const isMeant = (order: OpenOrder): boolean =>
    order.account_address === account && (symbolId === undefined || order.symbol_id === symbolId)
  const orderIds = Array.from(book.orders.values())
    .filter(isMeant)
    .map((order) => order.order_id)
  for (const orderId of orderIds) book.orders.delete(orderId)
  return orderIds
}

/** One page of open orders, oldest first. A cursor is the last order id of the page before. */
export function listOrders(
  book: Book,
  query: {
    readonly limit: number
    readonly afterNumber: number
    readonly account: string | undefined
  },
): Page {
  const list: OpenOrder[] = []
  for (const order of book.orders.values()) {
    const isAfter = Number(order.order_id) > query.afterNumber
    const isMeant = query.account === undefined || order.account_address === query.account
    if (!isAfter || !isMeant) continue
    if (list.length === query.limit) {
      return { list, next_cursor: list.at(-1)?.order_id ?? null, has_more: true }
    }
    list.push(order)
  }
  return { list, next_cursor: null, has_more: false }
}
