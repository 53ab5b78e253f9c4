import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { durationText } from "../../../../src/commands/cli/duration-text.ts"
import { parseDurationMs } from "../../../../src/std/time/duration.ts"

describe("a duration as it is written in a policy", () => {
  for (const [ms, text] of [
    [1, "1ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [1_001, "1001ms"],
    [90_000, "90s"],
    [900_000, "15m"],
    [5_400_000, "90m"],
    [3_600_000, "1h"],
    [86_400_000, "24h"],
    [90_000_000, "25h"],
    [172_800_000, "2d"],
    [31 * 86_400_000, "31d"],
  ] as const) {
    it(`is ${text} of ${ms} ms`, () => {
      assert.equal(durationText(ms), text)
    })
  }

  it("is read as what it was made of", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), (ms) => {
        assert.equal(parseDurationMs(durationText(ms)), ms)
      }),
    )
  })
})
