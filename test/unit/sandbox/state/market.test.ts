import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  decimalText,
  marketSymbols,
  movingTicker,
  readUnits,
  stillTicker,
} from "../../../../src/sandbox/state/market.ts"
import { numRuns } from "../../../support/runs.ts"

const [btc, eth] = marketSymbols
assert.ok(btc && eth)
const startMs = 1_780_000_000_000

/** The prices of so many seconds, one each. */
function walk(seed: number, seconds: number, symbol = btc!): readonly number[] {
  const ticker = movingTicker(seed)
  return Array.from({ length: seconds }, (_, at) => Number(ticker(symbol, startMs + at * 1_000)))
}

describe("the sandbox's ticker", () => {
  it("stands still unless it is told to move", () => {
    assert.equal(stillTicker(btc, startMs), "64000")
    assert.equal(stillTicker(btc, startMs + 3_600_000), "64000")
  })

  it("begins at the reference price, and moves each second and not within one", () => {
    const ticker = movingTicker(1)
    assert.deepEqual([ticker(btc, startMs), ticker(btc, startMs + 999)], ["64000", "64000"])
    assert.ok(new Set(walk(1, 60)).size > 40)
  })

  it("steps by 0.05 % of the reference price at most, and stays within 5 % of it", () => {
    for (const seed of [1, 2, 3]) {
      const prices = walk(seed, 20_000)
      prices.forEach((price, at) => {
        assert.ok(Math.abs(price - (prices[at - 1] ?? 64_000)) <= 32.000_001)
        assert.ok(Math.abs(price - 64_000) <= 3_200)
      })
    }
  })

  it("gives the same prices for the same seed, however often one looks, and others for another", () => {
    const rare = movingTicker(1)
    rare(btc, startMs)
    assert.equal(Number(rare(btc, startMs + 59_000)), walk(1, 60).at(-1))
    assert.notDeepEqual(walk(1, 60), walk(2, 60))
  })

  it("moves each symbol by itself, in digits without an exponent", () => {
    const ratios = (prices: readonly number[], from: number) => prices.map((price) => price / from)
    assert.notDeepEqual(ratios(walk(1, 60), 64_000), ratios(walk(1, 60, eth), 3_200))
    assert.match(movingTicker(1)(eth, startMs), /^\d+(\.\d+)?$/)
  })
})

describe("the sandbox's decimals", () => {
  const texts = [
    ["0", "0"],
    ["1", "1"],
    ["001.50", "1.5"],
    ["0.0", "0"],
    [`0.${"0".repeat(39)}1`, `0.${"0".repeat(39)}1`],
    ["9".repeat(40), "9".repeat(40)],
  ] as const
  for (const [text, shortest] of texts) {
    it(`read ${text} and write ${shortest}`, () => {
      assert.equal(decimalText(readUnits(text)), shortest)
    })
  }

  it("come back from their text, and add up exactly", () => {
    const units = fc.bigInt({ min: 0n, max: 10n ** 60n })
    fc.assert(
      fc.property(units, units, (left, right) => {
        assert.equal(readUnits(decimalText(left)), left)
        assert.equal(readUnits(decimalText(left)) + readUnits(decimalText(right)), left + right)
      }),
      numRuns(200),
    )
  })
})
