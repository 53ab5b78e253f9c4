import { readUnits, type MarketSymbol } from "../state/market.ts"
import type { PricePath } from "../state/market-state.ts"

/** How many seconds back a price is remembered. */
const rememberedSeconds = 3_600

/** Prices that follow those of elsewhere: what a symbol's was when a second was looked at first, it stays for that second. */
export function followPath(latest: (symbol: MarketSymbol) => string): PricePath {
  const seen = new Map<string, bigint>()
  return {
    maxFunding: 100,
    priceAt(symbol, second) {
      const key = `${symbol.id} ${second}`
      const price = seen.get(key) ?? readUnits(latest(symbol))
      seen.set(key, price)
      seen.delete(`${symbol.id} ${second - rememberedSeconds}`)
      return price
    },
  }
}
