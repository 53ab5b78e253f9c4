import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { JudgedRequest } from "../../../../src/vault/policy/decision.ts"
import { foremostRules } from "../../../../src/vault/policy/foremost-rules.ts"
import type { Policy } from "../../../../src/vault/policy/policy.ts"
import { subjectOf } from "../../../../src/vault/policy/subject.ts"
import {
  circumstances,
  marketOrder,
  order,
  placing,
  placingBatch,
  policiesOf,
  requestFor,
} from "../../../support/policy-case.ts"

const policies = policiesOf(
  "policy: first\nrules:\n  - {name: ether, symbols: [ETH-PERP]}\n  - {name: sells, symbols: [BTC-PERP], sides: [sell]}",
  "policy: second\nrules:\n  - {name: small, order_types: [limit], max_quantity: '0.4'}\n  - {name: large, order_types: [limit], max_quantity: '0.5'}\n  - {name: any, sides: [buy, sell], order_types: [limit]}",
)

function named(request: JudgedRequest, applicable: readonly Policy[] = policies) {
  const foremost = foremostRules(subjectOf(request, circumstances()), policies, applicable)
  return foremost.map(({ policy, rule }) => `${policy.name}/${rule.name}`)
}

describe("the foremost rules", () => {
  it("are all that allow a request", () => {
    assert.deepEqual(named(placing(order())), ["second/large", "second/any"])
  })

  it("are else those that the last check stops, one or several", () => {
    assert.deepEqual(named(placing(marketOrder({ isBuy: false }))), ["first/sells"])
    assert.deepEqual(named(placing(marketOrder())), ["second/small", "second/large", "second/any"])
  })

  it("allow or stop a batch as a whole", () => {
    assert.deepEqual(named(placingBatch(order(), order({ symbolId: 2 }))), [
      "second/large",
      "second/any",
    ])
    assert.deepEqual(named(placingBatch(order(), marketOrder())), [
      "second/small",
      "second/large",
      "second/any",
    ])
  })

  it("are every rule where none covers the operation", () => {
    assert.equal(named(requestFor("transfer")).length, 5)
  })

  it("are of applicable policies alone", () => {
    assert.deepEqual(named(placing(order()), policies.slice(0, 1)), ["first/sells"])
    assert.deepEqual(named(placing(order()), []), [])
  })
})
