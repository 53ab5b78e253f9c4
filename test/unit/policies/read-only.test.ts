import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { mayRead } from "../../../src/vault/policy/judge.ts"
import { operationIds } from "../../../src/venue/profile.ts"
import { order, placing, requestFor } from "../../support/policy-case.ts"
import { examplePolicy } from "./example-policy.ts"

const { policies, outcome, outcomeBesideGenerous } = examplePolicy("read-only", {
  client: "dashboard",
})

describe("policies/read-only.yaml", () => {
  for (const operation of operationIds) {
    it(`denies ${operation}, whatever another file allows`, () => {
      assert.equal(outcome(requestFor(operation)), "denied_by_rule")
      assert.equal(outcomeBesideGenerous(requestFor(operation)), "denied_by_rule")
    })
  }

  it("denies an order that only reduces, too", () => {
    assert.equal(
      outcomeBesideGenerous(placing(order({ flags: ["reduce_only"] }))),
      "denied_by_rule",
    )
  })

  it("lets the dashboard read the market, and nothing else and nobody else", () => {
    const reader = { client: "dashboard" }
    assert.equal(mayRead(policies, reader, "/v1/market/depth/1"), true)
    assert.equal(mayRead(policies, reader, "/v1/account/balances"), false)
    assert.equal(mayRead(policies, { client: "other" }, "/v1/market/depth/1"), false)
  })
})
