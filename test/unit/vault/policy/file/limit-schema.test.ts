import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { limitMistakes } from "../../../../../src/vault/policy/file/limit-schema.ts"

describe("a cap for good", () => {
  it("isn't per key or account: an agent without a target is an account, and has successors", () => {
    const mistaken = (["all", "client", "symbol", "key", "account"] as const).filter(
      (per) =>
        limitMistakes({ counted: { kind: "orders" }, per, window: "ever", symbols: ["BTC-PERP"] })
          .length > 0,
    )
    assert.deepEqual(mistaken, ["key", "account"])
  })
})
