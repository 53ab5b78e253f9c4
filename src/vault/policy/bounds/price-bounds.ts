import {
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  subtractDecimals,
  type Decimal,
} from "../../../venue/decimal.ts"
import type { Order } from "../../../venue/payload/payload.ts"
import type { SymbolTable } from "../../../venue/profile.ts"
import {
  type ReadOrder,
  orderText,
  symbolText,
  type Subject,
  type JudgedOrder,
  mayBeMarket,
  partText,
} from "../match/judged-request.ts"
import { ofOrder, type Mismatch } from "../terms/decision.ts"
import type { Rule } from "../terms/policy.ts"
import { partPrices, isPriceReadable } from "./order-size.ts"
import { unsized } from "./size-bounds.ts"

/**
 * Checks the rule's `price_band` on every price in an order, its triggers and its legs. The band is around the
 * reference price and includes its edges. Without a fresh reference price it refuses.
 *
 * A price that the venue picks (`price_match`) is assumed to lie within the rule's `price_match_band`. A
 * market order has no price; `max_slippage` bounds it.
 */
export function priceBand(
  band: Decimal,
  { priceMatchBand }: Rule,
  { orders = [], circumstances }: Subject,
): Mismatch | undefined {
  const { symbols } = circumstances.profile
  for (const read of orders) {
    const mismatch = outsideBand(read, { band, priceMatchBand, symbols })
    if (mismatch !== undefined) return ofOrder(read.order, mismatch)
  }
  return undefined
}

type Under = {
  readonly band: Decimal
  readonly priceMatchBand: Decimal | undefined
  readonly symbols: SymbolTable
}

function outsideBand(read: ReadOrder, under: Under): Mismatch | undefined {
  const { order, reference } = read
  const words = () => orderText(order, under.symbols)
  if (reference === undefined) {
    const asked = () =>
      `${symbolText(order.symbolId, under.symbols)}, which has no fresh reference price`
    return { reason: "reference_price_unknown", asked, allowed: null }
  }
  if (!isPriceReadable(order)) {
    const asked = () => `${words()}, whose price can't be read`
    return { reason: "order_unreadable", asked, allowed: null }
  }
  const matched = order.priceMatch && matchedOutside(words, under)
  if (matched !== undefined) return matched
  return read.references
    .map((each) => writtenOutside(read, each, under.band))
    .find((mismatch) => mismatch !== undefined)
}

function matchedOutside(
  words: () => string,
  { band, priceMatchBand }: Under,
): Mismatch | undefined {
  if (priceMatchBand === undefined) {
    return unsized("price_match_band_required", words)
  }
  if (compareDecimals(priceMatchBand, band) <= 0) return undefined
  const asked = () => `${words()} within the price_match_band ${formatDecimal(priceMatchBand)}`
  return { reason: "price_outside_band", asked, allowed: () => `a band of ${formatDecimal(band)}` }
}

function writtenOutside(
  { parts }: ReadOrder,
  reference: Decimal,
  band: Decimal,
): Mismatch | undefined {
  const most = multiplyDecimals(reference, band)
  const odd = parts
    .flatMap(partPrices)
    .find(({ price }) => compareDecimals(distanceOf(price, reference), most) > 0)
  return (
    odd && {
      reason: "price_outside_band",
      asked: odd.words,
      allowed: () =>
        `within ${formatDecimal(most)} of the reference price ${formatDecimal(reference)}`,
    }
  )
}

/** Decimals have no sign, so the smaller one is taken from the larger. */
function distanceOf(a: Decimal, b: Decimal): Decimal {
  return compareDecimals(a, b) < 0 ? subtractDecimals(b, a) : subtractDecimals(a, b)
}

/**
 * Checks the rule's `max_slippage` on everything that may become a market order. One without slippage is refused. So is
 * a leg that becomes a market order: the interface doesn't say that the order's slippage applies to it.
 */
export function maxSlippage(max: Decimal, _: Rule, { parts }: Subject): Mismatch | undefined {
  for (const part of parts) {
    if (!mayBeMarket(part)) continue
    const mismatch = part.leg === undefined ? entrySlippage(part.order, max) : legSlippage(part)
    if (mismatch !== undefined) return ofOrder(part.order, mismatch)
  }
  return undefined
}

function entrySlippage({ slippage }: Order, max: Decimal): Mismatch | undefined {
  if (slippage === undefined) {
    const allowed = () => `with slippage, at most "${formatDecimal(max)}"`
    return { reason: "slippage_required", asked: "no slippage", allowed }
  }
  if (compareDecimals(slippage, max) <= 0) return undefined
  const allowed = () => `slippage of at most ${formatDecimal(max)}`
  return { reason: "slippage_over_max", asked: () => formatDecimal(slippage), allowed }
}

function legSlippage(part: JudgedOrder): Mismatch {
  const asked = `${partText(part)}no slippage of its own`
  return { reason: "slippage_required", asked, allowed: "a limit leg, or none" }
}
