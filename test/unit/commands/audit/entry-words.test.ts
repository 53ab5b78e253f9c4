import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { entryWords } from "../../../../src/commands/audit/entry-words.ts"

describe("entries in lines", () => {
  it("have their columns below each other, whatever their numbers", () => {
    const columns = [1, 10, 999_999].map((seq) => {
      const line = entryWords({
        ...{ seq, at_ms: 0, kind: "outcome", id: "rec_1", hash: new Uint8Array() },
        row: JSON.stringify({ outcome: "sent", record: "rec_1" }),
      })
      assert.match(line, / {2}outcome {5}sent {2}rec_1$/)
      return line.indexOf("outcome")
    })
    assert.equal(new Set(columns).size, 1)
  })
})
