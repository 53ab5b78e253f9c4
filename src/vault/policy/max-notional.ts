import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, formatDecimal, type Decimal } from "../../venue/decimal.ts"
import type { SymbolEntry } from "../../venue/profile.ts"
import type { DenialReason } from "./denial-reason.ts"
import type { Mismatch } from "./decision.ts"
import type { ReadOrder } from "./judged-order.ts"
import { worstNotional, type Notional } from "./order-size.ts"
import { orderText, symbolText } from "./order-text.ts"
import type { Rule, SizeBound } from "./policy.ts"
import { boundFor, sumOverMax, type BoundedAmount } from "./size-bound.ts"
import type { RuleTest, Subject } from "./subject.ts"

/**
 * Holds every order and leg, and the orders together, to the rule's `max_notional` in quote units at the worst price.
 *
 * Without a fresh reference price every order is refused, also the buy that doesn't need one: a dead feed must not
 * leave a market maker with one side only. Of an entry and its legs the largest one is summed.
 */
export function maxNotional(subject: Subject): RuleTest {
  const orders = subject.orders?.map((read) => costed(read, subject)) ?? []
  return (rule) => {
    if (rule.maxNotional === undefined) return undefined
    const amounts: BoundedAmount[] = []
    for (const order of orders) {
      if (!order.ok) return order.error
      const amount = boundedNotional(order.value, { rule, bound: rule.maxNotional, subject })
      if (!amount.ok) return amount.error
      amounts.push(amount.value)
    }
    const over = sumOverMax(amounts)
    if (over === undefined) return undefined
    return {
      reason: "notional_over_max",
      asked: () => `${formatDecimal(over.amount)} ${over.unit} (${over.count} orders together)`,
      allowed: () => formatDecimal(over.max),
    }
  }
}

/** An order, its symbol, and what it can cost by a rule's `price_match_band`. */
type Costed = {
  readonly read: ReadOrder
  readonly symbol: SymbolEntry
  readonly notionalBy: (priceMatchBand: Decimal | undefined) => Result<Notional, DenialReason>
}

function costed(read: ReadOrder, { circumstances }: Subject): Result<Costed, Mismatch> {
  const { profile } = circumstances
  const { symbolId, priceMatch } = read.order
  const name = symbolText(symbolId, profile.symbols)
  const symbol = profile.symbols.byId.get(symbolId)
  if (symbol === undefined) {
    const asked = `${name}, which venue.yaml's symbols don't list`
    return err({ reason: "notional_unknown", asked, allowed: null })
  }
  const reference = circumstances.referencePrice(symbolId)
  if (reference === undefined) {
    const asked = `${name}, which has no fresh reference price`
    return err({ reason: "notional_unknown", asked, allowed: null })
  }
  const notionalBy: Costed["notionalBy"] = (priceMatchBand) =>
    worstNotional(read, { reference, priceMatchBand, profile })
  if (priceMatch !== undefined) return ok({ read, symbol, notionalBy })
  // Only where the venue picks the price does it depend on the rule.
  const always = notionalBy(undefined)
  return ok({ read, symbol, notionalBy: () => always })
}

type Under = { readonly rule: Rule; readonly bound: SizeBound; readonly subject: Subject }

function boundedNotional(
  { read, symbol, notionalBy }: Costed,
  { rule, bound, subject }: Under,
): Result<BoundedAmount, Mismatch> {
  const { order } = read
  const max = boundFor(bound, order.symbolId)
  if (max === undefined) {
    return err({
      reason: "symbol_without_max",
      asked: symbol.name,
      allowed: "symbols of max_notional",
    })
  }
  const worst = notionalBy(rule.priceMatchBand)
  if (!worst.ok) {
    const asked = () => orderText(order, subject.circumstances.profile.symbols)
    return err({ reason: worst.error, asked, allowed: null })
  }
  const { amount, words } = worst.value
  if (compareDecimals(amount, max) > 0) {
    const asked = () => `${formatDecimal(amount)} ${symbol.quote}${words()}`
    return err({ reason: "notional_over_max", asked, allowed: () => formatDecimal(max) })
  }
  // One maximum for all symbols bounds all that is in its unit; a map bounds each symbol by itself.
  const group = bound.kind === "scalar" ? symbol.quote : String(order.symbolId)
  return ok({ group, unit: symbol.quote, amount, max })
}
