import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { bodyOf, notionalOf, orderInput, wordsOf } from "../../../src/mcp/order-input.ts"

const symbols = new Map([
  ["BTC-PERP", 1],
  ["ETH-PERP", 2],
])
const schema = orderInput(symbols)
const order = { symbol: "BTC-PERP", side: "buy", type: "limit", quantity: "0.1", price: "63000" }

function bodyFrom(input: unknown) {
  return bodyOf(schema.parse(input), symbols)
}

describe("an order of a tool", () => {
  it("becomes the venue's body, field by field", () => {
    assert.deepEqual(bodyFrom({ ...order, time_in_force: "ioc", client_order_id: "a-1" }), {
      symbol_id: 1,
      is_buy: true,
      order_type: "limit",
      quantity: "0.1",
      price: "63000",
      time_in_force: "ioc",
      client_order_id: "a-1",
    })
  })

  it("says of a market order that its quantity is of the base", () => {
    const market = { symbol: "ETH-PERP", side: "sell", type: "market", quantity: "2" }
    assert.deepEqual(bodyFrom({ ...market, slippage: "0.005", reduce_only: true }), {
      symbol_id: 2,
      is_buy: false,
      order_type: "market",
      market_order_type: "base",
      quantity: "2",
      slippage: "0.005",
      flags: ["reduce_only"],
    })
  })

  it("has no flags where none is true", () => {
    assert.equal("flags" in bodyFrom({ ...order, reduce_only: false, post_only: false }), false)
  })

  it("isn't read with __proto__ as a field of its own", () => {
    const text = JSON.stringify(order).replace("{", `{"__proto__":{"quantity":"9"},`)
    assert.equal(schema.safeParse(JSON.parse(text)).success, false)
  })

  it("has of a key that is repeated the last value, as its body has", () => {
    const text = JSON.stringify(order).replace("{", `{"quantity":"9",`)
    assert.equal(bodyFrom(JSON.parse(text)).quantity, "0.1")
  })

  for (const [name, change] of [
    ["a number that isn't a string", { quantity: 0.1 }],
    ["an exponent", { quantity: "1e3" }],
    ["a sign", { quantity: "-1" }],
    ["42 characters", { quantity: "1".repeat(42) }],
    ["a symbol that wasn't named", { symbol: "DOGE" }],
    ["a field that isn't known", { leverage: "5" }],
    ["a trigger", { conditional: { trigger_price: "1" } }],
    ["an id with a space", { client_order_id: "a b" }],
    ["an id of 65 characters", { client_order_id: "a".repeat(65) }],
  ] as const) {
    it(`isn't read with ${name}`, () => {
      assert.equal(schema.safeParse({ ...order, ...change }).success, false)
    })
  }

  it("is read with 41 characters of a number and an id of 64", () => {
    const most = { quantity: `0.${"1".repeat(39)}`, client_order_id: "a".repeat(64) }
    assert.equal(schema.safeParse({ ...order, ...most }).success, true)
  })

  it("is said in words, without its own id", () => {
    const body = bodyFrom({ ...order, post_only: true, client_order_id: "x" })
    const words = "buy 0.1 BTC-PERP at 63,000 limit, flags post only"
    assert.equal(wordsOf(body, symbols, false), words)
    assert.equal(wordsOf(body, symbols, true), `PAPER: ${words}`)
  })

  it("comes to its price times its quantity, and without a price to nothing that is known", () => {
    assert.equal(notionalOf(schema.parse(order)), "6300")
    assert.equal(notionalOf(schema.parse({ ...order, price: undefined, type: "market" })), null)
  })
})
