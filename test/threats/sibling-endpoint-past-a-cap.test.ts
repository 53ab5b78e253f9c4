import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { operationIds } from "../../src/venue/profile.ts"
import {
  decide,
  decimal,
  order,
  outcomeOf,
  placing,
  placingBatch,
  requestFor,
  ruleFile,
} from "../support/policy-case.ts"

// A gate on one route is worth nothing while its sibling has none.
describe("an endpoint beside the one with the cap", () => {
  const cap = ruleFile('max_quantity: "0.5"')
  const large = order({ quantity: decimal("0.6") })

  it("is held to the same cap by a rule without endpoints", () => {
    const payload = placing(large).payload
    for (const operation of ["placeOrder", "modifyOrder", "placeBatch", "modifyBatch"] as const) {
      const decision = decide(cap, requestFor(operation, { payload }))
      assert.equal(outcomeOf(decision), "quantity_over_max")
    }
    assert.equal(outcomeOf(decide(cap, placingBatch(large))), "quantity_over_max")
    assert.equal(outcomeOf(decide(cap, requestFor("chaseOrder", { payload }))), "size_unreadable")
  })

  it("is refused by a rule with endpoints that doesn't name it", () => {
    const file = ruleFile("endpoints: [placeOrder]", 'max_quantity: "0.5"')
    for (const operation of operationIds) {
      if (operation === "placeOrder") continue
      assert.equal(outcomeOf(decide(file, requestFor(operation))), "no_rule_covers_endpoint")
    }
  })

  it("is refused where it moves money and no rule names it", () => {
    for (const operation of ["transfer", "withdraw", "createSub", "approveAgent"] as const) {
      assert.equal(outcomeOf(decide(cap, requestFor(operation))), "no_rule_covers_endpoint")
    }
  })
})
