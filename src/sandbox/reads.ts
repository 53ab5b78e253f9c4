// Market reads. Paths and records are invented.

import { ok, type Result } from "../std/result.ts"
import { listSettings } from "./account-operations.ts"
import { priceAt } from "./market/market.ts"
import { openOrdersAt, viewAt } from "./market/versions.ts"
import { balancesOf, isAccount, listBalances } from "./state/accounts.ts"
import { reject, type Rejection } from "./state/error-codes.ts"
import { decimalText, marketSymbols, stillTicker, type Ticker } from "./state/market.ts"
import {
  isWithin,
  pageOf,
  readAccount,
  readNumber,
  readPaging,
  readPeriod,
  listOrders,
} from "./state/records.ts"
import type { Outcome, Read, Turn, Venue } from "./state/venue.ts"

/** `GET /v1/market/symbols?limit=&cursor=` */
export const readSymbols: Read = (query) => {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  const { list, ...rest } = pageOf(marketSymbols, paging.value, ({ id }) => id)
  const symbols = list.map(({ id, name, market, quote }) => ({
    symbol_id: id,
    name,
    market,
    quote,
  }))
  return ok({ data: { list: symbols, ...rest }, note: `${list.length} symbols` })
}

/** `GET /v1/market/ticker?symbol_id=` */
export const readTicker: Read = (query, turn) => {
  const { nowMs, asOfMs = nowMs } = turn
  const symbolId = readNumber(query.get("symbol_id"), undefined)
  const symbol = marketSymbols.find(({ id }) => id === symbolId)
  if (symbol === undefined) {
    return reject("unknown_symbol", "symbol_id must be one that the sandbox trades.")
  }
  const { id, name } = symbol
  const price = tickerOf(turn)(symbol, asOfMs)
  return ok({
    data: {
      symbol_id: id,
      last_price: price,
      mark_price: price,
      oracle_price: price,
      record_time: asOfMs,
    },
    note: name,
  })
}

function tickerOf({ venue: { market }, ticker = stillTicker }: Turn): Ticker {
  return market === undefined
    ? ticker
    : (symbol, atMs) => decimalText(priceAt(market, symbol, atMs))
}

// Trade reads. Paths, filters and records are invented, and so is that anyone may read them.

/** `GET /v1/trade/open-orders?limit=&cursor=&account_address=`, oldest first. */
export const readOpenOrders: Read = (query, { venue, asOfMs }) => {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  const account = readAccount(query)
  if (!account.ok) return account
  const { market, book } = venue
  const isNow = market === undefined || asOfMs === undefined
  const page = listOrders(isNow ? book : { orders: openOrdersAt(market, asOfMs) }, {
    ...paging.value,
    account: account.value,
  })
  return ok({ data: page, note: `${page.list.length} orders` })
}

/** `GET /v1/trade/order-history`: orders that are open no more, by the time of their end. */
export const readOrderHistory: Read = (query, turn) =>
  readHistory(query, turn, { records: turn.venue.records.orders, what: "orders" })

/** `GET /v1/trade/executions`: what was filled. */
export const readExecutions: Read = (query, turn) =>
  readHistory(query, turn, { records: turn.venue.records.executions, what: "executions" })

type HistoryRecord = {
  readonly number: number
  readonly account_address: string
  readonly record_time: number
}

/** `?limit=&cursor=&account_address=&start_time=&end_time=` */
function readHistory(
  query: URLSearchParams,
  { asOfMs = Number.MAX_SAFE_INTEGER }: Turn,
  { records, what }: { readonly records: readonly HistoryRecord[]; readonly what: string },
): Result<Outcome, Rejection> {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  const account = readAccount(query)
  if (!account.ok) return account
  const period = readPeriod(query)
  if (!period.ok) return period
  const meant = records.filter(
    ({ account_address, record_time }) =>
      [undefined, account_address].includes(account.value) &&
      isWithin(period.value, record_time) &&
      record_time <= asOfMs,
  )
  const page = pageOf(meant, paging.value, ({ number }) => number)
  return ok({ data: page, note: `${page.list.length} ${what}` })
}

// Account reads. Paths and records are invented, and so is that anyone may read them.

/** `GET /v1/account/balances?account_address=` */
export const readBalances: Read = (query, { venue, asOfMs }) =>
  forAccount(query, venue, (account) => {
    const { market, funds } = venue
    const list = listBalances(
      market === undefined ? balancesOf(funds, account) : viewAt(market, account, asOfMs).balances,
    )
    return { data: { list }, note: `${list.length} balances` }
  })

/** `GET /v1/account/settings?account_address=` */
export const readSettings: Read = (query, { venue }) =>
  forAccount(query, venue, (account) => ({
    data: listSettings(venue, account),
    note: "settings",
  }))

/** `GET /v1/account/agents?account_address=` */
export const readAgents: Read = (query, { venue }) =>
  forAccount(query, venue, (account) => {
    const list = Array.from(venue.accounts.agents)
      .filter(([, agent]) => agent.account === account)
      .map(([agent_address, { expiresAtMs, isRevoked }]) => ({
        agent_address,
        expires_at: expiresAtMs,
        is_revoked: isRevoked,
      }))
    return { data: { list }, note: `${list.length} agents` }
  })

/** `GET /v1/account/sub-accounts?account_address=&limit=&cursor=` */
export const readSubAccounts: Read = (query, { venue }) => {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  return forAccount(query, venue, (account) => {
    const owned = Array.from(venue.accounts.subs, ([address, sub]) => ({ address, ...sub })).filter(
      ({ owner }) => owner === account,
    )
    const { list, ...rest } = pageOf(owned, paging.value, ({ number }) => number)
    const subs = list.map(({ address, label, createdAtMs }) => ({
      sub_address: address,
      label,
      created_at: createdAtMs,
    }))
    return { data: { list: subs, ...rest }, note: `${list.length} sub-accounts` }
  })
}

/** Reads of an account, which must be one. */
export function forAccount(
  query: URLSearchParams,
  { accounts }: Venue,
  read: (account: string) => Outcome,
): Result<Outcome, Rejection> {
  const account = readAccount(query)
  if (!account.ok) return account
  return account.value !== undefined && isAccount(accounts, account.value)
    ? ok(read(account.value))
    : reject("unknown_account", "account_address must be an account's.")
}

// Explorer reads: accepted writes. Path and records are invented.

/** `GET /v1/explorer/transactions?limit=&cursor=&start_time=&end_time=&tx_hash=` */
export const readTransactions: Read = (query, { venue }) => {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  const period = readPeriod(query)
  if (!period.ok) return period
  const hash = query.get("tx_hash")?.toLowerCase()
  const meant = venue.records.transactions.filter(
    ({ tx_hash, record_time }) =>
      [undefined, tx_hash].includes(hash) && isWithin(period.value, record_time),
  )
  const page = pageOf(meant, paging.value, ({ number }) => number)
  return ok({ data: page, note: `${page.list.length} transactions` })
}

/** Where the sandbox's reads are, all GET. All of these paths are invented. */
export const readPaths = {
  symbols: "/v1/market/symbols",
  ticker: "/v1/market/ticker",
  openOrders: "/v1/trade/open-orders",
  orderHistory: "/v1/trade/order-history",
  executions: "/v1/trade/executions",
  balances: "/v1/account/balances",
  settings: "/v1/account/settings",
  agents: "/v1/account/agents",
  subAccounts: "/v1/account/sub-accounts",
  transactions: "/v1/explorer/transactions",
} as const
