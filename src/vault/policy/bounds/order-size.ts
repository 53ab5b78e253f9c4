import { err, ok, type Result } from "../../../std/result.ts"
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  maxDecimal,
  multiplyDecimals,
  type Decimal,
} from "../../../venue/decimal.ts"
import type { Order } from "../../../venue/payload/payload.ts"
import type { Profile } from "../../../venue/profile.ts"
import type { OrderSize } from "../terms/claim.ts"
import { ofOrder, type Mismatch, type DenialReason } from "../terms/decision.ts"
import {
  mayBeMarket,
  namedPrice,
  type NamedPrice,
  type ReadOrder,
  quantityText,
  symbolText,
  type Subject,
  type JudgedOrder,
} from "../judged/judged-order.ts"
import type { Rule, SizeBound } from "../terms/policy.ts"
import * as prices from "./order-prices.ts"
import { unsized } from "./unsized.ts"

/**
 * The unit that an order's quantity is in.
 *
 * Quote units only for a market order without algo, on a symbol that the table calls spot. Outside perpetuals, an
 * order that may become a market order needs `market_order_type`, its own or the profile's: the interface
 * discloses no default, and either reading can be the larger one.
 */
export function quantityUnit(
  read: ReadOrder,
  profile: Profile,
): Result<"base" | "quote", DenialReason> {
  const { order, symbol } = read
  const unit = order.marketOrderType ?? undisclosedUnit(read, profile)
  if (unit === undefined) return err("market_order_type_required")
  if (unit === "base") return ok("base")
  const isQuote = symbol?.market === "spot" && isPlainMarketOrder(order)
  return isQuote ? ok("quote") : err("size_unreadable")
}

function undisclosedUnit(
  { parts, symbol }: ReadOrder,
  profile: Profile,
): "base" | "quote" | undefined {
  if (symbol?.market === "perp" || !parts.some(mayBeMarket)) return "base"
  return profile.defaultMarketOrderType
}

function isPlainMarketOrder(order: Order): boolean {
  return (
    order.orderType === "market" &&
    order.algoOrderType === undefined &&
    order.conditional === undefined &&
    order.tpsl === undefined
  )
}

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
 * The highest price at which an order may fill, as far as its request says.
 *
 * A limit buy can't fill above its price. A sell, a trigger or a market order can fill above the price in the
 * request, so it counts at the reference price or more. The interface doesn't say whether an order's
 * slippage applies to its legs: if the order has slippage, its legs count with it too. Legs need none.
 */
export function worstPrice(
  judged: JudgedOrder,
  reference: Decimal,
  priceMatchBand: Decimal | undefined,
): Result<NamedPrice, DenialReason> {
  const referenced = namedPrice("the reference price", reference)
  const { order } = judged
  if (judged.leg !== undefined) {
    const slippage = mayBeMarket(judged) ? prices.slippageOf(order) : undefined
    return ok(prices.charged(prices.highest([referenced, ...prices.legPrices(judged)]), slippage))
  }
  if (!isPriceReadable(order)) return err("size_unreadable")
  if (isPlainLimitBuy(order) && order.price !== undefined) {
    return ok(namedPrice("its price", order.price))
  }
  const surcharge = prices.surchargeOf(order, priceMatchBand)
  if (!surcharge.ok) return surcharge
  return ok(
    prices.charged(prices.highest([referenced, ...prices.entryPrices(order)]), surcharge.value),
  )
}

function isPlainLimitBuy(order: Order): boolean {
  return (
    order.isBuy &&
    order.orderType === "limit" &&
    order.priceMatch === undefined &&
    order.conditional === undefined &&
    order.algoOrderType !== "tpsl"
  )
}

/**
 * Whether an order has the fields that its price is read from. The venue's rules make sure of it, but the judge
 * doesn't rely on that.
 */
export function isPriceReadable(order: Order): boolean {
  if (order.algoOrderType === "tpsl") return order.tpsl !== undefined
  if (order.algoOrderType === "conditional" && order.conditional === undefined) return false
  if (order.orderType === "limit") {
    return order.price !== undefined || order.priceMatch !== undefined
  }
  return order.orderType === "market"
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

/** What one order adds to a bound. Amounts of one `group` are summed. */
export type BoundedAmount = {
  readonly group: string
  readonly unit: string
  readonly amount: Decimal
  readonly max: Decimal
}

/** The amount of `bound` for a symbol; `undefined` when it has none. */
export function boundFor(bound: SizeBound, symbolId: number): Decimal | undefined {
  if (bound.kind === "scalar") return bound.amount
  return bound.amountBySymbol.get(symbolId) ?? bound.defaultAmount
}

/**
 * The first order whose amount is refused, or else the first group whose sum is over its maximum. The sum keeps a
 * batch from splitting an order that is too large.
 */
export function overMax(
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
