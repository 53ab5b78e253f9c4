import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { operationIds } from "../../../src/venue/profile.ts"
import { addressOf, approving, requestFor, signer } from "../../support/policy-case.ts"
import { examplePolicy, times } from "./example-policy.ts"

const { outcome, decide, outcomeBesideGenerous, roomFor } = examplePolicy("agent-manager", {
  client: "agent-manager",
  key: { name: "main", address: signer, role: "wallet" },
})

const usual = { validDays: 30, label: "bot-7" } as const

describe("policies/agent-manager.yaml", () => {
  it("lets an agent of this daemon be approved once a person has released it", () => {
    const decision = decide(approving(usual))
    assert.ok(decision.kind === "hold")
    assert.deepEqual([decision.hold.name, decision.hold.ttlMs], ["approvals", 30 * 60_000])
  })

  for (const [what, changes, reason] of [
    ["an agent of somebody else", { agentAddress: addressOf("b") }, "agent_address_not_allowed"],
    [
      "an agent for another account",
      { authorizedAddress: addressOf("b") },
      "authorized_address_not_allowed",
    ],
    ["more than 30 days", { validDays: 31 }, "valid_days_over_max"],
    ["a label of another form", { label: "bot-1234" }, "label_not_allowed"],
  ] as const) {
    it(`refuses to approve ${what}`, () => {
      assert.equal(outcome(approving({ ...usual, ...changes })), reason)
    })
  }

  it("revokes at once", () => {
    assert.equal(outcome(requestFor("revokeAgent")), "allow")
  })

  for (const operation of operationIds) {
    if (operation === "approveAgent" || operation === "revokeAgent") continue
    it(`denies ${operation}, whatever another file allows`, () => {
      assert.equal(outcomeBesideGenerous(requestFor(operation)), "denied_by_rule")
    })
  }

  it("has room for ten approvals a day, and for any number of revocations", () => {
    assert.equal(roomFor(times(11, approving(usual))), 10)
    assert.equal(roomFor(times(50, requestFor("revokeAgent"))), 50)
  })
})
