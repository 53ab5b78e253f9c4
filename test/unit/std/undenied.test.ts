import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { undenied } from "../../../src/std/undenied.ts"

describe("what a sandbox doesn't deny", () => {
  const said: readonly (readonly [string | undefined, readonly string[]])[] = [
    [undefined, []],
    ["holds", []],
    ["exec", ["The sandbox doesn't deny starting other programs: install the unit as x has it."]],
    [
      "connect,write",
      [
        "The sandbox doesn't deny connections to the network, writing to the system's files: install the unit as x has it.",
      ],
    ],
    ["later", ["The sandbox doesn't deny what else it should: install the unit as x has it."]],
  ]
  for (const [word, warnings] of said) {
    it(`is told once where the launcher says ${word ?? "nothing"}`, () => {
      const environment = {
        KEPT: "1",
        ...(word === undefined ? {} : { COUNTERSIGN_SANDBOX: word }),
      }
      assert.deepEqual(undenied("x", environment), warnings)
      assert.deepEqual(environment, { KEPT: "1" })
    })
  }
})
