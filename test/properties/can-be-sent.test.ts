import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { checkOrderFields, checkOrderRules } from "../../src/sandbox/order-rules.ts"
import { judge } from "../../src/vault/policy/judge.ts"
import type { JsonObject } from "../../src/venue/json.ts"
import { parsePayload } from "../../src/venue/payload/parse-payload.ts"
import { arbitraryOrder } from "../support/arbitrary-order.ts"
import { circumstances, outcomeOf, placing, policiesOf, ruleFile } from "../support/policy-case.ts"
import { numRuns } from "../support/runs.ts"
import { endpointOf, profileOf } from "../unit/venue/profile-text.ts"

const profile = profileOf(
  "symbols:",
  "  - {id: 1, name: BTC-PERP, market: perp, quote: USD}",
  "  - {id: 2, name: ETH-PERP, market: perp, quote: USD}",
  "  - {id: 3, name: BTC-USD, market: spot, quote: USD}",
)
const placeOrder = endpointOf(profile, "placeOrder")
const policies = policiesOf(
  ruleFile(`max_notional: "${"9".repeat(40)}"`, "price_match_band: 1%", "allow_full_tpsl: true"),
)

/** What sizes an order, by the reason that asks for it. */
const asked: Readonly<Record<string, JsonObject>> = {
  market_order_type_required: { market_order_type: "base" },
  slippage_required: { slippage: "0.01" },
}

function outcome(body: JsonObject): string {
  const payload = parsePayload(placeOrder, body, profile)
  assert.ok(payload.ok, payload.ok ? "" : JSON.stringify([body, payload.error]))
  assert.ok(payload.value.kind === "orders" && payload.value.orders[0] !== undefined)
  return outcomeOf(judge(placing(payload.value.orders[0]), policies, circumstances()))
}

/** The order with what its refusals ask for, one after the other. */
function withAllAsked(body: JsonObject): JsonObject {
  return Object.keys(asked).reduce((sent) => ({ ...sent, ...asked[outcome(sent)] }), body)
}

describe("what a rule of sizes asks for", () => {
  it("can be sent, to the venue too, and is enough", () => {
    let count = 0
    fc.assert(
      fc.property(arbitraryOrder(), (drawn) => {
        const body = drawn as JsonObject
        if (body["market_order_type"] === "quote") return // the one that says too much
        const whole = withAllAsked(body)
        assert.match(outcome(whole), /^(allow|notional_over_max)$/, JSON.stringify(whole))
        assert.equal(checkOrderFields(whole) ?? checkOrderRules(whole), undefined)
        if (Object.keys(whole).length > Object.keys(body).length) count += 1
      }),
      numRuns(500),
    )
    assert.ok(count > 0, "some orders are asked for more, so that the property says something")
  })
})
