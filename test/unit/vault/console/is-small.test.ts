import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { isSmall } from "../../../../src/vault/console/is-small.ts"

describe("what is cheap to keep of a body", () => {
  it("is a batch of 50 orders", () => {
    const order = {
      symbol_id: 1,
      is_buy: true,
      order_type: "limit",
      price: "63000",
      quantity: "0.1",
    }
    assert.equal(isSmall({ orders: Array.from({ length: 50 }, () => order) }), true)
  })

  it("is a text up to a bound, and none above", () => {
    assert.equal(isSmall({ a: "x".repeat(24_574) }), true)
    assert.equal(isSmall({ a: "x".repeat(24_575) }), false)
  })

  it("isn't a long list of small numbers, nor many names", () => {
    assert.equal(isSmall({ a: Array.from({ length: 30_000 }, () => 1) }), false)
    const named = Array.from({ length: 5_000 }, (_, index) => [`name${index}`, null] as const)
    assert.equal(isSmall(Object.fromEntries(named)), false)
  })
})
