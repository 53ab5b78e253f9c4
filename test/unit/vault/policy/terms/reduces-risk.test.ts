import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { reducesRisk } from "../../../../../src/vault/policy/terms/judged-order.ts"
import type { Order, Payload } from "../../../../../src/venue/payload/payload.ts"
import { operationIds } from "../../../../../src/venue/profile.ts"
import { order } from "../../../../support/policy-case.ts"
import { testProfile } from "../../../../support/test-profile.ts"

const profile = testProfile()
const reducing = order({ flags: ["reduce_only"] })
const opaque: Payload = { kind: "opaque", batchLength: 1 }

function orders(...placed: readonly Order[]): Payload {
  return { kind: "orders", orders: placed, form: "batch" }
}

describe("what reduces risk", () => {
  it("is every cancel, and no other operation that can't be read", () => {
    const found = operationIds.filter((id) => reducesRisk(id, opaque, profile))
    assert.deepEqual(found, ["cancelOrder", "cancelBatch", "cancelAll"])
  })

  it("is a reduce-only order on a perpetual", () => {
    assert.equal(reducesRisk("placeOrder", orders(reducing), profile), true)
    assert.equal(reducesRisk("placeOrder", orders(order()), profile), false)
  })

  it("isn't one with take-profit or stop legs, which have no flags", () => {
    const triggerPrice = { coefficient: 66_000n, scale: 0 }
    const leg = { triggerPrice, triggerBy: undefined, orderType: undefined, orderPrice: undefined }
    const tpsl = { mode: "partial", takeProfit: leg, stopLoss: undefined } as const
    assert.equal(reducesRisk("placeOrder", orders({ ...reducing, tpsl }), profile), false)
  })

  it("isn't one on a spot symbol or on one outside the table", () => {
    for (const symbolId of [3, 99]) {
      const elsewhere = orders({ ...reducing, symbolId })
      assert.equal(reducesRisk("placeOrder", elsewhere, profile), false)
    }
  })

  it("isn't a batch with one order that isn't reduce-only, and isn't a batch of none", () => {
    assert.equal(reducesRisk("placeBatch", orders(reducing, reducing), profile), true)
    assert.equal(reducesRisk("placeBatch", orders(reducing, order()), profile), false)
    assert.equal(reducesRisk("placeBatch", orders(), profile), false)
  })
})
