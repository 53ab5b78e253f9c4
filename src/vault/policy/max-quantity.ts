import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, formatDecimal } from "../../venue/decimal.ts"
import type { Mismatch } from "./decision.ts"
import type { ReadOrder } from "./judged-order.ts"
import { quantityText, symbolText } from "./order-text.ts"
import type { Rule, SizeBound } from "./policy.ts"
import { boundFor, overMax, type BoundedAmount } from "./size-bound.ts"
import type { Subject } from "./subject.ts"
import { quantityUnit } from "./worst-case.ts"

/**
 * Holds every order, and the orders of each symbol together, to the rule's `max_quantity` in base units.
 *
 * An amount in quote units never counts against it: with a `max_notional` beside it that one decides, and
 * without one the order is refused.
 */
export function maxQuantity(rule: Rule, subject: Subject): Mismatch | undefined {
  const { maxQuantity: bound } = rule
  if (bound === undefined) return undefined
  return overMax("quantity_over_max", subject, (read) =>
    boundedQuantity(read, { rule, bound, subject }),
  )
}

function boundedQuantity(
  read: ReadOrder,
  under: { readonly rule: Rule; readonly bound: SizeBound; readonly subject: Subject },
): Result<BoundedAmount | undefined, Mismatch> {
  const { order } = read
  const { profile } = under.subject.circumstances
  const name = symbolText(order.symbolId, profile.symbols)
  const asked = () => quantityText(order, profile.symbols)

  const max = boundFor(under.bound, order.symbolId)
  if (max === undefined) {
    return err({ reason: "symbol_without_max", asked: name, allowed: "symbols of max_quantity" })
  }
  const unit = quantityUnit(read, profile)
  if (!unit.ok) return err({ reason: unit.error, asked, allowed: null })
  if (unit.value === "quote") {
    if (under.rule.maxNotional !== undefined) return ok(undefined)
    return err({
      reason: "quantity_unreadable",
      asked: () => `${formatDecimal(order.quantity)} in quote units of ${name}`,
      allowed: () => `${formatDecimal(max)} in base units`,
    })
  }
  if (compareDecimals(order.quantity, max) > 0) {
    return err({ reason: "quantity_over_max", asked, allowed: () => formatDecimal(max) })
  }
  return ok({ group: String(order.symbolId), unit: name, amount: order.quantity, max })
}
