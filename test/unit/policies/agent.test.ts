import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { decimal, order, placing } from "../../support/policy-case.ts"
import { examplePolicy, times } from "./example-policy.ts"

const { outcome, roomFor } = examplePolicy("agent", {
  client: "agent",
  checkAgeMs: 30_000,
})

/** 0.01 BTC-PERP at the reference price of 64000: 640. */
const small = order({ price: decimal("64000"), quantity: decimal("0.01") })

describe("policies/agent.yaml", () => {
  it("allows a small order, holds a larger one, and denies what is larger still", () => {
    const sized = (quantity: string) => outcome(placing({ ...small, quantity: decimal(quantity) }))
    assert.equal(outcome(placing(small)), "allow")
    assert.deepEqual(["0.015625", "0.015626", "0.03125", "0.03126"].map(sized), [
      ...["allow", "hold", "hold", "notional_over_max"],
    ])
  })

  it("has room for ten orders in a minute", () => {
    assert.equal(roomFor(times(12, placing(small))), 10)
  })
})
