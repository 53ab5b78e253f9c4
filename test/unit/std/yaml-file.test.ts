import assert from "node:assert/strict"
import { describe, it } from "node:test"

import * as z from "zod"

import { problemText, parseYaml } from "../../../src/std/yaml-file.ts"

const schema = z.strictObject({
  name: z.string().optional(),
  limits: z.array(z.strictObject({ max: z.string() })).optional(),
  bounds: z.record(z.string(), z.string()).optional(),
})

function read(...lines: readonly string[]) {
  const parsed = parseYaml(lines.join("\n"), "test.yaml", schema)
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.error.map(problemText).join("\n"))
  return parsed.value
}

/** Every problem as people read it. */
function problemsOf(...lines: readonly string[]): readonly string[] {
  const parsed = parseYaml(lines.join("\n"), "test.yaml", schema)
  assert.ok(!parsed.ok, "expected it to be refused")
  return parsed.error.map(problemText)
}

describe("parseYaml", () => {
  it("keeps every scalar the string that is written", () => {
    const words = ["1.10", "0xabc", "yes", "no", "null", "~", "true", "1e3", "0o17", "-0", ".5"]
    const dates = ["2026-11-20", "12:30:45", "<<", "=", "1_000", "NaN"]
    for (const word of [...words, ...dates]) {
      assert.equal(read(`name: ${word}`).value.name, word)
      assert.equal(read("%YAML 1.1", "---", `name: ${word}`).value.name, word)
    }
  })

  it("reads quoted and block text, flow style and comments", () => {
    const { value } = read(
      "# a comment",
      "name: 'it''s' # another",
      'limits: [{max: "1"}, {max: 2}]',
      "bounds:",
      "  a: |",
      "    two",
      "    lines",
    )
    assert.equal(value.name, "it's")
    assert.deepEqual(value.limits, [{ max: "1" }, { max: "2" }])
    assert.equal(value.bounds?.["a"], "two\nlines\n")
  })

  it("reads an empty file, or one of comments, as an empty object", () => {
    assert.deepEqual({ ...read("").value }, {})
    assert.deepEqual({ ...read("# nothing here", "").value }, {})
  })

  it("reads a file with a byte order mark and one with line ends of Windows", () => {
    assert.equal(read("\ufeffname: x").value.name, "x")
    assert.equal(read("name: x\r", "bounds: {a: b}\r", "").value.name, "x")
  })

  it("tells an unknown key at its own line, and all of them at once", () => {
    assert.deepEqual(problemsOf("name: x", "nmae: y", "limits:", "  - max: 1", "    mxa: 2"), [
      'test.yaml:5:5: unknown key "mxa"; did you mean "max"? (at limits.0)',
      'test.yaml:2:1: unknown key "nmae"; did you mean "name"?',
    ])
  })

  it("tells a wrong value at its key, and a missing one at what should hold it", () => {
    const [problem, ...others] = problemsOf("name: [x]")
    assert.match(problem!, /^test\.yaml:1:1: .*\(at name\)$/)
    assert.deepEqual(others, [])
    const [missing] = problemsOf("limits:", "  - {max: 1}", "  - {}")
    assert.match(missing!, /^test\.yaml:3:5: .*\(at limits\.1\.max\)$/)
  })

  it("refuses a key that is there twice, at the second", () => {
    assert.deepEqual(problemsOf("name: x", "bounds: {}", "name: y"), [
      "test.yaml:3:1: this key is there already; put what belongs to it under the first",
    ])
    assert.deepEqual(problemsOf('name: x\n"name": y').length, 1)
    assert.equal(problemsOf("bounds: {a: x, b: y, a: z}").length, 1)
  })

  it("refuses anchors and aliases, on keys too", () => {
    const says = "anchors and aliases aren't supported; write the value out"
    assert.deepEqual(problemsOf("bounds:", "  a: &x one", "  b: *x"), [
      `test.yaml:2:9: ${says}`,
      `test.yaml:3:6: ${says}`,
    ])
    assert.deepEqual(problemsOf("&x name: y"), [`test.yaml:1:4: ${says}`])
    assert.deepEqual(problemsOf("name: &x"), [`test.yaml:1:9: ${says}`])
  })

  it("refuses tags, also the standard ones and on keys", () => {
    for (const tag of ["!!str", "!!int", "!x", "!", "!<tag:yaml.org,2002:str>"]) {
      assert.equal(problemsOf(`name: ${tag} 5`).length, 1, tag)
      assert.equal(problemsOf(`${tag} name: x`).length, 1, tag)
    }
    assert.equal(problemsOf("bounds: !!map {a: b}").length, 1)
    assert.match(problemsOf("name: !!str 5")[0]!, /^test\.yaml:1:13: the tag .* remove it$/)
  })

  it("merges nothing: << is a key like any other", () => {
    assert.deepEqual(problemsOf("<<: {name: x}"), ['test.yaml:1:1: unknown key "<<"'])
  })

  it("refuses keys that JavaScript gives a meaning, at every depth", () => {
    for (const key of ["__proto__", "constructor", "prototype"]) {
      assert.deepEqual(problemsOf(`${key}: {name: x}`), [`test.yaml:1:1: "${key}" can't be a key`])
      assert.deepEqual(problemsOf("bounds:", `  "${key}": x`), [
        `test.yaml:2:3: "${key}" can't be a key`,
      ])
    }
    assert.equal(({} as Record<string, unknown>)["name"], undefined)
  })

  it("refuses keys that aren't plain words", () => {
    assert.deepEqual(problemsOf("? [a]", ": x"), ["test.yaml:1:3: every key must be a plain word"])
    assert.deepEqual(problemsOf("? {a: b}", ": x").length, 1)
  })

  it("refuses a key without a colon, which has no value", () => {
    assert.deepEqual(problemsOf("bounds: {a, b: x}"), [
      'test.yaml:1:10: "a" has no value; write one, or remove it',
    ])
    assert.deepEqual(problemsOf("? name"), [
      'test.yaml:1:3: "name" has no value; write one, or remove it',
    ])
  })

  it("refuses half a character, which has no UTF-8 of its own", () => {
    assert.match(problemsOf('name: "\\ud800"')[0]!, /^test\.yaml:1:7: .*lone surrogate/)
    assert.match(problemsOf('"\\ud800": x')[0]!, /^test\.yaml:1:1: .*lone surrogate/)
  })

  it("tells bad syntax with its line and column", () => {
    assert.match(problemsOf("name: x", "bounds: {a: b")[0]!, /^test\.yaml:2:\d+: /)
    assert.match(problemsOf("name: x", "\tbounds: y")[0]!, /^test\.yaml:2:1: /)
    assert.match(problemsOf("name: 'x")[0]!, /^test\.yaml:1:\d+: Missing closing 'quote/)
    assert.match(
      problemsOf("%FOO bar", "---", "name: x")[0]!,
      /^test\.yaml:1:\d+: Unknown directive/,
    )
  })

  it("refuses a second document", () => {
    assert.deepEqual(problemsOf("name: x", "---", "name: y"), [
      "test.yaml:2:1: a file holds one document; remove this one",
    ])
  })

  it("refuses a file that isn't a map", () => {
    for (const text of ["just text", "- a", "[]"]) {
      assert.match(problemsOf(text)[0]!, /^test\.yaml:1:1: /)
    }
  })

  it("refuses ten thousand brackets without a crash", () => {
    assert.ok(problemsOf("[".repeat(10_000)).length > 0)
    assert.ok(problemsOf("bounds: " + "{a: ".repeat(10_000)).length > 0)
  })

  it("makes objects without a prototype", () => {
    const anything = parseYaml("a: {toString: x}", "test.yaml", z.unknown())
    assert.ok(anything.ok)
    const value = anything.value.value as { a: object }
    assert.equal(Object.getPrototypeOf(value), null)
    assert.equal(Object.getPrototypeOf(value.a), null)
  })
})

describe("placeOf", () => {
  const { placeOf } = read(
    "name: x",
    "limits:",
    "  - max: 1",
    "  - {max: 2}",
    "bounds: {a: b, '7': c}",
  )

  it("gives the place of a key in a map, and of an item in a list", () => {
    assert.deepEqual(placeOf(["name"]), { line: 1, column: 1 })
    assert.deepEqual(placeOf(["limits"]), { line: 2, column: 1 })
    assert.deepEqual(placeOf(["limits", 0]), { line: 3, column: 5 })
    assert.deepEqual(placeOf(["limits", 1]), { line: 4, column: 5 })
    assert.deepEqual(placeOf(["limits", 1, "max"]), { line: 4, column: 6 })
    assert.deepEqual(placeOf(["bounds", "7"]), { line: 5, column: 16 })
  })

  it("gives the nearest place above what isn't written", () => {
    assert.deepEqual(placeOf(["limits", 1, "min"]), { line: 4, column: 5 })
    assert.deepEqual(placeOf(["limits", 9, "max"]), { line: 2, column: 1 })
    assert.deepEqual(placeOf(["nothing", "here"]), { line: 1, column: 1 })
    assert.deepEqual(placeOf([]), { line: 1, column: 1 })
  })

  it("gives the first line of an empty file", () => {
    assert.deepEqual(read("").placeOf(["name"]), { line: 1, column: 1 })
  })
})
