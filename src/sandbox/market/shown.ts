// Positions and worth as reads show them. All records are invented.

import { decimalText } from "../state/market.ts"
import type { AccountView, HeldPosition, Market } from "../state/market-state.ts"
import { worthOf } from "./margin.ts"
import { priceAt, quoteAsset } from "./market.ts"
import { entryPrice, unrealised } from "./positions.ts"

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
