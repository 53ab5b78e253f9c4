import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"

import { printFailure, table, toned, visible } from "../../../src/commands/print.ts"
import { Fault } from "../../../src/std/fault.ts"

describe("a table", () => {
  const rows = [
    ["mm", "agent"],
    ["treasury", "wallet"],
  ]
  const inColumns = ["NAME      ROLE", "mm        agent", "treasury  wallet"]
  const inBlocks = ["NAME  mm", "ROLE  agent", "", "NAME  treasury", "ROLE  wallet"]

  it("stands in columns where its longest line just fits", () => {
    assert.deepEqual(table(["NAME", "ROLE"], rows, 16), inColumns)
  })

  it("becomes blocks, with nothing cut off, where it is one character too wide", () => {
    assert.deepEqual(table(["NAME", "ROLE"], rows, 15), inBlocks)
  })

  it("stands in columns in a pipe, however wide it is", () => {
    const wide = "w".repeat(1_000)
    assert.deepEqual(table(["A", "B"], [[wide, "b"]], Infinity).length, 2)
  })

  it("measures words in colour as they look", () => {
    const ok = "\u001b[32mok\u001b[39m"
    const titles = ["STATE", "WHY"]
    assert.deepEqual(table(titles, [[ok, "fine"]], 11), ["STATE  WHY", `${ok}     fine`])
    assert.deepEqual(table(titles, [[ok, "fine"]], 10), [`STATE  ${ok}`, "WHY    fine"])
  })

  it("has no trailing spaces, and cells that aren't there are empty", () => {
    assert.deepEqual(table(["A", "B"], [["long", ""]], 80), ["A     B", "long"])
  })
})

describe("a word that tells a state", () => {
  const { NO_COLOR: noColor, FORCE_COLOR: forceColor } = process.env
  beforeEach(() => {
    delete process.env["NO_COLOR"]
    process.env["FORCE_COLOR"] = "1" // what a terminal that has colours amounts to
  })
  afterEach(() => {
    if (noColor === undefined) delete process.env["NO_COLOR"]
    else process.env["NO_COLOR"] = noColor
    if (forceColor === undefined) delete process.env["FORCE_COLOR"]
    else process.env["FORCE_COLOR"] = forceColor
  })

  for (const [tone, code] of [
    ["good", 32],
    ["doubtful", 33],
    ["bad", 31],
  ] as const) {
    it(`is in colour ${code} on a terminal when it is ${tone}`, () => {
      assert.equal(toned("word", tone, true), `\u001b[${code}mword\u001b[39m`)
    })
  }

  it("has no colour off a terminal, whatever FORCE_COLOR says", () => {
    assert.equal(toned("word", "bad", false), "word")
  })

  it("has no colour on a terminal with NO_COLOR", () => {
    delete process.env["FORCE_COLOR"]
    process.env["NO_COLOR"] = "1"
    assert.equal(toned("word", "bad", true), "word")
  })
})

describe("text that others chose", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["plain → text, 25 %…", "plain → text, 25 %…"],
    ["\u001b[2Jgone", "\\u001b[2Jgone"],
    ["a\r\nb\tc", "a\\u000d\\u000ab\\u0009c"],
    ["\u009b1m", "\\u009b1m"],
    ["\u202ebackwards\u2066", "\\u202ebackwards\\u2066"],
    ["\u2028\u2029", "\\u2028\\u2029"],
    ["\u{e0041}", "\\udb40\\udc41"],
  ]
  for (const [text, shown] of cases) {
    it(`is shown as ${shown}`, () => assert.equal(visible(text), shown))
  }
})

describe("why a command failed", () => {
  it("moves no cursor, whoever says it, and keeps its lines", (t) => {
    let said = ""
    t.mock.method(process.stderr, "write", (text: string) => (said += text) !== "")
    assert.equal(printFailure(new Fault("internal", "one\u001b]52;c\u0007\ntwo"), {}), 1)
    assert.equal(said, "countersign: one\\u001b]52;c\\u0007\ntwo\n")
  })
})
