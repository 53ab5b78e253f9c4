// What happens in a market while nobody asks: second by second, orders that rest are traded, funding is paid, and accounts
// that can't bear their positions are liquidated.

import { decimalText, readUnits } from "../state/market.ts"
import { nextOrderId, orderRecord, type OpenOrder } from "../state/records.ts"
import { luckOf } from "./luck.ts"
import { worthOf } from "./margin.ts"
import {
  marketAccount,
  priceAt,
  quoteAsset,
  quoteOf,
  recordEvent,
  settingsIn,
  symbolOf,
} from "./market.ts"
import { dealAtRest, type Deal } from "./matching.ts"
import { closable, isWaiting, ownOrders, restOf } from "./order-facts.ts"
import { least, product, shareOf, size } from "./positions.ts"
import { baseOf } from "./price-path.ts"
import { endOrder, pay, trade } from "./trade.ts"
import { currentView, keepAccount, keepOrder } from "./versions.ts"
import type { HeldPosition, Market, MarketAccount } from "../state/market-state.ts"

/** Funding is paid so often: invented, and short, so that an afternoon sees it. */
export const fundingSeconds = 60

/** Plays all seconds up to `nowMs`. When it is called makes no difference to what happens. */
export function advanceMarket(market: Market, nowMs: number): void {
  const last = Math.floor((nowMs - market.startMs) / 1_000)
  while (market.second < last) {
    market.second += 1
    playSecond(market, market.startMs + market.second * 1_000)
  }
}

function playSecond(market: Market, atMs: number): void {
  for (const order of Array.from(market.book.orders.values())) tradeResting(market, order, atMs)
  if (market.second % fundingSeconds === 0) payFunding(market, atMs)
  for (const [account] of byAddress(market)) liquidateIfDue(market, account, atMs)
}

/** Accounts in an order that doesn't tell who was looked at first. */
function byAddress({ accounts }: Market): readonly (readonly [string, MarketAccount])[] {
  return Array.from(accounts).sort(([left], [right]) => (left < right ? -1 : 1))
}

function tradeResting(market: Market, order: OpenOrder, atMs: number): void {
  if (isWaiting(order) || typeof order.price !== "string") return
  const most = closable(market, order)
  const met = dealAtRest(quoteOf(market, symbolOf(order.symbol_id)), {
    orderId: order.order_id,
    isBuy: order.is_buy === true,
    quantity: readUnits(String(order.quantity)),
    rest: restOf(order),
    limit: readUnits(order.price),
    restsForMs: atMs - order.created_at,
  })
  if (most === 0n)
    endOrder(market, order, atMs) // there is nothing left that it could close
  else if (met !== undefined) tradePart(market, order, { ...met, most, atMs })
}

function tradePart(
  market: Market,
  order: OpenOrder,
  {
    atMs,
    most,
    price,
    ...met
  }: Deal & { readonly most: bigint | undefined; readonly atMs: number },
): void {
  const deal = { quantity: least(met.quantity, most ?? met.quantity), price }
  if (!canPay(market, order, deal)) {
    endOrder(market, order, atMs)
    return
  }
  const traded = trade(market, order, { ...deal, liquidity: "maker", atMs })
  if (restOf(traded) === 0n) {
    endOrder(market, traded, atMs)
    return
  }
  market.book.orders.set(traded.order_id, traded)
  keepOrder(market, traded.order_id, { atMs, value: traded })
}

/** Whether a spot order's account still holds what it was to pay with; positions have their margin instead. */
function canPay({ funds }: Market, order: OpenOrder, { quantity, price }: Deal): boolean {
  const symbol = symbolOf(order.symbol_id)
  if (symbol.market === "perp") return true
  const isBuy = order.is_buy === true
  const held = funds.get(order.account_address)?.get(isBuy ? quoteAsset : baseOf(symbol)) ?? 0n
  return held >= (isBuy ? product(quantity, price) : quantity)
}

/** Who is long pays who is short, or the other way, by the second's luck. */
function payFunding(market: Market, atMs: number): void {
  for (const [account, { positions, sums }] of byAddress(market)) {
    for (const { symbol, side, quantity } of positions.values()) {
      const rate = fundingRate(market, symbol.id)
      const value = product(quantity, priceAt(market, symbol, atMs))
      const units = -shareOf(value, rate, 1_000_000n)
      sums.funding += units
      pay(market, account, { asset: quoteAsset, units })
      const event = { kind: "funding", at_ms: atMs, account_address: account } as const
      const what = { symbol_id: symbol.id, position_side: side, amount: decimalText(units) }
      recordEvent(market, { ...event, ...what })
    }
    if (positions.size > 0) keepAccount(market, account, atMs)
  }
}

/** In millionths. */
function fundingRate({ seed, second, path }: Market, symbolId: number): bigint {
  const luck = luckOf(seed, "funding", symbolId, second) * 2 - 1
  return BigInt(Math.round(luck * path.maxFunding))
}

/** Closes all positions of an account that is worth less than they need, at the second's price; what is owed then is forgiven. */
function liquidateIfDue(market: Market, account: string, atMs: number): void {
  const { positions } = marketAccount(market, account)
  if (positions.size === 0) return
  const worth = worthOf(market, currentView(market, account), atMs)
  if (worth.marginBalance >= worth.maintenanceMargin) return
  const event = { kind: "liquidated", at_ms: atMs, account_address: account } as const
  const margin_balance = decimalText(worth.marginBalance)
  recordEvent(market, { ...event, margin_balance })
  market.say(`account ${account} liquidated with ${margin_balance} ${quoteAsset}`)
  for (const order of ownOrders(market, account)) endOrder(market, order, atMs)
  for (const position of Array.from(positions.values())) {
    closePosition(market, account, { position, atMs })
  }
  settle(market, account, atMs)
}

function closePosition(
  market: Market,
  account: string,
  { position, atMs }: { readonly position: HeldPosition; readonly atMs: number },
): void {
  const { symbol, side, quantity } = position
  const body = {
    symbol_id: symbol.id,
    is_buy: quantity < 0n,
    order_type: "market",
    quantity: decimalText(size(quantity)),
  }
  const orderId = nextOrderId(market.book)
  const order: OpenOrder = {
    ...orderRecord(body, { orderId, account, nowMs: atMs }),
    ...{ filled_quantity: "0", reduce_only: true, position_side: side, is_waiting: false },
  }
  const price = priceAt(market, symbol, atMs)
  const deal = { quantity: size(quantity), price, liquidity: "liquidation", atMs } as const
  endOrder(market, trade(market, order, deal), atMs)
}

/** Isolated margin goes back to the balance, which then isn't below zero. */
function settle(market: Market, account: string, atMs: number): void {
  const { margin } = settingsIn(market, account)
  for (const units of margin.values()) pay(market, account, { asset: quoteAsset, units })
  margin.clear()
  const left = market.funds.get(account)?.get(quoteAsset) ?? 0n
  if (left < 0n) {
    marketAccount(market, account).sums.writtenOff -= left
    pay(market, account, { asset: quoteAsset, units: -left })
    const event = { kind: "written_off", at_ms: atMs, account_address: account } as const
    recordEvent(market, { ...event, amount: decimalText(-left) })
  }
  keepAccount(market, account, atMs)
}
