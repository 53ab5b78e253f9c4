import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseJson } from "../../../src/std/parse-json.ts"

describe("parseJson", () => {
  it("reads what is JSON, and nothing of what isn't", () => {
    assert.deepEqual(parseJson('{"a": [1, null]}'), { a: [1, null] })
    for (const text of ["", "{", '{"a": 1} x', "undefined"]) {
      assert.equal(parseJson(text), undefined, text)
    }
  })
})
