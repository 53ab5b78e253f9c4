import { err, ok, type Result } from "../../../std/result.ts"
import { compareDecimals, formatDecimal } from "../../../venue/decimal.ts"
import type { Mismatch } from "../terms/decision.ts"
import { type ReadOrder, orderText, symbolText, type Subject } from "../judged/judged-order.ts"
import type { Rule, SizeBound } from "../terms/policy.ts"
import { boundFor, overMax, worstNotional, type BoundedAmount } from "./order-size.ts"
import { unsized } from "./unsized.ts"

/**
 * Checks the rule's `max_notional`, in quote units at the worst price: of each order and leg, and of all orders
 * together. In the sum, an order counts as the largest of its entry and legs.
 *
 * Without a fresh reference price every order is refused, even a buy that needs none: when the feed fails, a
 * market maker must not be left with one side only.
 */
export function maxNotional(bound: SizeBound, rule: Rule, subject: Subject): Mismatch | undefined {
  return overMax("notional_over_max", subject, (read) =>
    boundedNotional(read, { rule, bound, subject }),
  )
}

function boundedNotional(
  read: ReadOrder,
  under: { readonly rule: Rule; readonly bound: SizeBound; readonly subject: Subject },
): Result<BoundedAmount, Mismatch> {
  const { order, symbol, reference } = read
  const { profile } = under.subject.circumstances
  const unknown = (why: string) => {
    const asked = `${symbolText(order.symbolId, profile.symbols)}, ${why}`
    return err({ reason: "notional_unknown", asked, allowed: null } as const)
  }
  if (symbol === undefined) return unknown("which venue.yaml's symbols don't list")
  if (reference === undefined) return unknown("which has no fresh reference price")

  const max = boundFor(under.bound, order.symbolId)
  if (max === undefined) {
    return err({
      reason: "symbol_without_max",
      asked: symbol.name,
      allowed: "symbols of max_notional",
    })
  }
  const { priceMatchBand } = under.rule
  const worst = worstNotional(read, { reference, priceMatchBand, profile })
  if (!worst.ok) {
    return err(unsized(worst.error, () => orderText(order, profile.symbols)))
  }
  const { amount, words } = worst.value
  if (compareDecimals(amount, max) > 0) {
    const asked = () => `${formatDecimal(amount)} ${symbol.quote}${words()}`
    return err({ reason: "notional_over_max", asked, allowed: () => formatDecimal(max) })
  }
  // One maximum for all symbols bounds the sum in its unit; a map bounds each symbol by itself.
  const group = under.bound.kind === "scalar" ? symbol.quote : String(order.symbolId)
  return ok({ group, unit: symbol.quote, amount, max })
}
