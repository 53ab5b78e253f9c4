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

/** What people write by mistake. */
const badSyntax = [
  "name: a: b",
  "name: - b",
  "name: [b",
  'name: "b',
  "name: 1\n b: 2",
  "- a\nb: 2",
  "name: @b",
  "name: `b`",
  "name: %b",
  "name: |x\n  b",
  "name: 'x' y",
  'name: "\\q"',
  "name: *",
  "name: &",
  "name: !<",
  "a\n b:1\nc: 2",
  "name: }",
  " a: 1\nb: 2",
  "a:\n  - b\n - c",
  "limits: [1,,2]",
  "name: >-2 x\n  b",
  "name: {b: {c}: d}",
  "name: >\n\tb",
  "name: 1\n---\nb: 2",
  "a: [b: c\n  d: e]",
  "a: {? b: c\n- d}",
  "a: [\n- b\n]",
]

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
    assert.match(problemsOf("name: 'x")[0]!, /^test\.yaml:1:\d+: a quote isn't closed/)
    assert.match(
      problemsOf("%FOO bar", "---", "name: x")[0]!,
      /^test\.yaml:1:\d+: .* begins with %/,
    )
  })

  it("tells bad syntax in words for people who write files, and not in the parser's", () => {
    const talk =
      /mapping|scalar|implicit|token|flow|compact|block|indicator|stream|node|sequence|parseAll/i
    for (const text of badSyntax) {
      const problems = problemsOf(text)
      for (const problem of problems) assert.doesNotMatch(problem, talk, JSON.stringify(text))
    }
    assert.match(problemsOf("name: a: b")[0]!, /^test\.yaml:1:7: .*in quotes/)
    assert.match(problemsOf("name: @b")[0]!, /^test\.yaml:1:7: .*in quotes/)
    assert.match(problemsOf("name: x", "\tbounds: y")[0]!, /spaces, not (?:with )?tabs/)
  })

  it("refuses a line that ends by a carriage return alone, which other readers take for a line's end", () => {
    const says =
      "a carriage return without a line feed ends a line for some readers and not for others"
    for (const text of [
      "name: x # note\rbounds: {a: b}\n",
      "name: x\r",
      'name: "x\r  y"\n',
      "#\r",
    ]) {
      assert.match(problemsOf(text)[0]!, new RegExp(`^test\\.yaml:1:\\d+: ${says}`), text)
    }
    assert.match(
      problemsOf("name: x\r", "bounds: {a: b}", "# a\r\r")[0]!,
      /^test\.yaml:3:4: a carr/,
    )
    assert.equal(read("name: x\r", "# a\r", "bounds: {a: b}\r", "").value.name, "x")
  })

  it("refuses what else ends a line for some readers: NEL, U+2028 and U+2029", () => {
    for (const character of ["\u0085", "\u2028", "\u2029"]) {
      assert.match(
        problemsOf("name: x", `# a${character}limits: []`)[0]!,
        /^test\.yaml:2:4: .*ends? a line/,
      )
      assert.match(problemsOf(`name: a${character}b`)[0]!, /^test\.yaml:1:8: /)
    }
  })

  it("refuses characters that YAML allows in no file, and names them", () => {
    const refused = [
      "\0",
      "\u0001",
      "\b",
      "\v",
      "\f",
      "\u001b",
      "\u007f",
      "\u0080",
      "\u009f",
      "\ufffe",
      "\uffff",
    ]
    for (const character of [...refused, "\ud800", "\udfff"]) {
      const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`
      for (const line of [
        `name: a${character}b`,
        `name: x #${character}`,
        `name: "a${character}"`,
      ]) {
        const [problem = "", ...others] = problemsOf("# first", line, "limits: []")
        assert.ok(problem.startsWith("test.yaml:2:"), problem)
        assert.ok(problem.includes(code), problem)
        assert.deepEqual(others, [])
      }
    }
  })

  it("refuses a byte order mark anywhere but at the beginning", () => {
    assert.match(
      problemsOf("name: x", "\ufefflimits: []")[0]!,
      /^test\.yaml:2:1: .*byte order mark/,
    )
    assert.match(problemsOf("\ufeff\ufeffname: x")[0]!, /^test\.yaml:1:2: .*byte order mark/)
    assert.match(problemsOf('name: "\ufeff"')[0]!, /^test\.yaml:1:8: .*byte order mark/)
  })

  it("refuses characters that turn the direction of letters, which show a person another text", () => {
    for (const character of ["\u061c", "\u200e", "\u202a", "\u202e", "\u2066", "\u2069"]) {
      assert.match(problemsOf(`# ${character}`, "name: x")[0]!, /^test\.yaml:1:3: .*order/)
    }
  })

  it("reads all of it as an escape in double quotes, and every other character as it is", () => {
    assert.equal(
      read('name: "\\r\\0\\u0085\\u2028\\u202e\\ufeff"').value.name,
      "\r\0\u0085\u2028\u202e\ufeff",
    )
    for (const text of ["\u00a0", "é", "\ud7ff", "\ue000", "\ufffd", "日本", "😀", "עברית"]) {
      assert.equal(read(`name: a${text}b # ${text}`).value.name, `a${text}b`)
    }
    assert.equal(read("name: a\tb\t# c").value.name, "a\tb")
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
