import type { Mismatch } from "../../../src/vault/policy/decision.ts"
import type { ReadOrder } from "../../../src/vault/policy/judged-order.ts"
import { worstNotional } from "../../../src/vault/policy/order-size.ts"
import { orderText, quantityText, symbolText } from "../../../src/vault/policy/order-text.ts"
import type { Rule, SizeBound } from "../../../src/vault/policy/policy.ts"
import type { Subject } from "../../../src/vault/policy/subject.ts"
import {
  isPriceReadable,
  mayBeMarket,
  partPrices,
  quantityUnit,
} from "../../../src/vault/policy/worst-case.ts"
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  zero,
  type Decimal,
} from "../../../src/venue/decimal.ts"

type Answer = Mismatch | undefined

/** What `min_quantity` finds wrong. */
export function minQuantityMismatch({ minQuantity }: Rule, subject: Subject): Answer {
  if (minQuantity === undefined) return undefined
  return firstWrong(subject, (read): Answer => {
    const { name, asked } = wordsOf(read, subject)
    const min = boundFor(minQuantity, read)
    if (min === undefined) {
      return { reason: "symbol_without_min", asked: name, allowed: "symbols of min_quantity" }
    }
    const unit = quantityUnit(read, subject.circumstances.profile)
    if (!unit.ok) return { reason: unit.error, asked, allowed: null }
    const allowed = `at least ${formatDecimal(min)} in base units`
    if (unit.value === "quote") return { ...inQuote(read, name), allowed }
    if (compareDecimals(read.order.quantity, min) >= 0) return undefined
    return { reason: "quantity_under_min", asked, allowed }
  })
}

/** What `max_quantity` finds wrong: with one order, or with all that are of one symbol. */
export function maxQuantityMismatch({ maxQuantity, maxNotional }: Rule, subject: Subject): Answer {
  if (maxQuantity === undefined) return undefined
  const sums = new Sums()
  const wrong = firstWrong(subject, (read): Answer => {
    const { name, asked } = wordsOf(read, subject)
    const max = boundFor(maxQuantity, read)
    if (max === undefined) {
      return { reason: "symbol_without_max", asked: name, allowed: "symbols of max_quantity" }
    }
    const unit = quantityUnit(read, subject.circumstances.profile)
    if (!unit.ok) return { reason: unit.error, asked, allowed: null }
    const { quantity, symbolId } = read.order
    if (unit.value === "base") {
      sums.add(String(symbolId), { amount: quantity, max, unit: name })
      if (compareDecimals(quantity, max) <= 0) return undefined
      return { reason: "quantity_over_max", asked, allowed: formatDecimal(max) }
    }
    if (maxNotional !== undefined) return undefined
    return { ...inQuote(read, name), allowed: `${formatDecimal(max)} in base units` }
  })
  return wrong ?? sums.over("quantity_over_max")
}

/** What `max_notional` finds wrong: with one order, or with all that are of one unit or symbol. */
export function notionalMismatch({ maxNotional, priceMatchBand }: Rule, subject: Subject): Answer {
  if (maxNotional === undefined) return undefined
  const { profile, referencePrice } = subject.circumstances
  const sums = new Sums()
  const wrong = firstWrong(subject, (read): Answer => {
    const { symbolId } = read.order
    const { name } = wordsOf(read, subject)
    const unknown = (why: string): Mismatch => {
      return { reason: "notional_unknown", asked: `${name}, ${why}`, allowed: null }
    }
    const symbol = profile.symbols.byId.get(symbolId)
    if (symbol === undefined) return unknown("which venue.yaml's symbols don't list")
    const reference = referencePrice(symbolId)
    if (reference === undefined) return unknown("which has no fresh reference price")
    const max = boundFor(maxNotional, read)
    if (max === undefined) {
      return { reason: "symbol_without_max", asked: name, allowed: "symbols of max_notional" }
    }
    const worst = worstNotional(read, { reference, priceMatchBand, profile })
    if (!worst.ok) {
      return { reason: worst.error, asked: orderText(read.order, profile.symbols), allowed: null }
    }
    const { amount, words } = worst.value
    const group = maxNotional.kind === "scalar" ? symbol.quote : String(symbolId)
    sums.add(group, { amount, max, unit: symbol.quote })
    if (compareDecimals(amount, max) <= 0) return undefined
    const asked = `${formatDecimal(amount)} ${symbol.quote}${words()}`
    return { reason: "notional_over_max", asked, allowed: formatDecimal(max) }
  })
  return wrong ?? sums.over("notional_over_max")
}

/** What `max_slippage` finds wrong. */
export function slippageMismatch({ maxSlippage }: Rule, { parts }: Subject): Answer {
  if (maxSlippage === undefined) return undefined
  const allowed = `slippage of at most ${formatDecimal(maxSlippage)}`
  for (const part of parts.filter(mayBeMarket)) {
    const { slippage } = part.order
    if (part.part !== "entry" || slippage === undefined) {
      const what = { entry: "", take_profit: "take-profit leg: ", stop_loss: "stop-loss leg: " }
      return { reason: "slippage_required", asked: `${what[part.part]}no slippage`, allowed }
    }
    if (compareDecimals(slippage, maxSlippage) > 0) {
      return { reason: "slippage_over_max", asked: formatDecimal(slippage), allowed }
    }
  }
  return undefined
}

/** What `price_band` finds wrong. */
export function bandMismatch({ priceBand, priceMatchBand }: Rule, subject: Subject): Answer {
  if (priceBand === undefined) return undefined
  const { profile, referencePrice } = subject.circumstances
  return firstWrong(subject, (read): Answer => {
    const { order, parts } = read
    const words = orderText(order, profile.symbols)
    const reference = referencePrice(order.symbolId)
    if (reference === undefined) {
      const asked = `${wordsOf(read, subject).name}, which has no fresh reference price`
      return { reason: "reference_price_unknown", asked, allowed: null }
    }
    if (!isPriceReadable(order)) {
      const asked = `${words}, whose price can't be read`
      return { reason: "order_unreadable", asked, allowed: null }
    }
    const matched = order.priceMatch && matchedMismatch(words, priceBand, priceMatchBand)
    if (matched !== undefined) return matched
    const most = multiplyDecimals(reference, priceBand)
    const odd = parts
      .flatMap(partPrices)
      .find(
        ({ price }) =>
          compareDecimals(addDecimals(price, most), reference) < 0 ||
          compareDecimals(price, addDecimals(reference, most)) > 0,
      )
    if (odd === undefined) return undefined
    const allowed = `within ${formatDecimal(most)} of the reference price ${formatDecimal(reference)}`
    return { reason: "price_outside_band", asked: odd.words(), allowed }
  })
}

function matchedMismatch(
  words: string,
  band: Decimal,
  priceMatchBand: Decimal | undefined,
): Answer {
  if (priceMatchBand === undefined) {
    return { reason: "price_match_band_required", asked: words, allowed: null }
  }
  if (compareDecimals(priceMatchBand, band) <= 0) return undefined
  const asked = `${words} within the price_match_band ${formatDecimal(priceMatchBand)}`
  return { reason: "price_outside_band", asked, allowed: `a band of ${formatDecimal(band)}` }
}

type Summed = { readonly amount: Decimal; readonly max: Decimal; readonly unit: string }

class Sums {
  readonly #groups = new Map<string, Summed[]>()

  add(group: string, summed: Summed): void {
    this.#groups.set(group, [...(this.#groups.get(group) ?? []), summed])
  }

  over(reason: Mismatch["reason"]): Answer {
    for (const summed of this.#groups.values()) {
      const sum = summed.reduce((total, { amount }) => addDecimals(total, amount), zero)
      const last = summed.at(-1)
      if (last === undefined || compareDecimals(sum, last.max) <= 0) continue
      const asked = `${formatDecimal(sum)} ${last.unit} (${summed.length} orders together)`
      return { reason, asked, allowed: formatDecimal(last.max) }
    }
    return undefined
  }
}

function firstWrong({ orders = [] }: Subject, wrongWith: (read: ReadOrder) => Answer): Answer {
  for (const read of orders) {
    const wrong = wrongWith(read)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function boundFor(bound: SizeBound, { order }: ReadOrder): Decimal | undefined {
  if (bound.kind === "scalar") return bound.amount
  return bound.amountBySymbol.get(order.symbolId) ?? bound.defaultAmount
}

function wordsOf({ order }: ReadOrder, { circumstances }: Subject) {
  const { symbols } = circumstances.profile
  return { name: symbolText(order.symbolId, symbols), asked: quantityText(order, symbols) }
}

function inQuote({ order }: ReadOrder, name: string) {
  const asked = `${formatDecimal(order.quantity)} in quote units of ${name}`
  return { reason: "quantity_unreadable", asked } as const
}
