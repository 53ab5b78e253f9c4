import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  errorCodes,
  problemOf,
  retryAfterSeconds,
  statuses,
} from "../../../../src/gate/http/problem.ts"
import { httpAnswer } from "../../../../src/gate/http/reply.ts"
import { Fault } from "../../../../src/std/fault.ts"

describe("error response", () => {
  it("lists every code once, each a word that no number of the venue's can be, but for the one that is the venue's", () => {
    assert.equal(new Set(errorCodes).size, errorCodes.length)
    const words = errorCodes.filter((code) => code !== "10029")
    assert.equal(words.length, errorCodes.length - 1)
    for (const code of words) assert.match(code, /^[a-z][a-z_]+$/)
  })

  it("gives every code an error status", () => {
    for (const status of Object.values(statuses)) assert.ok(status >= 400 && status < 600)
  })

  for (const [waitMs, seconds] of [
    [0, 1],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [60_000, 60],
  ] as const) {
    it(`asks to wait ${seconds} s where ${waitMs} ms are left`, () => {
      assert.equal(retryAfterSeconds("signer_pace", { retry_after_ms: waitMs }), seconds)
    })
  }

  it("says when to come back on every 429, and never where waiting doesn't help", () => {
    assert.equal(retryAfterSeconds("too_many_bad_tokens", undefined), 1)
    assert.equal(retryAfterSeconds("vault_unavailable", undefined), 1)
    assert.equal(retryAfterSeconds("overloaded", undefined), 1)
    assert.equal(retryAfterSeconds("limit_exhausted", { retry_after_ms: 1_001 }), 2)
    assert.equal(retryAfterSeconds("limit_exhausted", { retry_after_ms: null }), undefined)
    for (const code of [
      "policy_denied",
      "ledger_unavailable",
      "upstream_outcome_unknown",
    ] as const) {
      assert.equal(retryAfterSeconds(code, undefined), undefined)
    }
  })

  it("has an empty object where there is no data, and the record as its trace", () => {
    const problem = { code: "unauthorized", message: "No.", record: "r-1" } as const
    const { body, headers } = httpAnswer({ kind: "problem", problem })
    assert.equal(
      body.toString(),
      '{"code":"unauthorized","msg":"No.","data":{},"do":"fix_request","trace_code":"r-1"}',
    )
    assert.equal(headers["Countersign-Record"], "r-1")
  })

  it("calls every fault internal that bots aren't told", () => {
    assert.equal(problemOf(new Fault("passphrase_wrong", "canary")).code, "internal")
    assert.equal(problemOf(new Fault("clock_unsafe", "canary")).code, "clock_unsafe")
    assert.equal(problemOf(new Fault("keyring_locked", "canary")).code, "locked")
    assert.equal(problemOf("canary").code, "internal")
    assert.doesNotMatch(JSON.stringify(problemOf(new Fault("usage", "canary"))), /canary/)
  })
})
