import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, formatDecimal, type Decimal } from "../../venue/decimal.ts"
import type { SymbolEntry } from "../../venue/profile.ts"
import type { Mismatch } from "./decision.ts"
import type { ReadOrder } from "./judged-order.ts"
import { worstNotional } from "./order-size.ts"
import { orderText, symbolText } from "./order-text.ts"
import type { Rule, SizeBound } from "./policy.ts"
import { boundFor, sumOverMax, type BoundedAmount } from "./size-bound.ts"
import type { Subject } from "./subject.ts"

/**
 * Holds every order and leg, and the orders together, to the rule's `max_notional` in quote units at the worst price.
 *
 * Without a fresh reference price every order is refused, also the buy that doesn't need one: a dead feed must not
 * leave a market maker with one side only. Of an entry and its legs the largest one is summed.
 */
export function maxNotional(rule: Rule, subject: Subject): Mismatch | undefined {
  if (rule.maxNotional === undefined || subject.orders === undefined) return undefined
  const amounts: BoundedAmount[] = []
  for (const read of subject.orders) {
    const amount = boundedNotional(read, { rule, bound: rule.maxNotional, subject })
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

type Under = { readonly rule: Rule; readonly bound: SizeBound; readonly subject: Subject }

function boundedNotional(read: ReadOrder, under: Under): Result<BoundedAmount, Mismatch> {
  const { profile } = under.subject.circumstances
  const { symbolId } = read.order
  const priced = pricedSymbol(read, under.subject)
  if (!priced.ok) return priced
  const { symbol, reference } = priced.value

  const max = boundFor(under.bound, symbolId)
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
    const asked = () => orderText(read.order, profile.symbols)
    return err({ reason: worst.error, asked, allowed: null })
  }
  const { amount, words } = worst.value
  if (compareDecimals(amount, max) > 0) {
    const asked = () => `${formatDecimal(amount)} ${symbol.quote}${words()}`
    return err({ reason: "notional_over_max", asked, allowed: () => formatDecimal(max) })
  }
  // One maximum for all symbols bounds all that is in its unit; a map bounds each symbol by itself.
  const group = under.bound.kind === "scalar" ? symbol.quote : String(symbolId)
  return ok({ group, unit: symbol.quote, amount, max })
}

function pricedSymbol(
  { order }: ReadOrder,
  { circumstances }: Subject,
): Result<{ readonly symbol: SymbolEntry; readonly reference: Decimal }, Mismatch> {
  const { symbols } = circumstances.profile
  const name = symbolText(order.symbolId, symbols)
  const symbol = symbols.byId.get(order.symbolId)
  if (symbol === undefined) {
    const asked = `${name}, which venue.yaml's symbols don't list`
    return err({ reason: "notional_unknown", asked, allowed: null })
  }
  const reference = circumstances.referencePrice(order.symbolId)
  if (reference === undefined) {
    const asked = `${name}, which has no fresh reference price`
    return err({ reason: "notional_unknown", asked, allowed: null })
  }
  return ok({ symbol, reference })
}
