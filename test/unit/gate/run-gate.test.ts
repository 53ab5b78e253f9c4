import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseArguments } from "../../../src/gate/run-gate.ts"

const given = ["--bot-socket", "/nowhere"]

describe("the gate's command line", () => {
  for (const port of ["0", "65535"]) {
    it(`takes ${port} for a port`, () => {
      assert.equal(parseArguments([...given, "--port", port]).port, Number(port))
    })
  }

  for (const [what, args] of [
    ["a port above the last", [...given, "--port", "65536"]],
    ["a port in words", [...given, "--port", "http"]],
    ["no bot socket", ["--port", "0"]],
  ] as const) {
    it(`is refused for ${what}`, () => {
      assert.throws(() => parseArguments(args), { name: "Fault", code: "usage" })
    })
  }
})
