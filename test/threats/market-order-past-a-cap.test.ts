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

// A market order brings no price that could be trusted: a caller once passed `price: 1` with one.
describe("a market order", () => {
  const cap = ruleFile('max_notional: "1000"')

  it("is refused without slippage, however small it is", () => {
    const tiny = marketOrder({ quantity: decimal("0.000001") })
    assert.equal(outcomeOf(decide(cap, placing(tiny))), "slippage_required")
  })

  it("is counted at the reference price and its slippage, whatever price comes with it", () => {
    const ask = (quantity: string) =>
      outcomeOf(
        decide(
          cap,
          placing(
            marketOrder({
              price: decimal("1"),
              slippage: decimal("0.1"),
              quantity: decimal(quantity),
            }),
          ),
        ),
      )
    assert.equal(ask("0.0142"), "allow")
    assert.equal(ask("0.0143"), "notional_over_max")
    assert.equal(ask("1"), "notional_over_max")
  })
})
