import { addDecimals, type Decimal, formatDecimal, zero } from "../../venue/decimal.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { worstOf } from "../policy/bounds/order-size.ts"
import type { OrderSize } from "../policy/terms/decision.ts"
import type { ParsedRequest } from "./parse-request.ts"

/** How the worst case names an order: `buy DOGE-USD`, and what it is priced in where venue.yaml lists its symbol. */
export type NamedOrder = { readonly side: string; readonly quote: string | undefined }

/** The orders of a request, in the order of their sizes. */
export function namedOrders(
  { payload }: Pick<ParsedRequest, "payload">,
  { profile }: Pick<ActiveSet, "profile">,
): readonly NamedOrder[] {
  if (payload.kind !== "orders") return []
  return payload.orders.map(({ symbolId, isBuy }) => {
    const symbol = profile.symbols.byId.get(symbolId)
    const side = `${isBuy ? "buy" : "sell"} ${symbol?.name ?? `symbol ${symbolId}`}`
    return { side, quote: symbol?.quote }
  })
}

type Sized = NamedOrder & { readonly cost: Decimal | undefined }

/**
 * What orders can cost at worst, in words, for the person who decides; where there are several symbols or sides, then of
 * each: `61 orders, up to 220 USD and 64 BTC; 60 buy DOGE-USD: up to 220 USD; 1 sell ETH-BTC: up to 64 BTC`.
 */
export function worstCaseText(sizes: readonly OrderSize[], orders: readonly NamedOrder[]): string {
  const all = orders.map((order, index) => ({ ...order, cost: worstOf(sizes[index]) }))
  if (all.length === 0) return "no order that can be read"
  const total = `${all.length === 1 ? "one order" : `${all.length} orders`}, ${boundText(all)}`
  const groups = [...Map.groupBy(all, ({ side }) => side)]
  if (groups.length === 1) return total
  const parts = groups.map(([side, each]) => `${each.length} ${side}: ${boundText(each)}`)
  return [total, ...parts].join("; ")
}

/** `up to 220 USD and 64 BTC`: amounts of two currencies are never added. */
function boundText(orders: readonly Sized[]): string {
  const sums = new Map<string, Decimal>()
  for (const { quote = "quote units", cost = zero } of orders) {
    sums.set(quote, addDecimals(sums.get(quote) ?? zero, cost))
  }
  const sum = [...sums].map(([quote, each]) => `${formatDecimal(each)} ${quote}`).join(" and ")
  const unsized = orders.filter(({ cost }) => cost === undefined).length
  return unsized === 0 ? `up to ${sum}` : `more than ${sum}: ${unsized} can't be sized`
}
