import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  decide,
  decimal,
  marketOrder,
  order,
  outcomeOf,
  placing,
  ruleFile,
} from "../support/policy-case.ts"

// A stop order fills near its trigger, however low its own price or today's market is.
describe("a conditional order", () => {
  const cap = ruleFile('max_notional: "1000"')
  const at = (trigger: string) =>
    ({
      algoOrderType: "conditional",
      conditional: { triggerPrice: decimal(trigger), triggerBy: "last_price" },
    }) as const

  it("is counted at its trigger when that is the highest price", () => {
    const ask = (quantity: string) =>
      outcomeOf(
        decide(
          cap,
          placing(order({ ...at("100000"), price: decimal("1"), quantity: decimal(quantity) })),
        ),
      )
    assert.equal(ask("0.01"), "allow")
    assert.equal(ask("0.010001"), "notional_over_max")
  })

  it("is counted at the reference price when price and trigger are one cent", () => {
    const low = order({ ...at("0.01"), price: decimal("0.01"), quantity: decimal("1") })
    assert.equal(outcomeOf(decide(cap, placing(low))), "notional_over_max")
  })

  it("needs slippage when it becomes a market order, and counts it", () => {
    const stop = (slippage: string | undefined) =>
      marketOrder({
        ...at("100000"),
        quantity: decimal("0.01"),
        slippage: slippage === undefined ? undefined : decimal(slippage),
      })
    assert.equal(outcomeOf(decide(cap, placing(stop(undefined)))), "slippage_required")
    assert.equal(outcomeOf(decide(cap, placing(stop("0.0001")))), "notional_over_max")
  })
})
