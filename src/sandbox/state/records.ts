// What has happened, as the sandbox's lists show it. All these records are invented.

import type { OpenOrder } from "./book.ts"
import { decimalText, readUnits } from "./decimal.ts"
import { marketSymbols } from "./market.ts"

/** An order that is open no more. */
export type EndedOrder = Omit<OpenOrder, "state"> & {
  readonly number: number
  readonly state: "filled" | "cancelled"
  readonly record_time: number
}

export type Execution = {
  readonly execution_id: string
  readonly number: number
  readonly order_id: string
  readonly account_address: string
  readonly symbol_id: unknown
  readonly is_buy: unknown
  readonly quantity: unknown
  readonly price: string
  readonly record_time: number
}

/** An accepted write. */
export type Transaction = {
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
export function recordCancelled({ orders }: Records, order: OpenOrder, nowMs: number): void {
  const ended = { ...order, state: "cancelled", record_time: nowMs } as const
  keep(orders, { ...ended, number: nextNumber(orders) })
}

/** Records that an order was filled, at its own price or else at its symbol's reference price. */
export function recordFilled(
  { orders, executions }: Records,
  order: OpenOrder,
  nowMs: number,
): void {
  const ended = { ...order, state: "filled", record_time: nowMs } as const
  keep(orders, { ...ended, number: nextNumber(orders) })
  const number = nextNumber(executions)
  const { order_id, account_address, symbol_id, is_buy, quantity } = order
  keep(executions, {
    execution_id: String(number),
    number,
    order_id,
    account_address,
    symbol_id,
    is_buy,
    quantity,
    price: fillPrice(order),
    record_time: nowMs,
  })
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
