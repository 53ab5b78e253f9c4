import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  clockWords,
  dateWords,
  fineClockWords,
  groupedDecimal,
  leftWords,
  shortHex,
  sentenceOf,
  shortNumber,
  spanWords,
} from "../../../../src/console/page/words.ts"
import { numRuns } from "../../../support/runs.ts"

type Case = readonly [given: number, words: string]

function each(words: (given: number) => string, cases: readonly Case[]): void {
  for (const [given, expected] of cases) assert.equal(words(given), expected, String(given))
}

describe("the console's words", () => {
  it("tell a span in the largest unit of which there are two", () => {
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
    each(spanWords, [
      [-5, "0 s"],
      [999, "0 s"],
      [2 * minute - 1, "119 s"],
      [2 * minute, "2 min"],
      [2 * hour - 1, "119 min"],
      [2 * hour, "2 h"],
      [2 * day - 1, "47 h"],
      [2 * day, "2 d"],
      [29.9 * day, "29 d"],
    ])
  })

  it("tell a number as short as its size allows", () => {
    each(shortNumber, [
      [0, "0"],
      [0.42, "0.42"],
      [0.994, "0.99"],
      [0.996, "1.0"],
      [7.14, "7.1"],
      [9.94, "9.9"],
      [9.96, "10"],
      [118.4, "118"],
      [1_234_567, "1,234,567"],
    ])
  })

  it("tell what is left in whole percent, and no more than there is", () => {
    each(leftWords, [
      [0, "100 % left"],
      [0.9, "10 % left"],
      [0.901, "9 % left"],
      [0.99, "1 % left"],
      [0.995, "less than 1 % left"],
      [1, "spent"],
      [1.5, "spent"],
    ])
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99 }), (percent) => {
        assert.equal(leftWords(percent / 100), `${100 - percent} % left`)
      }),
      numRuns(100),
    )
  })

  it("set thousands apart before the point alone, and change no digit", () => {
    assert.equal(groupedDecimal("999"), "999")
    assert.equal(groupedDecimal("1000"), "1,000")
    assert.equal(groupedDecimal("-1234567.1234567"), "-1,234,567.1234567")
    assert.equal(groupedDecimal("-123"), "-123")
    fc.assert(
      fc.property(fc.bigInt(), (amount) => {
        const grouped = groupedDecimal(String(amount))
        assert.equal(grouped.replaceAll(",", ""), String(amount))
        assert.match(grouped, /^-?\d{1,3}(,\d{3})*$/)
      }),
      numRuns(100),
    )
  })

  it("make a sentence of words, and leave a command its small letter", () => {
    assert.equal(sentenceOf("locked: look"), "Locked: look.")
    assert.equal(sentenceOf("countersign unlock loads them"), "countersign unlock loads them.")
  })

  it("shorten what is longer than fourteen digits", () => {
    assert.equal(shortHex("0x123456789abc"), "0x123456789abc")
    assert.equal(shortHex("0x123456789abcd"), "0x1234…abcd")
  })

  it("tell times in UTC wherever the reader is, with two digits each", () => {
    const atMs = Date.UTC(2026, 10, 2, 4, 5, 6, 78)
    assert.equal(clockWords(atMs), "04:05:06")
    assert.equal(fineClockWords(atMs), "04:05:06.078")
    assert.equal(dateWords(atMs), "2026-11-02T04:05:06Z")
    const midnightMs = Date.UTC(2026, 10, 2)
    assert.equal(fineClockWords(midnightMs), "00:00:00.000")
  })
})
