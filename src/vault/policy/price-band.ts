import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  type Decimal,
} from "../../venue/decimal.ts"
import type { Mismatch } from "./decision.ts"
import type { JudgedOrder, ReadOrder } from "./judged-order.ts"
import { orderText, symbolText } from "./order-text.ts"
import type { Rule } from "./policy.ts"
import type { Subject } from "./subject.ts"
import { isPriceReadable, partPrices } from "./worst-case.ts"

/**
 * Holds every price that an order writes, and those of its triggers and legs, to the rule's `price_band`
 * around the reference price, its edges included. Without a fresh one it refuses.
 *
 * A price that the venue picks (`price_match`) is taken to lie within the rule's `price_match_band`. A
 * market order writes no price: `max_slippage` bounds it.
 */
export function priceBand(rule: Rule, subject: Subject): Mismatch | undefined {
  const { priceBand: band } = rule
  if (band === undefined) return undefined
  for (const read of subject.orders ?? []) {
    const mismatch = outsideBand(read, { rule, band, subject })
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

type Under = { readonly rule: Rule; readonly band: Decimal; readonly subject: Subject }

function outsideBand(read: ReadOrder, under: Under): Mismatch | undefined {
  const { order, parts } = read
  const { referencePrice, profile } = under.subject.circumstances
  const reference = referencePrice(order.symbolId)
  if (reference === undefined) {
    const asked = () =>
      `${symbolText(order.symbolId, profile.symbols)}, which has no fresh reference price`
    return { reason: "reference_price_unknown", asked, allowed: null }
  }
  if (!isPriceReadable(order)) {
    const asked = () => `${orderText(order, profile.symbols)}, whose price can't be read`
    return { reason: "order_unreadable", asked, allowed: null }
  }
  return matchedOutside(read, under) ?? writtenOutside(parts, reference, under.band)
}

function matchedOutside(
  { order }: ReadOrder,
  { rule, band, subject }: Under,
): Mismatch | undefined {
  if (order.priceMatch === undefined) return undefined
  const { symbols } = subject.circumstances.profile
  const { priceMatchBand } = rule
  if (priceMatchBand === undefined) {
    const asked = () => orderText(order, symbols)
    return { reason: "price_match_band_required", asked, allowed: null }
  }
  if (compareDecimals(priceMatchBand, band) <= 0) return undefined
  const asked = () =>
    `${orderText(order, symbols)} within the price_match_band ${formatDecimal(priceMatchBand)}`
  return { reason: "price_outside_band", asked, allowed: () => `a band of ${formatDecimal(band)}` }
}

function writtenOutside(
  parts: readonly JudgedOrder[],
  reference: Decimal,
  band: Decimal,
): Mismatch | undefined {
  const most = multiplyDecimals(reference, band)
  const odd = parts.flatMap(partPrices).find(({ price }) => !isWithin(price, { reference, most }))
  return (
    odd && {
      reason: "price_outside_band",
      asked: odd.words,
      allowed: () =>
        `within ${formatDecimal(most)} of the reference price ${formatDecimal(reference)}`,
    }
  )
}

/** Decimals have no sign, so nothing is subtracted. */
function isWithin(
  price: Decimal,
  { reference, most }: { readonly reference: Decimal; readonly most: Decimal },
): boolean {
  const isHighEnough = compareDecimals(addDecimals(price, most), reference) >= 0
  return isHighEnough && compareDecimals(price, addDecimals(reference, most)) <= 0
}
