// What the market would trade with an order. There is no other side: each order meets a book that is made for it from the
// price of its second. All of it is invented.

import { readUnits } from "../state/market.ts"
import { luckOf } from "./luck.ts"
import { least, shareOf } from "./positions.ts"

/** The market in one symbol at one second. */
export type Quote = {
  readonly seed: number
  readonly symbolId: number
  readonly second: number
  readonly price: bigint
}

/** A part of an order that is traded. */
export type Deal = { readonly quantity: bigint; readonly price: bigint }

/** Each level of the book is so much worse than the one before it, the first so much worse than the price. */
const levelShare = 10_000n
const maxLevels = 500
/** About what a level holds, in quote units. */
const levelValue = 100_000
const lot = readUnits("0.0001")
const hundredth = readUnits("0.01")
const finest = readUnits("0.00000001")
const unit = readUnits("1")

/** The price at which a buyer or a seller trades at once, `level` levels deep. */
export function bookPrice({ price }: Quote, isBuy: boolean, level: number): bigint {
  const away = shareOf(price, BigInt(level + 1), levelShare)
  const step = price >= unit ? hundredth : finest
  if (isBuy) return ((price + away + step - 1n) / step) * step
  return least(price, ((price - away) / step) * step)
}

/** Whether a price is as good for the order as its limit, or better. */
export function isWithin(isBuy: boolean, price: bigint, limit: bigint): boolean {
  return isBuy ? price <= limit : price >= limit && price > 0n
}

/** What an order trades as it comes: level by level, as far as its limit. */
export function dealsAtOnce(
  quote: Quote,
  order: { readonly isBuy: boolean; readonly quantity: bigint; readonly limit: bigint },
): readonly Deal[] {
  const deals: Deal[] = []
  let rest = order.quantity
  for (let level = 0; level < maxLevels && rest > 0n; level += 1) {
    const price = bookPrice(quote, order.isBuy, level)
    if (!isWithin(order.isBuy, price, order.limit)) break
    const quantity = least(rest, depthOf(quote, order.isBuy, level))
    deals.push({ quantity, price })
    rest -= quantity
  }
  return deals
}

function depthOf({ seed, symbolId, second, price }: Quote, isBuy: boolean, level: number): bigint {
  const luck = luckOf(seed, "depth", symbolId, second, String(isBuy), level)
  const value = readUnits(String(Math.floor(levelValue * (0.2 + luck))))
  const lots = (value * unit) / price / lot
  return lots === 0n ? lot : lots * lot
}

/** An order that rests lies there for so long before it can trade: the venue's queue. */
const maxWaitMs = 3_000

/** What of an order that rests is traded in this second, at its own price. */
export function dealAtRest(
  quote: Quote,
  order: {
    readonly orderId: string
    readonly isBuy: boolean
    readonly quantity: bigint
    readonly rest: bigint
    readonly limit: bigint
    readonly restsForMs: number
  },
): Deal | undefined {
  const { seed, second } = quote
  const { orderId, isBuy, quantity, rest, limit, restsForMs } = order
  if (restsForMs < maxWaitMs * luckOf(seed, "wait", orderId)) return undefined
  if (!isWithin(isBuy, bookPrice(quote, isBuy, 0), limit)) return undefined
  // Where the market is far beyond its price all is traded, where it only touches it a part.
  const isFarBeyond = isWithin(isBuy, bookPrice(quote, isBuy, 4), limit)
  const percent = isFarBeyond ? 100 : 20 + Math.floor(80 * luckOf(seed, "part", orderId, second))
  const part = (shareOf(rest, BigInt(percent), 100n) / finest) * finest
  const isSmall = part === 0n || (rest - part) * 10n < quantity
  return { quantity: isSmall ? rest : part, price: limit }
}
