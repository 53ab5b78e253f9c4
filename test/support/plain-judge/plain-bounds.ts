import type { Rule, SizeBound } from "../../../src/vault/policy/terms.ts"
import { decimalText, times, unitsOf, unitsText } from "./plain-amount.ts"
import { saidOf, type Said } from "./plain-matchers.ts"
import { orderWords, quantityWords, symbolWords, type PlainOrder } from "./plain-order.ts"
import { hasPrice, mayBeMarket, unitOf, worstCost, writtenPrices } from "./plain-size.ts"
import type { PlainSubject } from "./plain-subject.ts"

type Answer = Said | undefined
type Bound = (rule: Rule, subject: PlainSubject) => Answer

/** What `min_quantity` finds wrong. */
export const minQuantity: Bound = ({ minQuantity: bound }, subject) => {
  if (bound === undefined) return undefined
  return firstWrong(subject, (read): Answer => {
    const { name, asked } = wordsOf(read, subject)
    const min = boundFor(bound, read)
    if (min === undefined) {
      return { reason: "symbol_without_min", asked: name, allowed: "symbols of min_quantity" }
    }
    const unit = unitOf(read, subject.profile)
    if (!unit.ok) return unsizedBy(unit.error, asked)
    const allowed = `at least ${unitsText(min)} in base units`
    if (unit.value === "quote") return { ...inQuote(read, name), allowed }
    if (unitsOf(read.order.quantity) >= min) return undefined
    return { reason: "quantity_under_min", asked, allowed }
  })
}

/** What `max_quantity` finds wrong: with one order, or with all that are of one symbol. */
export const maxQuantity: Bound = ({ maxQuantity: bound, maxNotional: beside }, subject) => {
  if (bound === undefined) return undefined
  const sums = new Sums()
  const wrong = firstWrong(subject, (read): Answer => {
    const { name, asked } = wordsOf(read, subject)
    const max = boundFor(bound, read)
    if (max === undefined) {
      return { reason: "symbol_without_max", asked: name, allowed: "symbols of max_quantity" }
    }
    const unit = unitOf(read, subject.profile)
    if (!unit.ok) return unsizedBy(unit.error, asked)
    if (unit.value === "quote") {
      if (beside !== undefined) return undefined
      return { ...inQuote(read, name), allowed: `${unitsText(max)} in base units` }
    }
    const units = unitsOf(read.order.quantity)
    sums.add(name, { units, max, unit: name })
    if (units <= max) return undefined
    return { reason: "quantity_over_max", asked, allowed: unitsText(max) }
  })
  return wrong ?? sums.over("quantity_over_max")
}

/** What `max_notional` finds wrong: with one order, or with all that are of one unit or symbol. */
export const maxNotional: Bound = ({ maxNotional: bound, priceMatchBand }, subject) => {
  if (bound === undefined) return undefined
  const { profile } = subject
  const matchBand = priceMatchBand && unitsOf(priceMatchBand)
  const sums = new Sums()
  const wrong = firstWrong(subject, (read): Answer => {
    const { name } = wordsOf(read, subject)
    const unknown = (why: string): Said => {
      return { reason: "notional_unknown", asked: `${name}, ${why}`, allowed: null }
    }
    const quote = profile.symbols.byId.get(read.order.symbolId)?.quote
    if (quote === undefined) return unknown("which venue.yaml's symbols don't list")
    const reference = subject.referenceOf(read.order)
    if (reference === undefined) return unknown("which has no fresh reference price")
    const max = boundFor(bound, read)
    if (max === undefined) {
      return { reason: "symbol_without_max", asked: name, allowed: "symbols of max_notional" }
    }
    const cost = worstCost(read, { reference, matchBand, profile })
    if (!cost.ok) return unsizedBy(cost.error, orderWords(read.order, profile))
    const { units, words } = cost.value
    sums.add(bound.kind === "scalar" ? quote : name, { units, max, unit: quote })
    if (units <= max) return undefined
    const asked = `${unitsText(units)} ${quote}${words}`
    return { reason: "notional_over_max", asked, allowed: unitsText(max) }
  })
  return wrong ?? sums.over("notional_over_max")
}

/** What `max_slippage` finds wrong. */
export const maxSlippage: Bound = ({ maxSlippage: max }, { orders = [] }) => {
  if (max === undefined) return undefined
  const reason = "slippage_required"
  for (const part of orders.flatMap(({ parts }) => parts).filter(mayBeMarket)) {
    const { slippage } = part.order
    if (part.leg !== undefined) {
      const asked = `${part.prefix}no slippage of its own`
      return saidOf(part.order, { reason, asked, allowed: "a limit leg, or none" })
    }
    if (slippage === undefined) {
      const allowed = `with slippage, at most "${decimalText(max)}"`
      return saidOf(part.order, { reason, asked: "no slippage", allowed })
    }
    if (unitsOf(slippage) > unitsOf(max)) {
      const allowed = `slippage of at most ${decimalText(max)}`
      const asked = decimalText(slippage)
      return saidOf(part.order, { reason: "slippage_over_max", asked, allowed })
    }
  }
  return undefined
}

/** What `price_band` finds wrong. */
export const priceBand: Bound = ({ priceBand: bound, priceMatchBand }, subject) => {
  if (bound === undefined) return undefined
  const band = unitsOf(bound)
  return firstWrong(subject, ({ order, parts }): Answer => {
    const words = orderWords(order, subject.profile)
    const reference = subject.referenceOf(order)
    if (reference === undefined) {
      const asked = `${symbolWords(order.symbolId, subject.profile)}, which has no fresh reference price`
      return { reason: "reference_price_unknown", asked, allowed: null }
    }
    if (!hasPrice(order)) {
      return {
        reason: "order_unreadable",
        asked: `${words}, whose price can't be read`,
        allowed: null,
      }
    }
    const matched = order.priceMatch && matchBandWrong(words, band, priceMatchBand)
    if (matched !== undefined) return matched
    const most = times(reference, band)
    const odd = parts
      .flatMap(writtenPrices)
      .find(({ units }) => units < reference - most || units > reference + most)
    if (odd === undefined) return undefined
    const allowed = `within ${unitsText(most)} of the reference price ${unitsText(reference)}`
    return { reason: "price_outside_band", asked: odd.words, allowed }
  })
}

function matchBandWrong(words: string, band: bigint, matchBand: Rule["priceMatchBand"]): Answer {
  if (matchBand === undefined) {
    return unsizedBy("price_match_band_required", words)
  }
  if (unitsOf(matchBand) <= band) return undefined
  const asked = `${words} within the price_match_band ${decimalText(matchBand)}`
  return { reason: "price_outside_band", asked, allowed: `a band of ${unitsText(band)}` }
}

type Summed = { readonly units: bigint; readonly max: bigint; readonly unit: string }

/** Amounts by group. All of a group have the same maximum. */
class Sums {
  readonly #groups = new Map<string, Summed[]>()

  add(group: string, summed: Summed): void {
    this.#groups.set(group, [...(this.#groups.get(group) ?? []), summed])
  }

  over(reason: Said["reason"]): Answer {
    for (const all of this.#groups.values()) {
      const [first] = all
      const sum = all.reduce((total, { units }) => total + units, 0n)
      if (first === undefined || sum <= first.max) continue
      const asked = `${unitsText(sum)} ${first.unit} (${all.length} orders together)`
      return { reason, asked, allowed: unitsText(first.max) }
    }
    return undefined
  }
}

function firstWrong(
  { orders = [] }: PlainSubject,
  wrongWith: (read: PlainOrder) => Answer,
): Answer {
  for (const read of orders) {
    const wrong = wrongWith(read)
    if (wrong !== undefined) return saidOf(read.order, wrong)
  }
  return undefined
}

function boundFor(bound: SizeBound, { order }: PlainOrder): bigint | undefined {
  const amount =
    bound.kind === "scalar"
      ? bound.amount
      : (bound.amountBySymbol.get(order.symbolId) ?? bound.defaultAmount)
  return amount && unitsOf(amount)
}

function wordsOf({ order }: PlainOrder, { profile }: PlainSubject) {
  return { name: symbolWords(order.symbolId, profile), asked: quantityWords(order, profile) }
}

function inQuote({ order }: PlainOrder, name: string) {
  const asked = `${decimalText(order.quantity)} in quote units of ${name}`
  return { reason: "quantity_unreadable", asked } as const
}

/** What a size lacks, and who can add it. */
function unsizedBy(reason: Said["reason"], asked: string): Said {
  const lacking = new Map<string, string>([
    ["slippage_required", 'with slippage, a fraction such as "0.01"'],
    ["market_order_type_required", "with market_order_type, base or quote"],
    ["price_match_band_required", "with a price of its own, or by a rule with price_match_band"],
  ])
  return { reason, asked, allowed: lacking.get(reason) ?? null }
}
