import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { askedText } from "../../../../src/console/serve/asked-text.ts"

const symbols = { names: { 1: "BTC-PERP" }, default_market_order_type: null }
const order = { symbol_id: 1, is_buy: true, order_type: "limit", price: "63000", quantity: "0.1" }

const cases: readonly (readonly [unknown, string])[] = [
  [order, "buy 0.1 BTC-PERP at 63000, limit"],
  [
    { ...order, is_buy: false, flags: ["post_only"] },
    "sell 0.1 BTC-PERP at 63000, limit, post_only",
  ],
  [{ ...order, symbol_id: 99 }, "buy 0.1 symbol 99 at 63000, limit"],
  [{ symbol_id: 1, is_buy: true, order_type: "market", quantity: "2" }, "buy 2 BTC-PERP, market"],
  [
    { ...order, order_type: "market", price: "1", market_order_type: "quote" },
    "buy BTC-PERP for 0.1 in quote units at 1, market",
  ],
  [{ ...order, order_id: "7" }, "order 7: buy 0.1 BTC-PERP at 63000, limit"],
  [{ ...order, algo_order_type: "tpsl" }, "buy 0.1 BTC-PERP at 63000, limit, tpsl"],
  [
    { orders: [order, { ...order, is_buy: false }] },
    "orders (2): buy 0.1 BTC-PERP at 63000, limit; sell 0.1 BTC-PERP at 63000, limit",
  ],
  [{ order_id: "7" }, "order_id 7"],
  [{ order_ids: ["7", "8"] }, "order_ids (2): 7; 8"],
  [{ agent_address: "0x12", valid_days: 30 }, "agent_address 0x12, valid_days 30"],
  [{ agent_address: "0x12", label: "" }, 'agent_address 0x12, label ""'],
  [{}, ""],
  [[], "[]"],
  [{ ...order, symbol_id: "constructor" }, "buy 0.1 symbol constructor at 63000, limit"],
]

describe("what was asked, in words", () => {
  for (const [body, words] of cases) {
    it(`is: ${words}`, () => assert.equal(askedText(body, symbols), words))
  }

  it("takes a market order's quantity as the venue's settings do", () => {
    const market = { ...order, order_type: "market" }
    const byQuote = { ...symbols, default_market_order_type: "quote" as const }
    assert.match(askedText(market, byQuote), /for 0\.1 in quote units/)
    assert.match(askedText({ ...market, market_order_type: "base" }, byQuote), /^buy 0\.1 BTC-PERP/)
    assert.match(askedText(order, byQuote), /^buy 0\.1 BTC-PERP/)
  })

  it("has at most 200 characters, and none that moves or hides others", () => {
    const exact = askedText({ a: "x".repeat(198) }, symbols)
    assert.equal(exact, `a ${"x".repeat(198)}`)
    const longer = askedText({ a: "x".repeat(199) }, symbols)
    assert.equal(longer, `a ${"x".repeat(197)}…`)
    assert.equal(askedText({ a: "1\u202e2\u0007\n" }, symbols), "a 1\\u202e2\\u0007\\u000a")
  })

  it("is a text of at most 200 characters whatever a bot sends", () => {
    const body = fc.dictionary(fc.string(), fc.jsonValue())
    const orderLike = fc.record({
      ...{ is_buy: fc.boolean(), quantity: fc.jsonValue(), symbol_id: fc.jsonValue() },
      ...{ price: fc.jsonValue(), order_type: fc.jsonValue(), flags: fc.jsonValue() },
    })
    const any = fc.oneof(body, orderLike, fc.record({ orders: fc.array(orderLike) }))
    fc.assert(
      fc.property(any, (sent) => {
        const words = askedText(sent, symbols)
        assert.ok(words.length <= 200 && words.isWellFormed())
      }),
    )
  })
})
