import { ok, type Result } from "../../std/result.ts"
import { reject, type Rejection } from "./error-codes.ts"
import { type Body, address } from "./fields.ts"
import { decimalText, marketSymbols, readUnits } from "./market.ts"

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
} & Partial<MarketFields>

/** What an order shows besides where there is a market. */
export type MarketFields = {
  /** What of `quantity` is filled. */
  readonly filled_quantity: string
  readonly reduce_only: boolean
  readonly position_side: "both" | "long" | "short"
  /** Whether it waits for a trigger. */
  readonly is_waiting: boolean
}

/** Open orders by id, oldest first. Nothing is matched: an order is open until it is cancelled. */
export type Book = { readonly orders: Map<string, OpenOrder>; lastOrderNumber: number }

type Place = { readonly orderId: string; readonly account: string; readonly nowMs: number }

/** The next order id, a number in text that only grows. */
export function nextOrderId(book: Book): string {
  book.lastOrderNumber += 1
  return String(book.lastOrderNumber)
}

/** An order as it is when it begins. */
export function orderRecord(order: Body, { orderId, account, nowMs }: Place): OpenOrder {
  return {
    order_id: orderId,
    client_order_id: order["client_order_id"] ?? null,
    account_address: account,
    symbol_id: order["symbol_id"],
    is_buy: order["is_buy"],
    order_type: order["order_type"] ?? null,
    quantity: order["quantity"],
    price: order["price"] ?? null,
    state: "open",
    created_at: nowMs,
  }
}

/** An account's open order; `undefined` when it has no such. */
export function findOrder(book: Book, account: string, orderId: string): OpenOrder | undefined {
  const order = book.orders.get(orderId)
  return order?.account_address === account ? order : undefined
}

/** Changes an open order in its place. */
export function replaceOrder(book: Book, order: OpenOrder): void {
  book.orders.set(order.order_id, order)
}

/** Takes an account's order out of the book; `undefined` when it has no such open order. */
export function cancelOrder(book: Book, account: string, orderId: string): OpenOrder | undefined {
  const order = findOrder(book, account, orderId)
  if (order !== undefined) book.orders.delete(orderId)
  return order
}

/** Takes out all of an account's orders, or those in one symbol. */
export function cancelAll(book: Book, account: string, symbolId: unknown): readonly OpenOrder[] {
  const meant = Array.from(book.orders.values()).filter(
    (order) =>
      order.account_address === account && (symbolId === undefined || order.symbol_id === symbolId),
  )
  for (const { order_id } of meant) book.orders.delete(order_id)
  return meant
}

/** One page of open orders, oldest first. A cursor is the last order id of the page before. */
export function listOrders(
  book: Pick<Book, "orders">,
  query: Paging & { readonly account: string | undefined },
): Page<OpenOrder> {
  const meant = book.orders
    .values()
    .filter(({ account_address }) => [undefined, account_address].includes(query.account))
  return pageOf(meant, query, ({ order_id }) => Number(order_id))
}

// What has happened, as the sandbox's lists show it. All these records are invented.

/** An order that is open no more. */
type EndedOrder = Omit<OpenOrder, "state"> & {
  readonly number: number
  readonly state: "filled" | "cancelled"
  readonly record_time: number
}

type Execution = {
  readonly execution_id: string
  readonly number: number
  readonly order_id: string
  readonly account_address: string
  readonly symbol_id: unknown
  readonly is_buy: unknown
  readonly quantity: unknown
  readonly price: string
  readonly record_time: number
  /** Where there is a market alone. */
  readonly fee?: string
}

/** An accepted write. */
type Transaction = {
  readonly number: number
  readonly tx_hash: string
  readonly signer_address: string
  readonly path: string
  readonly nonce: number
  readonly record_time: number
}

export type Records = {
  readonly orders: EndedOrder[]
  readonly executions: Execution[]
  readonly transactions: Transaction[]
}

/** Of each kind the newest are kept. */
const keptRecords = 10_000

/** Nothing has happened yet. */
export function noRecords(): Records {
  return { orders: [], executions: [], transactions: [] }
}

/** Records that an order was cancelled. */
export function recordCancelled(records: Records, order: OpenOrder, nowMs: number): void {
  recordEnded(records, order, { state: "cancelled", nowMs })
}

/** Records that an order is open no more. */
export function recordEnded(
  { orders }: Records,
  order: OpenOrder,
  { state, nowMs }: { readonly state: EndedOrder["state"]; readonly nowMs: number },
): void {
  keep(orders, { ...order, state, record_time: nowMs, number: nextNumber(orders) })
}

/** Records that an order was filled, at its own price or else at its symbol's reference price. */
export function recordFilled(records: Records, order: OpenOrder, nowMs: number): void {
  recordEnded(records, order, { state: "filled", nowMs })
  recordExecution(records, order, {
    quantity: order.quantity,
    price: fillPrice(order),
    record_time: nowMs,
  })
}

/** Records that an order, or a part of it, was traded. */
export function recordExecution(
  { executions }: Records,
  { order_id, account_address, symbol_id, is_buy }: OpenOrder,
  deal: Pick<Execution, "quantity" | "price" | "record_time" | "fee">,
): void {
  const number = nextNumber(executions)
  const execution = { execution_id: String(number), number, order_id, account_address, symbol_id }
  keep(executions, { ...execution, is_buy, ...deal })
}

/** Records an accepted write. */
export function recordTransaction(
  { transactions }: Records,
  transaction: Omit<Transaction, "number">,
): void {
  keep(transactions, { ...transaction, number: nextNumber(transactions) })
}

function fillPrice({ price, symbol_id }: OpenOrder): string {
  if (typeof price === "string") return decimalText(readUnits(price))
  return marketSymbols.find(({ id }) => id === symbol_id)?.referencePrice ?? "0"
}

function nextNumber(records: readonly { readonly number: number }[]): number {
  return (records.at(-1)?.number ?? 0) + 1
}

function keep<Kept>(records: Kept[], made: Kept): void {
  records.push(made)
  if (records.length > keptRecords) records.shift()
}

/** The interface's paginated `data`. */
type Page<Item> = {
  readonly list: readonly Item[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

/** Where a page starts and how long it may be. A cursor is the number of the last item before it. */
type Paging = { readonly limit: number; readonly afterNumber: number }

/** From `startMs`, included, to `endMs`, excluded. */
type Period = { readonly startMs: number; readonly endMs: number }

// Page sizes are invented; the interface leaves them to each endpoint.
const defaultLimit = 50
const maxLimit = 100
const numberPattern = /^(0|[1-9]\d{0,14})$/

/** One page of `items`, which come in the order of their numbers. */
export function pageOf<Item>(
  items: Iterable<Item>,
  { limit, afterNumber }: Paging,
  numberOf: (item: Item) => number,
): Page<Item> {
  const list: Item[] = []
  for (const item of items) {
    if (numberOf(item) <= afterNumber) continue
    const last = list.at(-1)
    if (list.length === limit && last !== undefined) {
      return { list, next_cursor: String(numberOf(last)), has_more: true }
    }
    list.push(item)
  }
  return { list, next_cursor: null, has_more: false }
}

/** Reads `limit` and `cursor`. */
export function readPaging(query: URLSearchParams): Result<Paging, Rejection> {
  const limit = readNumber(query.get("limit"), defaultLimit)
  if (limit === undefined || limit < 1 || limit > maxLimit) {
    return reject("invalid_query", `limit must be an integer from 1 to ${maxLimit}.`)
  }
  const afterNumber = readNumber(query.get("cursor"), 0)
  return afterNumber === undefined
    ? reject("invalid_query", "cursor must be the next_cursor of the page before.")
    : ok({ limit, afterNumber })
}

/** Reads `start_time` and `end_time`, milliseconds since 1970; what is left out bounds nothing. */
export function readPeriod(query: URLSearchParams): Result<Period, Rejection> {
  const startMs = readNumber(query.get("start_time"), 0)
  const endMs = readNumber(query.get("end_time"), Number.MAX_SAFE_INTEGER)
  return startMs === undefined || endMs === undefined
    ? reject("invalid_query", "start_time and end_time must be milliseconds since 1970.")
    : ok({ startMs, endMs })
}

/** Whether a record's time lies in the period: left-closed, right-open. */
export function isWithin({ startMs, endMs }: Period, recordTimeMs: number): boolean {
  return recordTimeMs >= startMs && recordTimeMs < endMs
}

/** Reads `account_address`, in lower case; `undefined` when it is left out. */
export function readAccount(query: URLSearchParams): Result<string | undefined, Rejection> {
  const account = query.get("account_address")?.toLowerCase()
  return account === undefined || address(account) === undefined
    ? ok(account)
    : reject("invalid_query", "account_address must be 0x and 40 hex digits.")
}

/** Reads an integer of the query; `absent` when it is left out, `undefined` when it is something else. */
export function readNumber<Absent>(
  text: string | null,
  absent: Absent,
): number | Absent | undefined {
  if (text === null) return absent
  return numberPattern.test(text) ? Number(text) : undefined
}
