import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseDurationMs } from "../../../../src/std/time/duration.ts"

describe("parseDurationMs", () => {
  it("reads a whole number with its unit", () => {
    assert.equal(parseDurationMs("250ms"), 250)
    assert.equal(parseDurationMs("10s"), 10_000)
    assert.equal(parseDurationMs("15m"), 900_000)
    assert.equal(parseDurationMs("1h"), 3_600_000)
    assert.equal(parseDurationMs("7d"), 604_800_000)
  })

  it("takes 1 ms up to 36,500 days, and nothing beyond either", () => {
    assert.equal(parseDurationMs("1ms"), 1)
    assert.equal(parseDurationMs("0ms"), undefined)
    assert.equal(parseDurationMs("36500d"), 36_500 * 86_400_000)
    assert.equal(parseDurationMs("36501d"), undefined)
    assert.equal(parseDurationMs("876000h"), 36_500 * 86_400_000)
    assert.equal(parseDurationMs("876001h"), undefined)
  })

  const refused = [
    ...["", "10", "s", "ms", "10 s", " 10s", "10s ", "10s\n", "10S", "10sec", "10w", "1h30m"],
    ...["-1s", "+1s", "01s", "1.5h", "1e3s", "0x10s", "1000000000s", "١s", "Infinitys"],
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseDurationMs(text), undefined)
    })
  }
})
