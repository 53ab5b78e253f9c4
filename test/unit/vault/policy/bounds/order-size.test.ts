import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { judge } from "../../../../../src/vault/policy/judge.ts"
import type { OrderSize } from "../../../../../src/vault/policy/terms.ts"
import { formatDecimal } from "../../../../../src/venue/decimal.ts"
import type { Order } from "../../../../../src/venue/payload/payload.ts"
import {
  circumstances,
  decide,
  decimal,
  holdFile,
  leg,
  marketOrder,
  order,
  placing,
  placingBatch,
  policiesOf,
  requestFor,
  ruleFile,
  withTakeProfit,
} from "../../../../support/policy-case.ts"

const any = ruleFile("endpoints: [placeOrder, placeBatch, modifyOrder, chaseOrder, cancelOrder]")

function texts(sizes: readonly OrderSize[]) {
  const text = (size: OrderSize["entry"]) => (size === null ? null : formatDecimal(size))
  return sizes.map(({ entry, legs }) => [text(entry), ...legs.map(text)])
}

function sizesOf(file: string, request: ReturnType<typeof requestFor>, dead = false) {
  const decision = decide(file, request, dead ? { referencePrice: () => undefined } : {})
  assert.notEqual(decision.kind, "refuse")
  return decision.kind === "refuse" ? [] : texts(decision.sizes)
}

const matched = order({ price: undefined, priceMatch: "queue_5" })

describe("the sizes of a request", () => {
  it("are those of each order, entry and legs apart, though no limit asks for them", () => {
    const both: Order = {
      ...withTakeProfit(order()),
      tpsl: { mode: "partial", takeProfit: leg(), stopLoss: leg({ triggerPrice: decimal("1") }) },
    }
    assert.deepEqual(sizesOf(any, placingBatch(order(), both)), [
      ["30000"],
      ["30000", "35000", "32000"],
    ])
  })

  it("are unknown where no fresh price is, for both sides, and where an order can't be sized", () => {
    assert.deepEqual(sizesOf(any, placing(order()), true), [[null]])
    assert.deepEqual(sizesOf(any, placing(withTakeProfit(order())), true), [[null, null]])
    assert.deepEqual(sizesOf(any, placing(order({ symbolId: 7 }))), [[null]])
    assert.deepEqual(sizesOf(any, placing(marketOrder())), [[null]])
    assert.deepEqual(sizesOf(any, placing(withTakeProfit(marketOrder()))), [[null, "35000"]])
    const chase = { ...placing(order()), operation: "chaseOrder" } as const
    assert.deepEqual(sizesOf(any, chase), [[null]])
  })

  it("are none where no orders can be read", () => {
    assert.deepEqual(sizesOf(any, requestFor("modifyOrder")), [])
    assert.deepEqual(sizesOf(any, requestFor("cancelOrder")), [])
  })

  it("are there for a held request too", () => {
    assert.deepEqual(sizesOf(holdFile("sides: [buy]"), placing(order())), [["30000"]])
  })

  it("take the widest band of the rules that allow, in every order of files", () => {
    const rule = (name: string, band: string) =>
      `policy: ${name}\nrules:\n  - {name: r, endpoints: [placeOrder], ${band}}\n`
    const allowing = [
      rule("a", "price_match_band: 1%"),
      rule("b", "price_match_band: 5%"),
      rule("c", "max_expires_in: 15s"),
      rule("d", "price_match_band: 9%, max_quantity: '0.1'"),
    ]
    for (const files of [allowing, allowing.toReversed()]) {
      const policies = policiesOf(...files)
      const decision = judge(placing(matched), policies.toReversed(), circumstances())
      assert.equal(decision.kind, "allow")
      assert.deepEqual(texts(decision.sizes), [["33600"]])
    }
    assert.deepEqual(sizesOf(any, placing(matched)), [[null]])
  })
})
