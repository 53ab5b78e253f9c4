import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { openHistogram, waitBoundsSeconds, workBoundsSeconds } from "../../../src/std/histogram.ts"
import { numRuns } from "../../support/runs.ts"

describe("a histogram", () => {
  for (const [value, index] of [
    [0, 0],
    [1, 0],
    [1.001, 1],
    [10, 1],
    [10.001, 2],
    [1e9, 2],
  ] as const) {
    it(`counts ${value} in part ${index} of three`, () => {
      const histogram = openHistogram([1, 10])
      histogram.observe(value)
      const counts = [0, 0, 0].with(index, 1)
      assert.deepEqual(histogram.read(), { counts, sum: value })
    })
  }

  it("counts every value once, and adds them up", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100)), (values) => {
        const histogram = openHistogram([5, 20, 80])
        for (const value of values) histogram.observe(value)
        const { counts, sum } = histogram.read()
        const inAll = counts.reduce((total, count) => total + count, 0)
        assert.equal(inAll, values.length)
        assert.equal(
          sum,
          values.reduce((total, value) => total + value, 0),
        )
        assert.equal(counts[0], values.filter((value) => value <= 5).length)
      }),
      numRuns(100),
    )
  })

  for (const [name, bounds] of Object.entries({ workBoundsSeconds, waitBoundsSeconds })) {
    it(`has bounds that rise (${name})`, () => {
      assert.deepEqual(
        [...bounds],
        bounds.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(bounds).size, bounds.length)
    })
  }
})
