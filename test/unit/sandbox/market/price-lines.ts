import assert from "node:assert/strict"

import { parsePriceFile } from "../../../../src/sandbox/market/price-file.ts"
import type { PricePath } from "../../../../src/sandbox/state/market-state.ts"

/** A path on which BTC has these prices, each for a second, and the last for good; without funding. */
export function pricesOf(...prices: readonly string[]): PricePath {
  const lines = prices.flatMap((price, second) => [
    `${second * 1_000},BTC-PERP,${price}`,
    `${second * 1_000},BTC-USD,${price}`,
  ])
  const path = parsePriceFile(lines.join("\n"))
  assert.ok(path.ok)
  return { ...path.value, maxFunding: 0 }
}
