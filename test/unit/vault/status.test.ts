import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Refusal } from "../../../src/link/refusal.ts"
import { refusalView } from "../../../src/vault/views.ts"
import { byCount, openLimited } from "../../support/limited-vault.ts"
import { limitOrder } from "../../support/open-test-vault.ts"

describe("the admin's status", () => {
  it("has the limits as listLimits tells them, and the last refusals", async (t) => {
    const { test, bots } = await openLimited(t, { limit: byCount })
    const [token = ""] = bots
    await test.sign(token, limitOrder())
    await test.sign(token, limitOrder({ price: "-1" }))
    const { limits, last_refusals: refusals, pid } = await test.admin.status()
    assert.deepEqual(limits, await test.admin.listLimits())
    assert.equal(limits[0]?.used, "1")
    assert.equal(pid, process.pid)
    assert.deepEqual(
      refusals.map(({ client, operation, code, times }) => [client, operation, code, times]),
      [[test.vault.active().clients[0]?.name, "placeOrder", "invalid_request", 1]],
    )
  })

  it("shows five refusals at most", async (t) => {
    const { test } = await openLimited(t, { limit: byCount })
    const nowMs = test.vault.clock.nowMs()
    for (const seconds of [0, 1, 2, 3, 4, 5]) {
      const refusal = { code: "overloaded", message: `No, ${seconds}.`, data: null } as const
      const entry = { client: "bot0", key: null, operation: null, policyHash: "", refusal }
      test.vault.ledger.note(entry, nowMs + seconds * 1_000)
    }
    const { last_refusals: refusals } = await test.admin.status()
    assert.deepEqual(
      refusals.map(({ message }) => message),
      ["No, 5.", "No, 4.", "No, 3.", "No, 2.", "No, 1."],
    )
  })
})

describe("a refusal as the operator sees it", () => {
  const denial = {
    policy: "desk",
    rule: "quote",
    reason: "max_quantity",
    file: null,
    line: null,
    asked: null,
    allowed: null,
  }
  const spent = {
    policy: "desk",
    limit: "daily",
    max: "1",
    used: "1",
    asked: "1",
    frees_at: null,
    retry_after_ms: null,
  }
  const cases: readonly (readonly [Refusal, string | null, string | null])[] = [
    [{ code: "policy_denied", message: "No.", data: denial }, "max_quantity", "desk/quote"],
    [
      { code: "policy_denied", message: "No.", data: { ...denial, rule: null } },
      "max_quantity",
      "desk",
    ],
    [
      { code: "policy_denied", message: "No.", data: { ...denial, policy: null, rule: null } },
      "max_quantity",
      null,
    ],
    [{ code: "limit_exhausted", message: "No.", data: spent }, null, "desk/daily"],
    [{ code: "overloaded", message: "No.", data: null }, null, null],
  ]
  for (const [refusal, reason, by] of cases) {
    it(`tells ${reason ?? refusal.code} by ${by ?? "nobody's rule"}`, () => {
      const base = { id: "rec_1", atMs: 5, client: "bot", operation: null, repeats: 2 }
      assert.deepEqual(refusalView({ ...base, refusal }), {
        record: "rec_1",
        at: 5,
        client: "bot",
        operation: null,
        code: refusal.code,
        reason,
        by,
        message: "No.",
        times: 3,
      })
    })
  }
})
