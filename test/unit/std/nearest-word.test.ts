import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { nearestWord } from "../../../src/std/nearest-word.ts"

const words = ["name", "rules", "symbols", "max_quantity", "max_notional"]

describe("the nearest word", () => {
  for (const [slip, meant] of [
    ["nam", "name"],
    ["nname", "name"],
    ["nema", undefined],
    ["nmae", "name"],
    ["rulez", "rules"],
    ["symbls", "symbols"],
    ["smybls", "symbols"],
    ["lane", undefined],
    ["max_quantty", "max_quantity"],
    ["max_notionl", "max_notional"],
    ["nonsense", undefined],
    ["", undefined],
  ] as const) {
    it(`to "${slip}" is ${meant ?? "none"}`, () => {
      assert.equal(nearestWord(slip, words), meant)
    })
  }

  it("is the word itself, where it is there", () => {
    const word = fc.string({ minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(word, fc.array(word), (own, others) => {
        assert.equal(nearestWord(own, [...others, own]), own)
      }),
    )
  })

  it("is found for any one slip in a long word", () => {
    const long = "authorized_addresses"
    fc.assert(
      fc.property(
        fc.nat(long.length - 2),
        fc.constantFrom("drop", "double", "swap"),
        (at, slip) => {
          const [one = "", two = ""] = long.slice(at)
          const changed = { drop: two, double: one + one + two, swap: two + one }[slip]
          const made = long.slice(0, at) + changed + long.slice(at + 2)
          assert.equal(nearestWord(made, [...words, long]), long)
        },
      ),
    )
  })
})
