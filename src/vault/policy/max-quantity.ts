import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, formatDecimal } from "../../venue/decimal.ts"
import type { Mismatch } from "./decision.ts"
import type { DenialReason } from "./denial-reason.ts"
import type { ReadOrder } from "./judged-order.ts"
import { quantityText, symbolText } from "./order-text.ts"
import type { Rule, SizeBound } from "./policy.ts"
import { boundFor, sumOverMax, type BoundedAmount } from "./size-bound.ts"
import type { RuleTest, Subject } from "./subject.ts"
import { quantityUnit } from "./worst-case.ts"

/**
 * Holds every order, and the orders of each symbol together, to the rule's `max_quantity` in base units.
 *
 * An amount in quote units never counts against it: with a `max_notional` beside it that one decides, and
 * without one the order is refused.
 */
export function maxQuantity(subject: Subject): RuleTest {
  const orders = subject.orders?.map((read) => counted(read, subject)) ?? []
  return (rule) => {
    if (rule.maxQuantity === undefined) return undefined
    const amounts: BoundedAmount[] = []
    for (const order of orders) {
      const amount = boundedQuantity(order, { rule, bound: rule.maxQuantity, subject })
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
}

/** An order with the name of its symbol and the unit that its quantity is in. */
type Counted = {
  readonly order: ReadOrder["order"]
  readonly name: string
  readonly unit: Result<"base" | "quote", DenialReason>
}

function counted(read: ReadOrder, { circumstances }: Subject): Counted {
  const { order } = read
  const { profile } = circumstances
  const name = symbolText(order.symbolId, profile.symbols)
  return { order, name, unit: quantityUnit(read, profile) }
}

function boundedQuantity(
  { order, name, unit }: Counted,
  under: { readonly rule: Rule; readonly bound: SizeBound; readonly subject: Subject },
): Result<BoundedAmount | undefined, Mismatch> {
  const asked = () => quantityText(order, under.subject.circumstances.profile.symbols)

  const max = boundFor(under.bound, order.symbolId)
  if (max === undefined) {
    return err({ reason: "symbol_without_max", asked: name, allowed: "symbols of max_quantity" })
  }
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
