import { err, ok, type Result } from "../../../std/result.ts"
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  type Decimal,
} from "../../../venue/decimal.ts"
import {
  type ReadOrder,
  quantityText,
  symbolText,
  type Subject,
  orderText,
} from "../match/judged-request.ts"
import { ofOrder, type Mismatch, type DenialReason } from "../terms/decision.ts"
import type { Rule, SizeBound } from "../terms/policy.ts"
import { quantityUnit, worstNotional } from "./order-size.ts"

/**
 * Checks the rule's `max_quantity` in base units: of every order, and of all orders of a symbol together.
 *
 * It can't measure an amount in quote units: if the rule has a `max_notional` too, that one decides; if not,
 * the order is refused.
 */
export function maxQuantity(bound: SizeBound, rule: Rule, subject: Subject): Mismatch | undefined {
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
  if (!unit.ok) return err(unsized(unit.error, asked))
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

/** Checks the rule's `min_quantity` in base units of every order. An amount in quote units can't be compared. */
export function minQuantity(bound: SizeBound, _: Rule, subject: Subject): Mismatch | undefined {
  for (const read of subject.orders ?? []) {
    const mismatch = belowMin(read, bound, subject)
    if (mismatch !== undefined) return ofOrder(read.order, mismatch)
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
  if (!counted.ok) return unsized(counted.error, asked)
  const allowed = () => `at least ${formatDecimal(min)} in base units`
  if (counted.value === "quote") {
    const inQuote = () => `${formatDecimal(order.quantity)} in quote units of ${unit}`
    return { reason: "quantity_unreadable", asked: inQuote, allowed }
  }
  return compareDecimals(order.quantity, min) < 0
    ? { reason: "quantity_under_min", asked, allowed }
    : undefined
}

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

/** The amount of `bound` for a symbol; `undefined` when it has none. */
export function boundFor(bound: SizeBound, symbolId: number): Decimal | undefined {
  if (bound.kind === "scalar") return bound.amount
  return bound.amountBySymbol.get(symbolId) ?? bound.defaultAmount
}

/** Why an order can't be sized, and what to send then. */
export function unsized(reason: DenialReason, asked: () => string): Mismatch {
  return { reason, asked, allowed: sizedWith[reason] ?? null }
}

const sizedWith: Readonly<Partial<Record<DenialReason, string>>> = {
  slippage_required: 'with slippage, a fraction such as "0.01"',
  market_order_type_required: "with market_order_type, base or quote",
  price_match_band_required: "with a price of its own, or by a rule with price_match_band",
}

/** What one order adds to a bound. Amounts of one `group` are summed. */
type BoundedAmount = {
  readonly group: string
  readonly unit: string
  readonly amount: Decimal
  readonly max: Decimal
}

/**
 * The first order whose amount is refused, or else the first group whose sum is over its maximum. The sum keeps a
 * batch from splitting an order that is too large.
 */
function overMax(
  reason: "quantity_over_max" | "notional_over_max",
  { orders = [] }: Subject,
  amountOf: (read: ReadOrder) => Result<BoundedAmount | undefined, Mismatch>,
): Mismatch | undefined {
  const amounts: BoundedAmount[] = []
  for (const read of orders) {
    const amount = amountOf(read)
    if (!amount.ok) return ofOrder(read.order, amount.error)
    if (amount.value !== undefined) amounts.push(amount.value)
  }
  const over = summed(amounts).find((sum) => compareDecimals(sum.amount, sum.max) > 0)
  return (
    over && {
      reason,
      asked: () => `${formatDecimal(over.amount)} ${over.unit} (${over.count} orders together)`,
      allowed: () => formatDecimal(over.max),
    }
  )
}

type Sum = BoundedAmount & { readonly count: number }

function summed(amounts: readonly BoundedAmount[]): readonly Sum[] {
  const sums = new Map<string, Sum>()
  for (const next of amounts) {
    const sum = sums.get(next.group)
    const amount = sum === undefined ? next.amount : addDecimals(sum.amount, next.amount)
    sums.set(next.group, { ...next, amount, count: (sum?.count ?? 0) + 1 })
  }
  return [...sums.values()]
}
