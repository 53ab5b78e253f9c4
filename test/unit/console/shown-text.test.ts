import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { shownText } from "../../../src/console/shown-text.ts"
import { unseen } from "../../../src/std/visible.ts"
import { anyCharacter } from "../../support/any-character.ts"

describe("text that others chose", () => {
  it("is whole up to its length, and cut beyond", () => {
    assert.equal(shownText("abcd", 4), "abcd")
    assert.equal(shownText("abcde", 4), "abc…")
    assert.equal(shownText("", 4), "")
  })

  it("has what hides letters written out, within the same length", () => {
    assert.equal(shownText("up\u202ednim\n", 30), "up\\u202ednim\\u000a")
    assert.equal(shownText("\u202e", 6), "\\u202e")
    assert.equal(shownText("\u202e", 5), "\\u20…")
  })

  it("is never longer, hides nothing and is well formed, whatever it was", () => {
    const strange = fc.string({
      unit: fc.constantFrom("a", "\u202e", "\u0000", "😀", "\ud83d", "é"),
    })
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), strange),
        fc.integer({ min: 1, max: 40 }),
        (given, max) => {
          const shown = shownText(given, max)
          assert.ok(shown.length <= max && shown.isWellFormed())
          assert.equal(shown.search(unseen), -1)
        },
      ),
    )
  })
})
