import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { table, textOf, toned, type Line } from "../../../../src/commands/cli/lines.ts"

function shown(lines: readonly Line[], width: number): readonly string[] {
  return textOf(lines, { width, hasColours: true }).split("\n")
}

describe("a table", () => {
  const roles = table(
    ["NAME", "ROLE"],
    [
      ["mm", "agent"],
      ["treasury", "wallet"],
    ],
  )
  const inColumns = ["NAME      ROLE", "mm        agent", "treasury  wallet"]
  const inBlocks = ["NAME mm", "  ROLE agent", "NAME treasury", "  ROLE wallet"]

  it("stands in columns where its longest line just fits", () => {
    assert.deepEqual(shown([roles], 16), inColumns)
  })

  it("becomes blocks, with nothing cut off, where it is one character too wide", () => {
    assert.deepEqual(shown([roles], 15), inBlocks)
  })

  it("has in a block as many cells on a line as just fit", () => {
    const wide = table(["A", "B", "C"], [["1", "22", "w".repeat(30)]])
    assert.deepEqual(shown([wide], 9), ["A 1  B 22", `  C ${"w".repeat(30)}`])
    assert.deepEqual(shown([wide], 8), ["A 1", "  B 22", `  C ${"w".repeat(30)}`])
  })

  it("stands in columns in a pipe, however wide it is", () => {
    const wide = table(["A", "B"], [["w".repeat(1_000), "b"]])
    assert.equal(shown([wide], Infinity).length, 2)
  })

  it("stands between other lines, which are left as they are", () => {
    assert.deepEqual(shown(["one, longer than the table", roles, ""], 16), [
      "one, longer than the table",
      ...inColumns,
      "",
    ])
  })

  it("measures words in colour as they look", () => {
    const ok = "\u001b[32mok\u001b[39m"
    const states = table(["STATE", "WHY"], [[ok, "fine"]])
    assert.deepEqual(shown([states], 11), ["STATE  WHY", `${ok}     fine`])
    assert.deepEqual(shown([states], 10), [`STATE ${ok}`, "  WHY fine"])
  })

  it("has no trailing spaces, and cells that aren't there are empty", () => {
    assert.deepEqual(shown([table(["A", "B"], [["long", ""]])], 80), ["A     B", "long"])
  })
})

describe("a word that tells a state", () => {
  for (const [tone, code] of [
    ["good", 32],
    ["doubtful", 33],
    ["bad", 31],
  ] as const) {
    it(`is in colour ${code} when it is ${tone}, on a screen that has colours`, () => {
      assert.deepEqual(shown([toned("word", tone)], 80), [`\u001b[${code}mword\u001b[39m`])
    })

    it(`has no colour on one that has none when it is ${tone}`, () => {
      assert.equal(textOf([toned("word", tone)], { width: 80, hasColours: false }), "word")
    })
  }
})
