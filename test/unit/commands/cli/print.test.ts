import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"

import {
  table,
  toned,
  print,
  printFailure,
  textOf,
  type Line,
} from "../../../../src/commands/cli/print.ts"
import { Fault } from "../../../../src/std/fault.ts"
import {
  memoryScreen,
  memoryTerminal,
  type MemoryTerminal,
} from "../../../support/memory-terminal.ts"

const answer = { state: "bad" }

function printed({ terminal, stdout }: MemoryTerminal, json = false): string {
  print(answer, { terminal, json }, ({ state }) => [
    table(["STATE", "WHY"], [[toned(state, "bad"), "fine"]]),
  ])
  return stdout()
}

describe("an answer", () => {
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

  it("is in colour on a terminal, as wide as that is", () => {
    const bad = "\u001b[31mbad\u001b[39m"
    assert.equal(printed(memoryScreen(11)), `STATE  WHY\n${bad}    fine\n`)
    assert.equal(printed(memoryScreen(10)), `STATE ${bad}\n  WHY fine\n`)
  })

  it("has no colour off a terminal, whatever FORCE_COLOR says, and no end to its width", () => {
    assert.equal(printed(memoryTerminal()), "STATE  WHY\nbad    fine\n")
  })

  it("has no colour on a terminal with NO_COLOR", () => {
    delete process.env["FORCE_COLOR"]
    process.env["NO_COLOR"] = "1"
    assert.equal(printed(memoryScreen(80)), "STATE  WHY\nbad    fine\n")
  })

  it("is JSON alone for scripts, also on a terminal", () => {
    assert.equal(printed(memoryScreen(80), true), `{"state":"bad"}\n`)
  })

  it("is JSON of one line whose texts move no cursor, with the values as they are", () => {
    const { terminal, stdout } = memoryTerminal()
    const moving = { label: "a\u009b2J\u202eb\nc", error: "\u2066" }
    print(moving, { terminal, json: true }, () => [])
    assert.match(stdout(), /^[\x20-\x7e]+\n$/)
    assert.deepEqual(JSON.parse(stdout()), moving)
    const failed = memoryTerminal()
    printFailure(new Fault("usage", "no \u202e"), { terminal: failed.terminal, json: true })
    assert.match(failed.stdout(), /^[\x20-\x7e]+\n$/)
  })

  it("isn't an empty line where there is nothing to say", () => {
    const { terminal, stdout } = memoryTerminal()
    print(answer, { terminal, json: false }, () => [])
    assert.equal(stdout(), "")
  })
})

describe("why a command failed", () => {
  const fault = new Fault("internal", "one\u001b]52;c\u0007\ntwo")

  it("moves no cursor, whoever says it, and keeps its lines", () => {
    const { terminal, stdout, stderr } = memoryTerminal()
    assert.equal(printFailure(fault, { terminal, json: false }), 1)
    assert.equal(stderr(), "countersign: one\\u001b]52;c\\u0007\ntwo\n")
    assert.equal(stdout(), "")
  })

  it("is JSON on standard output for scripts", () => {
    const { terminal, stdout, stderr } = memoryTerminal()
    assert.equal(printFailure(fault, { terminal, json: true }), 1)
    assert.deepEqual(JSON.parse(stdout()), {
      error: { code: "internal", message: "one\u001b]52;c\u0007\ntwo" },
    })
    assert.equal(stderr(), "")
  })
})

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
