import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { walkPath, type MoodName } from "../../../../src/sandbox/market/price-path.ts"
import type { PricePath } from "../../../../src/sandbox/state/market-state.ts"
import {
  decimalText,
  marketSymbols,
  type MarketSymbol,
} from "../../../../src/sandbox/state/market.ts"

const [btc, eth, spot] = marketSymbols
assert.ok(btc && eth && spot)

function prices(mood: MoodName, seed: number, seconds: number): readonly number[] {
  return pricesIn(btc!, walkPath(mood, seed), seconds)
}

function pricesIn(
  symbol: MarketSymbol,
  { priceAt }: PricePath,
  seconds: number,
): readonly number[] {
  return Array.from({ length: seconds }, (_, second) =>
    Number(decimalText(priceAt(symbol, second))),
  )
}

function changes(walk: readonly number[]): readonly number[] {
  return walk.slice(1).map((price, at) => Math.abs(price / (walk[at] ?? price) - 1))
}

describe("a market's prices", () => {
  for (const mood of ["calm", "volatile", "crash"] as const) {
    it(`begin at the reference price and are whole hundredths above zero: ${mood}`, () => {
      const walk = prices(mood, 7, 3_000)
      assert.equal(walk[0], 64_000)
      const { priceAt } = walkPath(mood, 7)
      for (let second = 0; second < 3_000; second += 1) {
        assert.match(decimalText(priceAt(btc, second)), /^[1-9]\d*(\.\d{1,2})?$/)
      }
    })
  }

  it("are the same for the same seed, however one looks, and others for another", () => {
    const late = walkPath("volatile", 7)
    const at900 = Number(decimalText(late.priceAt(btc, 900)))
    assert.equal(at900, prices("volatile", 7, 901).at(-1))
    assert.equal(Number(decimalText(late.priceAt(btc, 10))), prices("volatile", 7, 11).at(-1))
    assert.notDeepEqual(prices("volatile", 7, 60), prices("volatile", 8, 60))
  })

  it("move little when calm, more and by jumps when volatile", () => {
    const calm = changes(prices("calm", 7, 5_000))
    const wild = changes(prices("volatile", 7, 5_000))
    assert.ok(Math.max(...calm) < 0.000_4)
    assert.ok(wild.filter((change) => change > 0.003).length > 10)
    assert.ok(Math.max(...wild) < 0.03)
  })

  it("fall by about 30 % within 30 seconds after the first minute of a crash", () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const walk = prices("crash", seed, 91)
      const fall = 1 - (walk[90] ?? 0) / (walk[59] ?? 1)
      assert.ok(fall > 0.25 && fall < 0.36, String(fall))
    }
  })

  it("are one for symbols of one base, and go their own ways for others", () => {
    assert.deepEqual(pricesIn(spot, walkPath("volatile", 7), 60), prices("volatile", 7, 60))
    const ratios = (walk: readonly number[]) => walk.map((price) => price / (walk[0] ?? 1))
    assert.notDeepEqual(
      ratios(pricesIn(eth, walkPath("volatile", 7), 60)),
      ratios(prices("volatile", 7, 60)),
    )
  })
})
