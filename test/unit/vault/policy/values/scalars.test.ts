import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parsePattern } from "../../../../../src/vault/policy/values/scalars.ts"

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
    assert.equal(patternOf("(a*)*b").matches("a".repeat(1_024)), false)
    assert.equal(patternOf("(a|aa)+").matches(`${"a".repeat(1_023)}b`), false)
  })

  it("reads a text of 1,024 characters and no longer one", () => {
    assert.equal(patternOf("a*").matches("a".repeat(1_024)), true)
    assert.equal(patternOf("a*").matches("a".repeat(1_025)), undefined)
  })

  it("answers soon, or isn't taken, however it repeats", () => {
    const repeats = ["a?", "[a-z]{0,30}", ".{0,10}", "(a|ab|b)", "(a?){10}"].flatMap((inner) =>
      [10, 20, 40, 80, 160, 320, 1_000].map((times) => `(${inner}){0,${times}}`),
    )
    const read = repeats.map(parsePattern)
    const taken = read.flatMap((each) => (each.ok ? [each.value] : []))
    assert.ok(taken.length > 5 && taken.length < repeats.length)
    assert.ok(read.some((each) => !each.ok && each.error === "repeats too much; repeat less"))
    for (const { source, matches } of taken) {
      const startedMs = performance.now()
      for (const length of [36, 256, 1_024]) matches("ab".repeat(length / 2))
      const tookMs = performance.now() - startedMs
      assert.ok(tookMs < 600, `${source} took ${Math.round(tookMs)} ms`)
    }
  })

  it("takes what is written for names: a length, hex digits, a few words", () => {
    for (const source of [
      "[a-z0-9-]{1,36}",
      "0x[0-9a-fA-F]{64}",
      "(mm|arb)-[0-9]{1,32}",
      ".{0,200}",
    ]) {
      patternOf(source)
    }
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
