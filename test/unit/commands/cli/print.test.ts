import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"

import { table, toned } from "../../../../src/commands/cli/lines.ts"
import { print, printFailure } from "../../../../src/commands/cli/print.ts"
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
