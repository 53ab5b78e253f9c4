import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { decimalText, readUnits } from "../../../../src/sandbox/state/decimal.ts"
import { numRuns } from "../../../support/runs.ts"

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
