// Trade reads. Paths, filters and records are invented, and so is that anyone may read them.

import { ok, type Result } from "../../std/result.ts"
import { listOrders } from "../state/book.ts"
import type { Rejection } from "../state/error-codes.ts"
import { isWithin, pageOf, readAccount, readPaging, readPeriod } from "../state/page.ts"
import type { Outcome, Read } from "../state/turn.ts"

/** `GET /v1/trade/open-orders?limit=&cursor=&account_address=`, oldest first. */
export const readOpenOrders: Read = (query, { venue }) => {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  const account = readAccount(query)
  if (!account.ok) return account
  const page = listOrders(venue.book, { ...paging.value, account: account.value })
  return ok({ data: page, note: `${page.list.length} orders` })
}

/** `GET /v1/trade/order-history`: orders that are open no more, by the time of their end. */
export const readOrderHistory: Read = (query, { venue }) =>
  readHistory(query, venue.records.orders, "orders")

/** `GET /v1/trade/executions`: what was filled. */
export const readExecutions: Read = (query, { venue }) =>
  readHistory(query, venue.records.executions, "executions")

type HistoryRecord = {
  readonly number: number
  readonly account_address: string
  readonly record_time: number
}

/** `?limit=&cursor=&account_address=&start_time=&end_time=` */
function readHistory(
  query: URLSearchParams,
  records: readonly HistoryRecord[],
  what: string,
): Result<Outcome, Rejection> {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  const account = readAccount(query)
  if (!account.ok) return account
  const period = readPeriod(query)
  if (!period.ok) return period
  const meant = records.filter(
    ({ account_address, record_time }) =>
      [undefined, account_address].includes(account.value) && isWithin(period.value, record_time),
  )
  const page = pageOf(meant, paging.value, ({ number }) => number)
  return ok({ data: page, note: `${page.list.length} ${what}` })
}
