import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Denial } from "../../../../src/vault/policy/terms.ts"
import type { JudgedRequest } from "../../../../src/vault/policy/match/judged-request.ts"
import type { Order } from "../../../../src/venue/payload/payload.ts"
import {
  decide,
  decimal,
  denyFile,
  leg,
  limitFile,
  marketOrder,
  order,
  placing,
  placingBatch,
  ruleFile,
  withTakeProfit,
} from "../../../support/policy-case.ts"

describe("a refusal of a batch", () => {
  const cases: readonly { readonly says: string; readonly odd: Order }[] = [
    { says: "symbols: [BTC-PERP]", odd: order({ symbolId: 2 }) },
    { says: "sides: [buy]", odd: order({ isBuy: false }) },
    { says: "min_quantity: '0.1'", odd: order({ quantity: decimal("0.05") }) },
    { says: "max_quantity: '5'", odd: order({ quantity: decimal("6") }) },
    { says: "max_notional: '200000'", odd: order({ quantity: decimal("6") }) },
    { says: "max_slippage: '0.01'", odd: marketOrder() },
    { says: "price_band: 10%", odd: order({ price: decimal("10000") }) },
    {
      says: "sides: [buy]",
      odd: withTakeProfit(order(), leg({ orderType: "limit", orderPrice: decimal("70000") })),
    },
  ]

  it("names the order that a rule doesn't allow, by its place in the body", () => {
    for (const { says, odd } of cases) {
      const file = ruleFile("endpoints: [placeBatch]", says)
      assert.equal(denialOf(file, placingBatch(order(), order(), odd)).path, "/orders/2", says)
      assert.equal(denialOf(file, placingBatch(odd, order(), odd)).path, "/orders/0", says)
    }
  })

  it("names the order that a deny matches, and none where the deny asks nothing of orders", () => {
    const batch = placingBatch(order(), order({ isBuy: false, quantity: decimal("6") }))
    assert.equal(denialOf(denyFile("sides: [sell]"), batch).path, "/orders/1")
    assert.equal(denialOf(denyFile("over_quantity: '5'"), batch).path, "/orders/1")
    assert.equal(denialOf(denyFile("endpoints: [placeBatch]"), batch).path, undefined)
  })

  it("names the order that a limit can't count", () => {
    const file = limitFile("sum: submitted_notional", "max: '1000000'", "window: 1h")
    const batch = placingBatch(order(), order({ symbolId: 99 }))
    assert.equal(denialOf(file, batch).path, "/orders/1")
  })

  it("names none where the orders together are too much, nor where the body is the order", () => {
    const file = rule("max_quantity: '0.5'")
    assert.equal(denialOf(file, placingBatch(order(), order())).path, undefined)
    assert.equal(denialOf(file, placing(order({ quantity: decimal("1") }))).path, undefined)
  })
})

describe("a refusal for want of something in the order", () => {
  it("says what to send", () => {
    const slippage = denialOf(rule("max_slippage: '0.01'"), placing(marketOrder()))
    assert.equal(slippage.allowed, 'with slippage, at most "0.01"')
    const notional = denialOf(rule("max_notional: '100'"), placing(marketOrder()))
    assert.equal(notional.reason, "slippage_required")
    assert.equal(notional.allowed, 'with slippage, a fraction such as "0.01"')
    const leg = denialOf(rule("max_slippage: '0.01'"), placing(withTakeProfit(order())))
    assert.equal(leg.allowed, "a limit leg, or none")
    const matched = order({ price: undefined, priceMatch: "queue_1" })
    const band = denialOf(rule("max_notional: '1000000'"), placing(matched))
    assert.equal(band.allowed, "with a price of its own, or by a rule with price_match_band")
  })

  it("says outside of which hours a deny doesn't hold, beside the size that it allows", () => {
    const hours = "hours: {zone: UTC, days: [mon, tue]}"
    const nowMs = Date.UTC(2026, 10, 23, 12) // a Monday
    const denied = (...lines: readonly string[]) =>
      denialOf(denyFile(...lines), placing(order()), { nowMs }).allowed
    assert.equal(denied(hours), "outside of mon, tue 00:00-24:00 UTC")
    assert.equal(
      denied(hours, "over_quantity: '0.1'"),
      "0.1 in base units, or outside of mon, tue 00:00-24:00 UTC",
    )
    assert.equal(denied("over_quantity: '0.1'"), "0.1 in base units")
    assert.equal(denied("sides: [buy]"), null)
  })
})

function rule(says: string): string {
  return ruleFile("endpoints: [placeOrder, placeBatch]", says)
}

function denialOf(
  file: string,
  request: JudgedRequest,
  at: Parameters<typeof decide>[2] = {},
): Denial {
  const decision = decide(file, request, at)
  assert.equal(decision.kind, "refuse")
  return decision.denial
}
