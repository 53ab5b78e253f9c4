import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  decide,
  decimal,
  order,
  outcomeOf,
  placingBatch,
  ruleFile,
} from "../support/policy-case.ts"

describe("a batch of orders that each stay below the cap", () => {
  const items = (count: number) =>
    Array.from({ length: count }, () =>
      order({ quantity: decimal("0.005"), price: decimal("60000") }),
    )

  it("is held to the cap by its sum", () => {
    const byQuantity = ruleFile('max_quantity: "0.5"')
    assert.equal(outcomeOf(decide(byQuantity, placingBatch(...items(100)))), "allow")
    assert.equal(outcomeOf(decide(byQuantity, placingBatch(...items(101)))), "quantity_over_max")
    const byNotional = ruleFile('max_notional: "30000"')
    assert.equal(outcomeOf(decide(byNotional, placingBatch(...items(100)))), "allow")
    assert.equal(outcomeOf(decide(byNotional, placingBatch(...items(101)))), "notional_over_max")
  })

  it("can't spread one number's worth over several symbols", () => {
    const file = ruleFile('max_notional: "30000"')
    const ether = order({ symbolId: 2, quantity: decimal("0.001"), price: decimal("3000") })
    assert.equal(outcomeOf(decide(file, placingBatch(...items(100), ether))), "notional_over_max")
  })

  it("can't be allowed by a large rule for one item and a lax rule for the other", () => {
    const file = [
      "policy: p",
      "rules:",
      "  - {name: large-limits, order_types: [limit], sides: [buy], max_quantity: '1'}",
      "  - {name: small-sells, sides: [sell], max_quantity: '0.1'}",
    ].join("\n")
    const sell = order({ isBuy: false, quantity: decimal("0.1") })
    const decision = decide(file, placingBatch(order({ quantity: decimal("1") }), sell))
    assert.equal(decision.kind, "refuse")
  })
})
