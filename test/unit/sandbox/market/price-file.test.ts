import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parsePriceFile } from "../../../../src/sandbox/market/price-file.ts"
import { decimalText, marketSymbols } from "../../../../src/sandbox/state/market.ts"

const [btc, eth] = marketSymbols
assert.ok(btc && eth)

describe("a file of prices", () => {
  const text = [
    "time,symbol,price",
    "2026-05-28T12:00:00Z,BTC-PERP,64000",
    "2026-05-28T12:00:02Z,BTC-PERP,63000.5",
    "2026-05-28T12:00:02.500Z,2,3100",
    "1779969605000,BTC-PERP,1",
    "",
  ].join("\n")

  it("is replayed from its first line on, each price until the next", () => {
    const path = parsePriceFile(text)
    assert.ok(path.ok)
    const shown = [0, 1, 2, 4, 5, 90].map((second) => decimalText(path.value.priceAt(btc, second)))
    assert.deepEqual(shown, ["64000", "64000", "63000.5", "63000.5", "1", "1"])
  })

  it("has a symbol's first price from the beginning, and the reference price for one that it doesn't name", () => {
    const path = parsePriceFile(text)
    assert.ok(path.ok)
    assert.deepEqual(
      [0, 9].map((second) => decimalText(path.value.priceAt(eth, second))),
      ["3100", "3100"],
    )
    const only = parsePriceFile("5,BTC-PERP,1")
    assert.ok(only.ok)
    assert.equal(decimalText(only.value.priceAt(eth, 0)), "3200")
  })

  const wrong: readonly (readonly [string, RegExp])[] = [
    ["", /^it has no line of time,symbol,price\.$/],
    ["time,symbol,price\n", /^it has no line/],
    ["1,BTC-PERP", /^line 1: it must be time,symbol,price\.$/],
    ["1,BTC-PERP,2,3", /^line 1: it must be time,symbol,price\.$/],
    ["noon,BTC-PERP,2", /^line 1: its time must be like/],
    ["2026-05-28T25:00:00Z,BTC-PERP,2", /^line 1: its time must be like/],
    ["1,DOGE-PERP,2", /^line 1: its symbol must be one of BTC-PERP, ETH-PERP, BTC-USD\.$/],
    ["1,BTC-PERP,0.0", /^line 1: its price must be a decimal above zero/],
    ["1,BTC-PERP,-2", /^line 1: its price/],
    ["1,BTC-PERP,1.123456789", /^line 1: its price/],
    ["2,BTC-PERP,1\n1,BTC-PERP,1", /^line 2: its time is before that of the line above\.$/],
  ]
  for (const [content, sentence] of wrong) {
    it(`isn't ${JSON.stringify(content)}`, () => {
      const path = parsePriceFile(content)
      assert.ok(!path.ok)
      assert.match(path.error, sentence)
    })
  }
})
