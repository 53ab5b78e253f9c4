import assert from "node:assert/strict"
import { userInfo } from "node:os"
import { describe, it } from "node:test"

import { callerOf, personName } from "../../../../src/commands/installation/usual-installation.ts"

const self = userInfo().username

describe("who runs a command", () => {
  it("is the user behind sudo, else who started it", () => {
    assert.equal(personName({ SUDO_USER: "alice" }), "alice")
    assert.equal(personName({}), self)
  })

  it("is a name that a record can have, whatever the user's is", () => {
    for (const [given, name] of [
      ["a b", "a_b"],
      ["DOM\\x", "DOM_x"],
      ["x".repeat(65), "x".repeat(64)],
      ["\u202e", "_"],
      ["", "unknown"],
    ] as const) {
      assert.equal(personName({ SUDO_USER: given }), name)
    }
  })

  it("is told with the user's number, and that it was by sudo", () => {
    assert.equal(callerOf({}, 1_000), `${self} (uid 1000)`)
    assert.equal(callerOf({ SUDO_USER: "alice" }, 0), "alice (uid 0, by sudo)")
  })

  it("believes what sudo says of root alone", () => {
    assert.equal(callerOf({ SUDO_USER: "alice" }, 1_000), `${self} (uid 1000)`)
  })
})
