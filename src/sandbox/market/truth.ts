// What really happened in a market, without lag, for whoever checks what a bot or a daemon made of it. No venue has it.

import { decimalText, marketSymbols } from "../state/market.ts"
import { listBalances } from "../state/accounts.ts"
import { marketAccount, priceAt } from "./market.ts"
import { positionRecord, worthRecord } from "./shown.ts"
import { currentView } from "./versions.ts"
import type { Market, MarketEvent } from "../state/market-state.ts"

/** All that is so at `nowMs`: prices, each account of `accounts`, open orders, and the number of the last event. */
export function truthOf(market: Market, accounts: readonly string[], nowMs: number) {
  return {
    now_ms: nowMs,
    second: market.second,
    prices: marketSymbols.map((symbol) => ({
      symbol_id: symbol.id,
      price: decimalText(priceAt(market, symbol, nowMs)),
    })),
    accounts: accounts.map((account) => accountTruth(market, account, nowMs)),
    open_orders: Array.from(market.book.orders.values()),
    last_event: market.events.at(-1)?.number ?? 0,
  }
}

function accountTruth(market: Market, account: string, nowMs: number) {
  const { sums } = marketAccount(market, account)
  const view = currentView(market, account)
  return {
    account_address: account,
    ...worthRecord(market, view, nowMs),
    balances: listBalances(view.balances),
    isolated_margin: decimalText(view.isolatedMargin),
    positions: view.positions.map((position) => positionRecord(market, position, nowMs)),
    // Since the market began: what trading made real, what was paid for it, and what was forgiven.
    realised_profit: decimalText(sums.realised),
    fees: decimalText(sums.fees),
    funding: decimalText(sums.funding),
    written_off: decimalText(sums.writtenOff),
  }
}

const maxEvents = 1_000

/** Events after the one with a number, oldest first, so many at most. */
export function eventsAfter({ events }: Market, number: number) {
  const first = events[0]?.number ?? 1
  const start = Math.max(0, number + 1 - first)
  const list: readonly MarketEvent[] = events.slice(start, start + maxEvents)
  const last = list.at(-1)?.number ?? number
  return { list, last_event: last, has_more: start + maxEvents < events.length }
}
