import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { addressOf, approving, decide, outcomeOf, ruleFile } from "../support/policy-case.ts"

// Whoever gets a key of their own approved has the account, whatever the caps on orders say.
describe("an approval of a key that isn't held here", () => {
  const thief = addressOf("e")

  it("is refused by every rule that doesn't list it", () => {
    for (const line of ["max_valid_days: 3650", "agent_addresses: held", "sides: [buy]"]) {
      const file = ruleFile("endpoints: [approveAgent]", line)
      assert.equal(decide(file, approving({ agentAddress: thief })).kind, "refuse", line)
    }
  })

  it("is refused when another account is to authorize it, and when it would last too long", () => {
    const file = ruleFile("endpoints: [approveAgent]")
    const authorized = decide(file, approving({ authorizedAddress: thief }))
    assert.equal(outcomeOf(authorized), "authorized_address_not_allowed")
    const endless = decide(file, approving({ validDays: 2 ** 32 - 1 }))
    assert.equal(outcomeOf(endless), "valid_days_over_max")
  })
})
