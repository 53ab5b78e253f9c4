import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { causeFields, errorFields } from "../../../../src/gate/process/log.ts"

describe("what the gate logs of an error", () => {
  it("is its code and place, not its message", () => {
    const error = Object.assign(new Error("canary\n    with lines"), { code: "ECONNRESET" })
    const fields = errorFields(error)
    assert.equal(fields.code, "ECONNRESET")
    assert.match(fields.at ?? "", /log\.test\.ts/)
    assert.doesNotMatch(JSON.stringify(fields), /canary/)
    assert.equal(errorFields(new RangeError("canary")).code, "RangeError")
    assert.deepEqual(errorFields("canary"), { code: "string" })
  })

  it("is of a send that failed our own word for it, else a code", () => {
    assert.deepEqual(causeFields("no answer in time"), { code: "no_answer_in_time" })
    const error = Object.assign(new Error("canary"), { code: "ECONNRESET" })
    assert.deepEqual(causeFields(error), { code: "ECONNRESET" })
  })
})
