import { err, ok, type Result } from "../../std/result.ts"
import {
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  subtractDecimals,
  type Decimal,
} from "../../venue/decimal.ts"
import type { Mismatch } from "./decision.ts"
import type { ReadOrder } from "./judged-order.ts"
import { orderText, symbolText } from "./order-text.ts"
import type { Rule } from "./policy.ts"
import type { RuleTest, Subject } from "./subject.ts"
import { isPriceReadable, partPrices, type WorstPrice } from "./worst-case.ts"

/**
 * Holds every price that an order writes, and those of its triggers and legs, to the rule's `price_band`
 * around the reference price, its edges included. Without a fresh one it refuses.
 *
 * A price that the venue picks (`price_match`) is taken to lie within the rule's `price_match_band`. A
 * market order writes no price: `max_slippage` bounds it.
 */
export function priceBand(subject: Subject): RuleTest {
  const { symbols } = subject.circumstances.profile
  const orders = (subject.orders ?? []).map((read) => ({ read, written: writtenBy(read, subject) }))
  return ({ priceBand: band, priceMatchBand }) => {
    if (band === undefined) return undefined
    for (const { read, written } of orders) {
      if (!written.ok) return written.error
      const mismatch =
        (read.order.priceMatch && matchedOutside(read, { band, priceMatchBand, symbols })) ??
        writtenOutside(written.value, band)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }
}

/** The prices that an order writes, with how far they are from the reference price. */
type Written = {
  readonly reference: Decimal
  readonly prices: readonly (WorstPrice & { readonly distance: Decimal })[]
}

function writtenBy(
  { order, parts }: ReadOrder,
  { circumstances }: Subject,
): Result<Written, Mismatch> {
  const { referencePrice, profile } = circumstances
  const reference = referencePrice(order.symbolId)
  if (reference === undefined) {
    const asked = () =>
      `${symbolText(order.symbolId, profile.symbols)}, which has no fresh reference price`
    return err({ reason: "reference_price_unknown", asked, allowed: null })
  }
  if (!isPriceReadable(order)) {
    const asked = () => `${orderText(order, profile.symbols)}, whose price can't be read`
    return err({ reason: "order_unreadable", asked, allowed: null })
  }
  const prices = parts
    .flatMap(partPrices)
    .map(({ price, words }) => ({ price, words, distance: distanceOf(price, reference) }))
  return ok({ reference, prices })
}

function matchedOutside(
  { order }: ReadOrder,
  {
    band,
    priceMatchBand,
    symbols,
  }: {
    readonly band: Decimal
    readonly priceMatchBand: Rule["priceMatchBand"]
    readonly symbols: Subject["circumstances"]["profile"]["symbols"]
  },
): Mismatch | undefined {
  if (priceMatchBand === undefined) {
    const asked = () => orderText(order, symbols)
    return { reason: "price_match_band_required", asked, allowed: null }
  }
  if (compareDecimals(priceMatchBand, band) <= 0) return undefined
  const asked = () =>
    `${orderText(order, symbols)} within the price_match_band ${formatDecimal(priceMatchBand)}`
  return { reason: "price_outside_band", asked, allowed: () => `a band of ${formatDecimal(band)}` }
}

function writtenOutside({ reference, prices }: Written, band: Decimal): Mismatch | undefined {
  const most = multiplyDecimals(reference, band)
  const odd = prices.find(({ distance }) => compareDecimals(distance, most) > 0)
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
