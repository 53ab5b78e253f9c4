import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Order } from "../../src/venue/payload/payload.ts"
import {
  decide,
  decimal,
  denyFile,
  leg,
  order,
  outcomeOf,
  placing,
  ruleFile,
  standaloneTpsl,
  withTakeProfit,
} from "../support/policy-case.ts"

// What a rule forbids as an order must not come in as the leg of another one.
describe("a take-profit or stop leg", () => {
  const tiny = decimal("0.001")

  it("is no way past a cap with a small entry price", () => {
    const cap = ruleFile('max_notional: "64"')
    const cheap = order({ quantity: tiny, price: decimal("1") })
    assert.equal(outcomeOf(decide(cap, placing(cheap))), "allow")
    assert.equal(outcomeOf(decide(cap, placing(withTakeProfit(cheap)))), "notional_over_max")
    const atReference = withTakeProfit(cheap, leg({ triggerPrice: decimal("1") }))
    assert.equal(outcomeOf(decide(cap, placing(atReference))), "allow")
    const priced = withTakeProfit(
      cheap,
      leg({ triggerPrice: decimal("1"), orderType: "limit", orderPrice: decimal("64001") }),
    )
    assert.equal(outcomeOf(decide(cap, placing(priced))), "notional_over_max")
  })

  it("is no way past a side, an order type, post_only or a deny", () => {
    const bracket = withTakeProfit(order({ flags: ["post_only"] }))
    const ask = (line: string) => outcomeOf(decide(ruleFile(line), placing(bracket)))
    assert.equal(ask("sides: [buy]"), "side_not_allowed")
    assert.equal(ask("order_types: [limit]"), "order_type_not_allowed")
    assert.equal(ask("require_flags: [post_only]"), "flag_required")
    assert.equal(
      outcomeOf(decide(denyFile("order_types: [market]"), placing(bracket))),
      "denied_by_rule",
    )
  })

  it("needs both sides where it stands alone, since is_buy may mean either", () => {
    for (const isBuy of [true, false]) {
      const alone = placing(standaloneTpsl(leg(), { isBuy }))
      assert.equal(outcomeOf(decide(ruleFile("sides: [buy]"), alone)), "side_not_allowed")
      assert.equal(outcomeOf(decide(ruleFile("sides: [sell]"), alone)), "side_not_allowed")
      assert.equal(outcomeOf(decide(ruleFile("sides: [buy, sell]"), alone)), "allow")
      assert.equal(outcomeOf(decide(denyFile("sides: [sell]"), alone)), "denied_by_rule")
    }
  })

  it("can't close a whole position by tpsl_mode full with a small quantity", () => {
    const alone = standaloneTpsl(leg(), { quantity: tiny })
    const full: Order = { ...alone, tpsl: alone.tpsl && { ...alone.tpsl, mode: "full" } }
    const cap = ruleFile('max_quantity: "0.001"')
    assert.equal(outcomeOf(decide(cap, placing(alone))), "allow")
    assert.equal(outcomeOf(decide(cap, placing(full))), "full_tpsl_not_allowed")
  })
})
