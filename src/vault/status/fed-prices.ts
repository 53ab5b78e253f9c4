import type { PriceView } from "../../contract/bot-views.ts"
import { formatDecimal, multiplyDecimals, type Decimal } from "../../venue/decimal.ts"
import type { SymbolEntry } from "../../venue/profile.ts"
import { type ActiveSet, datedPrices, isFresh, type DatedPrice } from "../active/active-set.ts"
import { isBeyond, lastPrice } from "../active/price-drift.ts"
import type { LedgerTime } from "../process/clock.ts"

/** Every symbol's reference price as it stands. */
export function listPrices(set: ActiveSet, nowMs: LedgerTime): readonly PriceView[] {
  const symbols = [...set.profile.symbols.byId.values()]
  return symbols.map((symbol) => priceView(symbol, set, nowMs))
}

/** Whether orders can be sized by a price: it is neither stale nor waiting for an operator. */
export function isPriceUsable({ state }: Pick<PriceView, "state">): boolean {
  return state === "known"
}

/** Whether a price that is used has passed half of the time that it is good for. */
export function isAgeing({ state, as_of, good_until }: PriceView, nowMs: LedgerTime): boolean {
  return state === "known" && 2 * nowMs > (as_of ?? 0) + (good_until ?? 0)
}

/** Whether a symbol's price has come half as far from its anchor as it may. */
export function hasDrifted(symbol: string, set: ActiveSet): boolean {
  const id = set.profile.symbols.byName.get(symbol)?.id
  const last = id === undefined ? undefined : lastPrice(id, set)
  if (last?.drift === undefined) return false
  return isBeyond(
    last.value,
    last.drift.anchor.value,
    multiplyDecimals(set.config.prices.maxDrift, half),
  )
}

const half: Decimal = { coefficient: 5n, scale: 1 }

export function priceView(symbol: SymbolEntry, set: ActiveSet, nowMs: LedgerTime): PriceView {
  const dated = datedPrices(symbol.id, set)
  const fed = set.prices.get(symbol.id)
  const shown = dated.find((price) => isFresh(price, nowMs)) ?? dated[0]
  const drift = driftOf(symbol, set)
  if (fed?.confirmed === false) {
    const unconfirmed = dated.find(({ by }) => by === fed.by)
    const pending = formatDecimal(fed.value)
    return { ...viewOf(symbol, unconfirmed, "unconfirmed"), ...drift, pending }
  }
  if (shown === undefined) return { ...viewOf(symbol, undefined, "none"), ...drift }
  return { ...viewOf(symbol, shown, isFresh(shown, nowMs) ? "known" : "stale"), ...drift }
}

function driftOf({ id }: SymbolEntry, set: ActiveSet): Pick<PriceView, "anchor" | "pending"> {
  const drift = lastPrice(id, set)?.drift
  return {
    anchor: drift === undefined ? null : formatDecimal(drift.anchor.value),
    pending: drift?.held === undefined ? null : formatDecimal(drift.held.value),
  }
}

function viewOf(
  { name }: SymbolEntry,
  price: DatedPrice | undefined,
  state: PriceView["state"],
): Omit<PriceView, "anchor" | "pending"> {
  return {
    symbol: name,
    value: price === undefined ? null : formatDecimal(price.value),
    as_of: price?.asOfMs ?? null,
    good_until: price === undefined ? null : price.asOfMs + price.maxAgeMs,
    by: price?.by ?? null,
    state,
  }
}
