import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { decide, decimal, order, outcomeOf, placing, ruleFile } from "../support/policy-case.ts"

// A sell fills at the best bid, so its own price says nothing about what it moves.
describe("a sell priced far below the market", () => {
  const cap = ruleFile('max_notional: "1000"')
  const sellOf = (quantity: string) =>
    placing(order({ isBuy: false, price: decimal("0.01"), quantity: decimal(quantity) }))

  it("is counted at the reference price", () => {
    assert.equal(outcomeOf(decide(cap, sellOf("0.015625"))), "allow")
    assert.equal(outcomeOf(decide(cap, sellOf("0.015626"))), "notional_over_max")
    assert.equal(outcomeOf(decide(cap, sellOf("100000"))), "notional_over_max")
  })

  it("is refused without a reference price", () => {
    const stale = { referencePrice: () => undefined }
    assert.equal(outcomeOf(decide(cap, sellOf("0.000001"), stale)), "notional_unknown")
  })
})
