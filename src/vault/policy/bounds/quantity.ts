import { err, ok, type Result } from "../../../std/result.ts"
import {
  compareDecimals,
  formatDecimal,
  maxDecimal,
  multiplyDecimals,
  type Decimal,
} from "../../../venue/decimal.ts"
import type { Profile } from "../../../venue/profile.ts"
import type { OrderSize } from "../terms/claim.ts"
import type { Mismatch, DenialReason } from "../terms/decision.ts"
import {
  type ReadOrder,
  quantityText,
  symbolText,
  type Subject,
  type JudgedOrder,
} from "../judged/judged-order.ts"
import type { Rule, SizeBound } from "../terms/policy.ts"
import { boundFor, overMax, type BoundedAmount, quantityUnit, worstPrice } from "./worst-case.ts"

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

/** Checks the rule's `min_quantity` in base units of every order. An amount in quote units can't be compared. */
export function minQuantity(bound: SizeBound, _: Rule, subject: Subject): Mismatch | undefined {
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

/** An amount in quote units, and how it was computed, for people. */
type Notional = { readonly amount: Decimal; readonly words: () => string }

/** What sizing an order needs besides the order. */
type Sizing = {
  readonly reference: Decimal
  readonly priceMatchBand: Decimal | undefined
  readonly profile: Profile
}

/** The most that one entry or leg can cost, in quote units, or why that isn't known. */
function partNotional(
  read: ReadOrder,
  part: JudgedOrder,
  { reference, priceMatchBand, profile }: Sizing,
): Result<Notional, DenialReason> {
  const { order } = read
  const unit = quantityUnit(read, profile)
  if (!unit.ok) return unit
  if (unit.value === "quote")
    return ok({ amount: order.quantity, words: () => " as its quantity says" })

  const at = worstPrice(part, reference, priceMatchBand)
  if (!at.ok) return at
  return ok({
    amount: multiplyDecimals(order.quantity, at.value.price),
    words: () => `: ${quantityText(order, profile.symbols)} at ${at.value.words()}`,
  })
}

/**
 * The size of every order of a request: one for the entry, one for each leg. `null` if it isn't known: no fresh
 * price, a symbol that venue.yaml doesn't list, or a chase, which moves its price by itself.
 */
export function orderSizes(
  { orders = [], request, circumstances }: Subject,
  priceMatchBand: Decimal | undefined,
): readonly OrderSize[] {
  const { profile } = circumstances
  return orders.map((read): OrderSize => {
    const isSized = request.operation !== "chaseOrder" && read.symbol !== undefined
    const reference = isSized ? read.reference : undefined
    const amounts = read.parts.map((part) => {
      if (reference === undefined) return null
      const notional = partNotional(read, part, { reference, priceMatchBand, profile })
      return notional.ok ? notional.value.amount : null
    })
    const [entry = null, ...legs] = amounts
    return { entry, legs }
  })
}

/** The costliest of entry and legs; `undefined` when one of them can't be sized. */
export function worstOf(size: OrderSize | undefined): Decimal | undefined {
  const parts = size === undefined ? [] : [size.entry, ...size.legs]
  const [first, ...others] = parts.filter((part) => part !== null)
  if (first === undefined || others.length + 1 < parts.length) return undefined
  return maxDecimal(first, ...others)
}

/** The costliest of the entry and legs of one order. */
export function worstNotional(read: ReadOrder, sizing: Sizing): Result<Notional, DenialReason> {
  let worst: Notional | undefined
  for (const part of read.parts) {
    const notional = partNotional(read, part, sizing)
    if (!notional.ok) return notional
    if (worst === undefined || isMore(notional.value, worst)) worst = notional.value
  }
  return worst === undefined ? err("size_unreadable") : ok(worst)
}

function isMore(a: Notional, b: Notional): boolean {
  return compareDecimals(a.amount, b.amount) > 0
}
