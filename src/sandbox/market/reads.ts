// Reads that are there with a market alone. Paths and records are invented.

import { ok } from "../../std/result.ts"
import { forAccount } from "../reads.ts"
import { decimalText } from "../state/market.ts"
import type { Read } from "../state/venue.ts"
import { initialMargin, worthOf } from "./margin.ts"
import { priceAt, quoteAsset, type AccountView, type HeldPosition, type Market } from "./market.ts"
import { entryPrice, unrealised } from "./positions.ts"
import { viewAt } from "./versions.ts"

/** Where they are, all GET. */
export const marketReadPaths = {
  positions: "/v1/account/positions",
  equity: "/v1/account/equity",
} as const

/** `GET /v1/account/positions?account_address=` */
const readPositions: Read = (query, turn) => {
  const { venue, asOfMs = turn.nowMs } = turn
  const { market } = venue
  if (market === undefined) return ok({ data: { list: [] }, note: "no market" })
  return forAccount(query, venue, (account) => {
    const { positions } = viewAt(market, account, turn.asOfMs)
    const list = positions.map((position) => positionRecord(market, position, asOfMs))
    return { data: { list, record_time: asOfMs }, note: `${list.length} positions` }
  })
}

/** `GET /v1/account/equity?account_address=` */
const readEquity: Read = (query, turn) => {
  const { venue, asOfMs = turn.nowMs } = turn
  const { market } = venue
  if (market === undefined) return ok({ data: {}, note: "no market" })
  return forAccount(query, venue, (account) => {
    const view = viewAt(market, account, turn.asOfMs)
    const worth = worthRecord(market, view, asOfMs)
    const bound = decimalText(initialMargin(market, account, view))
    return {
      data: { ...worth, initial_margin: bound, record_time: asOfMs },
      note: `equity ${worth.equity} ${quoteAsset}`,
    }
  })
}

export const marketReads: ReadonlyMap<string, Read> = new Map([
  [marketReadPaths.positions, readPositions],
  [marketReadPaths.equity, readEquity],
])

/** A position as reads show it: its quantity is below zero when it is short. */
export function positionRecord(market: Market, position: HeldPosition, atMs: number) {
  const price = priceAt(market, position.symbol, atMs)
  return {
    symbol_id: position.symbol.id,
    position_side: position.side,
    quantity: decimalText(position.quantity),
    entry_price: decimalText(entryPrice(position)),
    mark_price: decimalText(price),
    unrealised_profit: decimalText(unrealised(position, price)),
  }
}

/** What an account is worth, as reads show it. */
export function worthRecord(market: Market, view: AccountView, atMs: number) {
  const worth = worthOf(market, view, atMs)
  return {
    currency: quoteAsset,
    equity: decimalText(worth.equity),
    margin_balance: decimalText(worth.marginBalance),
    unrealised_profit: decimalText(worth.unrealised),
    maintenance_margin: decimalText(worth.maintenanceMargin),
  }
}
