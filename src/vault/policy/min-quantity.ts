import { compareDecimals, formatDecimal } from "../../venue/decimal.ts"
import type { Mismatch } from "./decision.ts"
import type { ReadOrder } from "./judged-order.ts"
import { quantityText, symbolText } from "./order-text.ts"
import type { Rule, SizeBound } from "./policy.ts"
import { boundFor } from "./size-bound.ts"
import type { Subject } from "./subject.ts"
import { quantityUnit } from "./worst-case.ts"

/** Holds every order by itself to the rule's `min_quantity` in base units. An amount in quote units can't be compared. */
export function minQuantity({ minQuantity: bound }: Rule, subject: Subject): Mismatch | undefined {
  if (bound === undefined) return undefined
  for (const read of subject.orders ?? []) {
    const mismatch = belowMin(read, bound, subject)
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

function belowMin(read: ReadOrder, bound: SizeBound, subject: Subject): Mismatch | undefined {
  const { order } = read
  const { profile } = subject.circumstances
  const unit = symbolText(order.symbolId, profile.symbols)
  const asked = () => quantityText(order, profile.symbols)

  const min = boundFor(bound, order.symbolId)
  if (min === undefined) {
    return { reason: "symbol_without_min", asked: unit, allowed: "symbols of min_quantity" }
  }
  const counted = quantityUnit(read, profile)
  if (!counted.ok) return { reason: counted.error, asked, allowed: null }
  const allowed = () => `at least ${formatDecimal(min)} in base units`
  if (counted.value === "quote") {
    const inQuote = () => `${formatDecimal(order.quantity)} in quote units of ${unit}`
    return { reason: "quantity_unreadable", asked: inQuote, allowed }
  }
  return compareDecimals(order.quantity, min) < 0
    ? { reason: "quantity_under_min", asked, allowed }
    : undefined
}
