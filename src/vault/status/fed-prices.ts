import type { LedgerTime } from "../ledger/ledger-time.ts"
import type { PriceView } from "../../link/views/views.ts"
import { formatDecimal } from "../../venue/decimal.ts"
import type { SymbolEntry } from "../../venue/profile.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { datedPrices, isFresh, type DatedPrice } from "../active/reference-prices.ts"
import type { Vault } from "../core/vault.ts"

/** Every symbol's reference price as it stands. */
export function listPrices(vault: Vault): readonly PriceView[] {
  const set = vault.active()
  const symbols = [...set.profile.symbols.byId.values()]
  return symbols.map((symbol) => priceView(symbol, set, vault.now()))
}

/** Whether orders can be sized by a price: it is neither stale nor waiting for an operator. */
export function isPriceUsable({ state }: Pick<PriceView, "state">): boolean {
  return state === "known"
}

export function priceView(symbol: SymbolEntry, set: ActiveSet, nowMs: LedgerTime): PriceView {
  const dated = datedPrices(symbol.id, set).toSorted((a, b) => b.asOfMs - a.asOfMs)
  const fed = set.prices.get(symbol.id)
  const shown = dated.find((price) => isFresh(price, nowMs)) ?? dated[0]
  if (fed?.confirmed === false) {
    const unconfirmed = dated.find(({ by }) => by === fed.by)
    return viewOf(symbol, unconfirmed, "unconfirmed")
  }
  if (shown === undefined) return viewOf(symbol, undefined, "none")
  return viewOf(symbol, shown, isFresh(shown, nowMs) ? "known" : "stale")
}

function viewOf(
  { name }: SymbolEntry,
  price: DatedPrice | undefined,
  state: PriceView["state"],
): PriceView {
  return {
    symbol: name,
    value: price === undefined ? null : formatDecimal(price.value),
    as_of: price?.asOfMs ?? null,
    good_until: price === undefined ? null : price.asOfMs + price.maxAgeMs,
    by: price?.by ?? null,
    state,
  }
}
