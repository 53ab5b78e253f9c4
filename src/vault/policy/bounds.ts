import { err, ok, type Result } from "../../std/result.ts"
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  type Decimal,
  zero,
  multiplyDecimals,
  subtractDecimals,
} from "../../venue/decimal.ts"
import {
  type ReadOrder,
  quantityText,
  symbolText,
  type Subject,
  orderText,
  type JudgedOrder,
  mayBeMarket,
  partText,
} from "./match/judged-request.ts"
import { ofOrder, type Mismatch, type DenialReason, type Rule, type SizeBound } from "./terms.ts"
import { quantityUnit, worstNotional, partPrices, isPriceReadable } from "./order-size.ts"
import type { Order } from "../../venue/payload/payload.ts"

/**
 * Checks the rule's `max_quantity` in base units: of every order, and of all orders of a symbol together.
 *
 * It can't measure an amount in quote units: if the rule has a `max_notional` too, that one decides; if not,
 * the order is refused.
 */
export function maxQuantity(bound: SizeBound, rule: Rule, subject: Subject): Mismatch | undefined {
  const { profile } = subject.circumstances
  return overMax("quantity_over_max", subject, (read) => {
    const { symbolId, quantity } = read.order
    const name = symbolText(symbolId, profile.symbols)
    const asked = () => quantityText(read.order, profile.symbols)

    const max = boundFor(bound, symbolId)
    if (max === undefined) {
      return err({ reason: "symbol_without_max", asked: name, allowed: "symbols of max_quantity" })
    }
    const unit = quantityUnit(read, profile)
    if (!unit.ok) return err(unsized(unit.error, asked))
    if (unit.value === "quote") {
      if (rule.maxNotional !== undefined) return ok(undefined)
      return err({
        reason: "quantity_unreadable",
        asked: () => `${formatDecimal(quantity)} in quote units of ${name}`,
        allowed: () => `${formatDecimal(max)} in base units`,
      })
    }
    if (compareDecimals(quantity, max) > 0) {
      return err({ reason: "quantity_over_max", asked, allowed: () => formatDecimal(max) })
    }
    return ok({ group: String(symbolId), unit: name, amount: quantity, max })
  })
}

/** Checks the rule's `min_quantity` in base units of every order. An amount in quote units can't be compared. */
export function minQuantity(bound: SizeBound, _: Rule, subject: Subject): Mismatch | undefined {
  const { profile } = subject.circumstances
  return firstMismatch(subject, (read) => {
    const { symbolId, quantity } = read.order
    const name = symbolText(symbolId, profile.symbols)
    const asked = () => quantityText(read.order, profile.symbols)

    const min = boundFor(bound, symbolId)
    if (min === undefined) {
      return { reason: "symbol_without_min", asked: name, allowed: "symbols of min_quantity" }
    }
    const unit = quantityUnit(read, profile)
    if (!unit.ok) return unsized(unit.error, asked)
    const allowed = () => `at least ${formatDecimal(min)} in base units`
    if (unit.value === "quote") {
      const inQuote = () => `${formatDecimal(quantity)} in quote units of ${name}`
      return { reason: "quantity_unreadable", asked: inQuote, allowed }
    }
    if (compareDecimals(quantity, min) >= 0) return undefined
    return { reason: "quantity_under_min", asked, allowed }
  })
}

/** Why the first order that doesn't fit doesn't. */
function firstMismatch(
  { orders = [] }: Subject,
  mismatchOf: (read: ReadOrder) => Mismatch | undefined,
): Mismatch | undefined {
  for (const read of orders) {
    const mismatch = mismatchOf(read)
    if (mismatch !== undefined) return ofOrder(read.order, mismatch)
  }
  return undefined
}

/**
 * Checks the rule's `max_notional`, in quote units at the worst price: of each order and leg, and of all orders
 * together. In the sum, an order counts as the largest of its entry and legs.
 *
 * Without a fresh reference price every order is refused, even a buy that needs none: when the feed fails, a
 * market maker must not be left with one side only.
 */
export function maxNotional(bound: SizeBound, rule: Rule, subject: Subject): Mismatch | undefined {
  const { profile } = subject.circumstances
  return overMax("notional_over_max", subject, (read) => {
    const { order, symbol, reference } = read
    const unknown = (why: string) => {
      const asked = `${symbolText(order.symbolId, profile.symbols)}, ${why}`
      return err({ reason: "notional_unknown", asked, allowed: null } as const)
    }
    if (symbol === undefined) return unknown("which venue.yaml's symbols don't list")
    if (reference === undefined) return unknown("which has no fresh reference price")

    const max = boundFor(bound, order.symbolId)
    const { name, quote } = symbol
    if (max === undefined) {
      return err({ reason: "symbol_without_max", asked: name, allowed: "symbols of max_notional" })
    }
    const { priceMatchBand } = rule
    const worst = worstNotional(read, { reference, priceMatchBand, profile })
    if (!worst.ok) return err(unsized(worst.error, () => orderText(order, profile.symbols)))
    const { amount, words } = worst.value
    if (compareDecimals(amount, max) > 0) {
      const asked = () => `${formatDecimal(amount)} ${quote}${words()}`
      return err({ reason: "notional_over_max", asked, allowed: () => formatDecimal(max) })
    }
    // One maximum for all symbols bounds the sum in its unit; a map bounds each symbol by itself.
    const group = bound.kind === "scalar" ? quote : String(order.symbolId)
    return ok({ group, unit: quote, amount, max })
  })
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
type BoundedAmount = Readonly<{ group: string; unit: string; amount: Decimal; max: Decimal }>

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

function summed(amounts: readonly BoundedAmount[]) {
  const sums = new Map<string, BoundedAmount & { readonly count: number }>()
  for (const next of amounts) {
    const sum = sums.get(next.group)
    const amount = addDecimals(sum?.amount ?? zero, next.amount)
    sums.set(next.group, { ...next, amount, count: (sum?.count ?? 0) + 1 })
  }
  return [...sums.values()]
}

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
  subject: Subject,
): Mismatch | undefined {
  const { symbols } = subject.circumstances.profile
  return firstMismatch(subject, (read) => {
    const { order, reference, references } = read
    const words = () => orderText(order, symbols)
    if (reference === undefined) {
      const asked = () =>
        `${symbolText(order.symbolId, symbols)}, which has no fresh reference price`
      return { reason: "reference_price_unknown", asked, allowed: null }
    }
    if (!isPriceReadable(order)) {
      const asked = () => `${words()}, whose price can't be read`
      return { reason: "order_unreadable", asked, allowed: null }
    }
    const matched = order.priceMatch && matchedOutside(words, band, priceMatchBand)
    if (matched !== undefined) return matched
    return references
      .map((each) => writtenOutside(read, each, band))
      .find((mismatch) => mismatch !== undefined)
  })
}

function matchedOutside(
  words: () => string,
  band: Decimal,
  priceMatchBand: Decimal | undefined,
): Mismatch | undefined {
  if (priceMatchBand === undefined) return unsized("price_match_band_required", words)
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
