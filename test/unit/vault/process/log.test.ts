import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { Fault } from "../../../../src/std/fault.ts"
import { failureFields } from "../../../../src/vault/process/log.ts"

describe("what the vault logs of a failure", () => {
  it("is a fault's code and sentence, without its cause", () => {
    const fault = new Fault("file_unsafe", "The file is open to others.", { cause: "canary" })
    assert.deepEqual(failureFields(fault), {
      code: "file_unsafe",
      message: "The file is open to others.",
    })
  })

  it("is of a bug its name and place, since its message could quote a request", () => {
    const fields = failureFields(new SyntaxError('Unexpected token, "canary" is not valid JSON'))
    assert.equal(fields.code, "SyntaxError")
    assert.match(fields.at ?? "", /log\.test\.ts/)
    assert.doesNotMatch(JSON.stringify(fields), /canary/)
  })
})
