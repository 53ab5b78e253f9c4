import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  decide,
  decimal,
  marketOrder,
  outcomeOf,
  placing,
  ruleFile,
} from "../support/policy-case.ts"
import { testProfile } from "../support/test-profile.ts"

// The same digits mean 1000 coins or 1000 dollars: neither may be taken for the other.
describe("an amount in the other unit", () => {
  const quote = (quantity: string, symbolId = 3) =>
    placing(marketOrder({ symbolId, marketOrderType: "quote", quantity: decimal(quantity) }))

  it("never counts against a cap in base units", () => {
    const file = ruleFile('max_quantity: "1000000"')
    assert.equal(outcomeOf(decide(file, quote("1"))), "quantity_unreadable")
  })

  it("counts as it says against a cap in quote units, on spot alone", () => {
    const file = ruleFile('max_notional: "1000"')
    assert.equal(outcomeOf(decide(file, quote("1000"))), "allow")
    assert.equal(outcomeOf(decide(file, quote("1001"))), "notional_over_max")
    assert.equal(outcomeOf(decide(file, quote("1", 1))), "size_unreadable")
    assert.equal(outcomeOf(decide(file, quote("1", 7))), "notional_unknown")
  })

  it("isn't guessed where market_order_type is left out", () => {
    const bare = placing(
      marketOrder({ symbolId: 3, quantity: decimal("1000"), slippage: decimal("0.01") }),
    )
    for (const file of [ruleFile('max_quantity: "1000"'), ruleFile('max_notional: "1000"')]) {
      assert.equal(outcomeOf(decide(file, bare)), "market_order_type_required")
    }
    const asBase = { profile: testProfile({ defaultMarketOrderType: "base" }) }
    const file = ruleFile('max_notional: "1000"')
    assert.equal(outcomeOf(decide(file, bare, asBase)), "notional_over_max")
  })
})
