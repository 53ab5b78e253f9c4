import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { laneOf } from "../../../../src/venue/payload/parse-payload.ts"
import type { Lane, Order, Payload } from "../../../../src/venue/payload/payload.ts"
import { operationIds, type OperationId } from "../../../../src/venue/profile.ts"
import { builtinProfile } from "../../../../src/venue/builtin-profile.ts"
import { leg, order } from "../../../support/policy-case.ts"
import { testProfile } from "../../../support/test-profile.ts"
import { endpointOf, problemsOf, profileOf } from "../profile-text.ts"

const reducing = order({ flags: ["reduce_only"] })
const opaque: Payload = { kind: "opaque", batchLength: 1 }

function orders(...placed: readonly Order[]): Payload {
  return { kind: "orders", orders: placed, form: "batch" }
}

function lane(id: OperationId, payload: Payload, profile = builtinProfile): Lane {
  return laneOf(endpointOf(profile, id), payload, testProfile())
}

function operationsIn(wanted: Lane, payload: Payload): readonly OperationId[] {
  return operationIds.filter((id) => lane(id, payload) === wanted)
}

describe("the lane of a request", () => {
  it("is cancel for every cancel, and open for all else that can't be read", () => {
    const cancels = ["cancelOrder", "cancelBatch", "cancelAll"]
    assert.deepEqual(operationsIn("cancel", opaque), cancels)
    assert.deepEqual(operationsIn("reduce", opaque), [])
  })

  it("is reduce for reduce-only orders that are placed, and for no other operation", () => {
    assert.deepEqual(operationsIn("reduce", orders(reducing)), ["placeOrder", "placeBatch"])
    assert.equal(lane("placeOrder", orders(order())), "open")
  })

  it("is open with take-profit or stop legs, which have no flags", () => {
    const tpsl = { mode: "partial", takeProfit: leg(), stopLoss: undefined } as const
    assert.equal(lane("placeOrder", orders({ ...reducing, tpsl })), "open")
  })

  it("is reduce for a conditional order, and open for what is called a tpsl, whatever it has", () => {
    const lanes = (["conditional", "tpsl", "attached_tpsl"] as const).map((algoOrderType) =>
      lane("placeOrder", orders({ ...reducing, algoOrderType })),
    )
    assert.deepEqual(lanes, ["reduce", "open", "open"])
  })

  it("is open on a spot symbol and on one outside the table", () => {
    for (const symbolId of [3, 99]) {
      assert.equal(lane("placeOrder", orders({ ...reducing, symbolId })), "open")
    }
  })

  it("is open for a batch with one order that isn't reduce-only, and for a batch of none", () => {
    assert.equal(lane("placeBatch", orders(reducing, reducing)), "reduce")
    assert.equal(lane("placeBatch", orders(reducing, order())), "open")
    assert.equal(lane("placeBatch", orders()), "open")
  })

  it("is reduce for a modify by the profile's word alone, endpoint by endpoint", () => {
    const single = "action_tag: 8, like: placeOrder, order_id: /order_id"
    const batch = "action_tag: 9, items: /orders, item_like: placeOrder, order_id: /order_id"
    const lanesWith = (word: string) => {
      const profile = profileOf(
        `endpoints: {modifyOrder: {${single}${word}}, modifyBatch: {${batch}}}`,
      )
      return [
        lane("modifyOrder", orders(reducing), profile),
        lane("modifyBatch", orders(reducing), profile),
      ]
    }
    assert.deepEqual(lanesWith(""), ["open", "open"])
    assert.deepEqual(lanesWith(", applies_flags: false"), ["open", "open"])
    assert.deepEqual(lanesWith(", applies_flags: true"), ["reduce", "open"])
  })

  it("takes that word only of a modify whose orders can be read", () => {
    const said = (endpoints: string) => problemsOf(`endpoints: {${endpoints}}`)
    assert.match(
      said("modifyOrder: {action_tag: 8, applies_flags: true}").join(),
      /applies_flags of modifyOrder needs like beside it/,
    )
    assert.match(
      said("modifyBatch: {action_tag: 8, items: /orders, applies_flags: true}").join(),
      /applies_flags of modifyBatch needs item_like beside it/,
    )
    assert.match(
      said("chaseOrder: {action_tag: 8, applies_flags: true}").join(),
      /applies_flags describes the body of modifyOrder, modifyBatch, not of chaseOrder/,
    )
    assert.match(
      said("modifyOrder: {action_tag: 8, applies_flags: yes}").join(),
      /expected true or false/,
    )
  })
})
