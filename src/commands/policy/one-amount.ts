import type { Entry, SizeBound } from "../../vault/policy/terms/policy.ts"
import { formatDecimal } from "../../venue/decimal.ts"
import type { Profile } from "../../venue/profile.ts"

/** What of an entry is an amount in quote units, under its key. */
type InQuoteUnits = { readonly key: string; readonly bound: SizeBound | undefined }

/** Says of one amount in quote units that it is for symbols of several currencies: 1,000 USD are little, and 1,000 BTC much. */
export function oneAmount(
  { matchers: { symbols } }: Entry,
  { key, bound }: InQuoteUnits,
  profile: Profile,
): string | undefined {
  const { amount, isIts } = sharedIn(bound)
  const { byId } = profile.symbols
  const ids = (symbols ?? [...byId.keys()]).filter(isIts)
  const quotes = [...new Set(ids.flatMap((id) => byId.get(id)?.quote ?? []))]
  if (amount === undefined || quotes.length < 2) return undefined
  const each = quotes.map((quote) => `${formatDecimal(amount)} ${quote}`)
  return `has one ${key} for symbols of several currencies, which is ${each.join(" and ")}; give each symbol its own, or each currency an entry`
}

/** The amount that symbols share, and which do. */
function sharedIn(bound: SizeBound | undefined) {
  if (bound?.kind !== "by_symbol") return { amount: bound?.amount, isIts: () => true }
  const isIts = (id: number): boolean => !bound.amountBySymbol.has(id)
  return { amount: bound.defaultAmount, isIts }
}
