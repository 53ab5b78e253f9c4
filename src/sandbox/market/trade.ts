// What a trade does to balances and positions.

import { balancesOf } from "../state/accounts.ts"
import { decimalText, readUnits, type MarketSymbol } from "../state/market.ts"
import { recordEnded, recordExecution, type OpenOrder } from "../state/records.ts"
import {
  marketAccount,
  positionKey,
  positionOf,
  quoteAsset,
  recordEvent,
  symbolOf,
} from "./market.ts"
import type { Deal } from "./matching.ts"
import { restOf, sideOf } from "./order-facts.ts"
import { afterFill, product, shareOf } from "./positions.ts"
import { baseOf } from "./price-path.ts"
import { keepAccount, keepOrder } from "./versions.ts"
import type { Market } from "../state/market-state.ts"

/** What trading costs, in ten-thousandths of the value: for who waited, for who didn't, and in a liquidation. */
export const feeRates = { maker: 2n, taker: 5n, liquidation: 50n } as const

export type Liquidity = keyof typeof feeRates

/** Trades a part of an order, and returns the order as it is then. Whether it ends is the caller's to see. */
export function trade(
  market: Market,
  order: OpenOrder,
  { quantity, price, ...how }: Deal & { readonly liquidity: Liquidity; readonly atMs: number },
): OpenOrder {
  const { account_address: account, is_buy } = order
  const symbol = symbolOf(order.symbol_id)
  const fee = shareOf(product(quantity, price), feeRates[how.liquidity], 10_000n)
  const signed = is_buy === true ? quantity : -quantity
  const { sums } = marketAccount(market, account)
  sums.fees += fee
  pay(market, account, { asset: quoteAsset, units: -fee })
  if (symbol.market === "spot") swap(market, account, { symbol, signed, price })
  else changePosition(market, order, { symbol, signed, price })
  keepAccount(market, account, how.atMs)
  record(market, order, { quantity, price, fee, ...how })
  const filled = readUnits(order.filled_quantity ?? "0") + quantity
  return { ...order, filled_quantity: decimalText(filled) }
}

/** Adds units to a balance, or takes them away where they are below zero. */
export function pay(
  { funds }: Market,
  account: string,
  { asset, units }: { readonly asset: string; readonly units: bigint },
): void {
  const balances = balancesOf(funds, account)
  balances.set(asset, (balances.get(asset) ?? 0n) + units)
}

/** Takes an order out of the book, filled or not. */
export function endOrder(market: Market, order: OpenOrder, atMs: number): void {
  const state = restOf(order) === 0n ? "filled" : "cancelled"
  market.book.orders.delete(order.order_id)
  recordEnded(market.records, order, { state, nowMs: atMs })
  noteEnd(market, order, { state, atMs })
}

/** Remembers that an order is out of the book. */
export function noteEnd(
  market: Market,
  { order_id, account_address, filled_quantity }: OpenOrder,
  { state, atMs }: { readonly state: "filled" | "cancelled"; readonly atMs: number },
): void {
  keepOrder(market, order_id, { atMs, value: undefined })
  const event = { kind: "ended", at_ms: atMs, account_address } as const
  recordEvent(market, { ...event, order_id, state, filled_quantity })
}

type Change = { readonly symbol: MarketSymbol; readonly signed: bigint; readonly price: bigint }

function swap(market: Market, account: string, { symbol, signed, price }: Change): void {
  pay(market, account, { asset: baseOf(symbol), units: signed })
  pay(market, account, { asset: quoteAsset, units: -product(signed, price) })
}

function changePosition(market: Market, order: OpenOrder, { symbol, signed, price }: Change): void {
  const { account_address: account } = order
  const side = sideOf(order)
  const { positions, sums } = marketAccount(market, account)
  const held = positionOf(market, account, { symbol, side })
  const { position, realised } = afterFill(held, { quantity: signed, price })
  sums.realised += realised
  pay(market, account, { asset: quoteAsset, units: realised })
  const key = positionKey(symbol, side)
  if (position.quantity === 0n) positions.delete(key)
  else positions.set(key, { ...position, symbol, side })
}

function record(
  market: Market,
  order: OpenOrder,
  deal: Deal & { readonly fee: bigint; readonly liquidity: Liquidity; readonly atMs: number },
): void {
  const { order_id, account_address, symbol_id, is_buy, position_side } = order
  const quantity = decimalText(deal.quantity)
  const price = decimalText(deal.price)
  const fee = decimalText(deal.fee)
  recordExecution(market.records, order, { quantity, price, fee, record_time: deal.atMs })
  const event = { kind: "filled", at_ms: deal.atMs, account_address, order_id } as const
  const what = { symbol_id, is_buy, position_side, quantity, price, fee }
  recordEvent(market, { ...event, ...what, liquidity: deal.liquidity })
  market.say(`order ${order_id} ${is_buy === true ? "buys" : "sells"} ${quantity} at ${price}`)
}
