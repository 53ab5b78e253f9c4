import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parsePattern } from "../../../../../src/vault/policy/terms/pattern.ts"

function patternOf(source: string) {
  const parsed = parsePattern(source)
  assert.ok(parsed.ok, source)
  return parsed.value
}

describe("a pattern", () => {
  it("is held against the whole text, whatever anchors and alternatives it has", () => {
    for (const [source, text, isMatch] of [
      ["a|ab", "ab", true],
      ["ab|a", "a", true],
      ["a|b", "ab", false],
      ["^a", "ab", false],
      ["b$", "ab", false],
      ["(?m)^a$", "a\nb", false],
      ["a", "a\n", false],
      [".", "\n", false],
      [".", "é", true],
      ["(?i)mm-.*", "MM-1", true],
      ["[0-9]{3}", "١٢٣", false],
      [".*", "", true],
    ] as const) {
      assert.equal(
        patternOf(source).matches(text),
        isMatch,
        `${source} and ${JSON.stringify(text)}`,
      )
    }
  })

  it("answers in time that grows with the text alone, where backtracking wouldn't come back", () => {
    assert.equal(patternOf("(a*)*b").matches("a".repeat(60_000)), false)
    assert.equal(patternOf("(a|aa)+").matches(`${"a".repeat(60_000)}b`), false)
  })

  it("may be 200 characters long and no longer", () => {
    assert.ok(parsePattern("a".repeat(200)).ok)
    for (const source of ["a".repeat(201), ""]) {
      assert.deepEqual(parsePattern(source), {
        ok: false,
        error: "must be a regular expression of 1 to 200 characters",
      })
    }
  })

  it("has no backreferences, no lookaround and no repetition that blows up", () => {
    for (const source of [
      "(a)\\1",
      "(?=a)",
      "(?<!a)b",
      "(",
      "a{1001}",
      "((a{100}){100}){100}",
      "[",
    ]) {
      const parsed = parsePattern(source)
      assert.equal(parsed.ok, false, source)
      assert.match(parsed.error, /^isn't a regular expression in RE2's syntax: ./)
    }
  })
})
