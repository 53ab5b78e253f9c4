import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, formatDecimal } from "../../venue/decimal.ts"
import type { Mismatch } from "./decision.ts"
import type { ReadOrder } from "./judged-order.ts"
import { quantityText, symbolText } from "./order-text.ts"
import type { Rule, SizeBound } from "./policy.ts"
import { boundFor, sumOverMax, type BoundedAmount } from "./size-bound.ts"
import type { Subject } from "./subject.ts"
import { quantityUnit } from "./worst-case.ts"

/**
 * Holds every order, and the orders of each symbol together, to the rule's `max_quantity` in base units.
 *
 * An amount in quote units never counts against it: with a `max_notional` beside it that one decides, and
 * without one the order is refused.
 */
export function maxQuantity(rule: Rule, subject: Subject): Mismatch | undefined {
  if (rule.maxQuantity === undefined || subject.orders === undefined) return undefined
  const amounts: BoundedAmount[] = []
  for (const read of subject.orders) {
    const amount = boundedQuantity(read, { rule, bound: rule.maxQuantity, subject })
    if (!amount.ok) return amount.error
    if (amount.value !== undefined) amounts.push(amount.value)
  }
  const over = sumOverMax(amounts)
  if (over === undefined) return undefined
  return {
    reason: "quantity_over_max",
    asked: () => `${formatDecimal(over.amount)} ${over.unit} (${over.count} orders together)`,
    allowed: () => formatDecimal(over.max),
  }
}

function boundedQuantity(
  read: ReadOrder,
  under: { readonly rule: Rule; readonly bound: SizeBound; readonly subject: Subject },
): Result<BoundedAmount | undefined, Mismatch> {
  const { order } = read
  const { profile } = under.subject.circumstances
  const unit = symbolText(order.symbolId, profile.symbols)
  const asked = () => quantityText(order, profile.symbols)

  const max = boundFor(under.bound, order.symbolId)
  if (max === undefined) {
    return err({ reason: "symbol_without_max", asked: unit, allowed: "symbols of max_quantity" })
  }
  const counted = quantityUnit(read, profile)
  if (!counted.ok) return err({ reason: counted.error, asked, allowed: null })
  if (counted.value === "quote") {
    if (under.rule.maxNotional !== undefined) return ok(undefined)
    return err({
      reason: "quantity_unreadable",
      asked: `${formatDecimal(order.quantity)} in quote units of ${unit}`,
      allowed: `${formatDecimal(max)} in base units`,
    })
  }
  if (compareDecimals(order.quantity, max) > 0) {
    return err({ reason: "quantity_over_max", asked, allowed: () => formatDecimal(max) })
  }
  return ok({ group: String(order.symbolId), unit, amount: order.quantity, max })
}
