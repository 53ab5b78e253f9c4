import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { agoWords, spanWords, utcText } from "../../../../src/std/time/time-words.ts"

const dayMs = 86_400_000

describe("a span of time", () => {
  const cases: readonly (readonly [number, string])[] = [
    [-5, "0 s"],
    [999, "0 s"],
    [119_999, "119 s"],
    [120_000, "2 min"],
    [7_199_999, "119 min"],
    [7_200_000, "2 h"],
    [2 * dayMs - 1, "47 h"],
    [2 * dayMs, "2 d"],
    [29.9 * dayMs, "29 d"],
  ]
  for (const [spanMs, words] of cases) {
    it(`of ${spanMs} ms is ${words}`, () => assert.equal(spanWords(spanMs), words))
  }
})

describe("a moment", () => {
  it("is told in UTC and seconds", () => {
    assert.equal(utcText(Date.UTC(2026, 10, 28, 5, 10, 58, 999)), "2026-11-28T05:10:58Z")
  })

  it("is some time ago, now, or lies ahead", () => {
    assert.equal(agoWords(10_000, 11_000), "1 s ago")
    assert.equal(agoWords(10_000, 10_999), "now")
    assert.equal(agoWords(10_999, 10_000), "now")
    assert.equal(agoWords(11_000, 10_000), "in 1 s")
  })
})
