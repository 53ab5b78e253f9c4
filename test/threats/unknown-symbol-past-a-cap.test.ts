import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  decide,
  decimal,
  denyFile,
  order,
  outcomeOf,
  placing,
  ruleFile,
} from "../support/policy-case.ts"

describe("a symbol_id that venue.yaml doesn't list", () => {
  const unknown = placing(order({ symbolId: 999, quantity: decimal("0.000001") }))

  it("is refused by any max_notional, also one with a default", () => {
    for (const line of ['max_notional: "1000000000"', "max_notional: {default: '1000000000'}"]) {
      assert.equal(outcomeOf(decide(ruleFile(line), unknown)), "notional_unknown")
    }
  })

  it("is refused by a price that someone fed for it, since its quote unit is unknown", () => {
    const fed = { referencePrice: () => decimal("1") }
    assert.equal(
      outcomeOf(decide(ruleFile('max_notional: "1000000000"'), unknown, fed)),
      "notional_unknown",
    )
  })

  it("matches no name, in rules and in denies", () => {
    const names = "symbols: [BTC-PERP, ETH-PERP, BTC-USD]"
    assert.equal(outcomeOf(decide(ruleFile(names), unknown)), "symbol_not_allowed")
    assert.equal(outcomeOf(decide(denyFile(names), unknown)), "allow")
  })
})
