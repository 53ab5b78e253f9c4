import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  decide,
  decimal,
  denyFile,
  marketOrder,
  order,
  outcomeOf,
  placing,
  requestFor,
  ruleFile,
} from "../support/policy-case.ts"

// A rule that has no opinion when its field is absent is passed by leaving the field out.
describe("a field that is left out", () => {
  const lines = [
    "max_quantity: '1000000'",
    "max_notional: '1000000000'",
    "symbols: [BTC-PERP]",
    "sides: [buy, sell]",
    "order_types: [limit, market]",
    "time_in_force: [gtc, fok, ioc]",
    "require_flags: [post_only]",
    "forbid_flags: [reduce_only]",
  ]
  for (const line of lines) {
    it(`matches no rule with ${line} when the whole order can't be read`, () => {
      for (const operation of ["placeBatch", "modifyBatch", "chaseOrder"] as const) {
        assert.notEqual(decide(ruleFile(line), requestFor(operation)).kind, "allow")
      }
    })
  }

  it("matches every deny that asks for it", () => {
    for (const line of lines.slice(2)) {
      const decision = decide(denyFile(line), requestFor("modifyOrder"))
      assert.equal(outcomeOf(decision), "denied_by_rule", line)
    }
  })

  it("is no way around a cap: order type, price, slippage, trigger and market_order_type", () => {
    const cap = ruleFile('max_notional: "1000000000"')
    const without = [
      order({ orderType: undefined }),
      order({ price: undefined }),
      marketOrder(),
      order({ algoOrderType: "conditional" }),
      marketOrder({ symbolId: 3, slippage: decimal("0.01") }),
      order({ algoOrderType: "tpsl" }),
    ]
    for (const placed of without) assert.equal(decide(cap, placing(placed)).kind, "refuse")
  })
})
