import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Order } from "../../src/venue/payload/payload.ts"
import {
  decide,
  decimal,
  marketOrder,
  order,
  outcomeOf,
  placing,
  ruleFile,
} from "../support/policy-case.ts"

// Silence of a feed must neither open a cap nor leave a market maker with one side of its quotes.
describe("a feed that went silent", () => {
  const dead = { referencePrice: () => undefined }

  it("refuses both sides under max_notional, however small", () => {
    const cap = ruleFile('max_notional: "1000000"')
    const tiny = decimal("0.000001")
    const orders: readonly Order[] = [
      order({ quantity: tiny }),
      order({ quantity: tiny, isBuy: false }),
      marketOrder({ quantity: tiny, slippage: decimal("0.01") }),
      marketOrder({ symbolId: 3, marketOrderType: "quote", quantity: tiny }),
    ]
    for (const placed of orders) {
      assert.equal(outcomeOf(decide(cap, placing(placed))), "allow")
      assert.equal(outcomeOf(decide(cap, placing(placed), dead)), "notional_unknown")
    }
  })

  it("leaves a rule that needs no price open on both sides", () => {
    const cap = ruleFile('max_quantity: "1"')
    for (const isBuy of [true, false]) {
      assert.equal(outcomeOf(decide(cap, placing(order({ isBuy })), dead)), "allow")
    }
  })
})
