import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { askedText, shownText, symbolsIn } from "../../../src/console/asked-text.ts"
import { unseen } from "../../../src/std/visible.ts"
import { anyCharacter } from "../../support/any-character.ts"

type Symbols = Parameters<typeof askedText>[1]
const symbols: Symbols = { names: { 1: "BTC-PERP" }, default_market_order_type: null }
const order = { symbol_id: 1, is_buy: true, order_type: "limit", price: "63000", quantity: "0.1" }

const said = (body: unknown, operation: string | null = "placeOrder", of: Symbols = symbols) =>
  askedText({ operation, body }, of)

const cases: readonly (readonly [unknown, string, operation?: string | null])[] = [
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
  [{ ...order, order_id: "7" }, "modify order 7: buy 0.1 BTC-PERP at 63000, limit", "modifyOrder"],
  [{ ...order, order_id: "7" }, "order 7: buy 0.1 BTC-PERP at 63000, limit", null],
  [{ ...order, algo_order_type: "tpsl" }, "buy 0.1 BTC-PERP at 63000, limit, tpsl"],
  [
    { orders: [order, { ...order, is_buy: false }] },
    "place batch: orders (2): buy 0.1 BTC-PERP at 63000, limit; sell 0.1 BTC-PERP at 63000, limit",
    "placeBatch",
  ],
  [
    { orders: [{ ...order, order_id: "7" }] },
    "modify batch: orders (1): order 7: buy 0.1 BTC-PERP at 63000, limit",
    "modifyBatch",
  ],
  [{ order_id: "7" }, "cancel order 7", "cancelOrder"],
  [{ order_id: "7", symbol_id: 1 }, "cancel order 7: BTC-PERP", "cancelOrder"],
  [{ order_id: "7", symbol_id: 99 }, "cancel order 7: symbol_id 99", "cancelOrder"],
  [{}, "cancel all", "cancelAll"],
  [{ symbol_id: 1 }, "cancel all: BTC-PERP", "cancelAll"],
  [{ order_ids: ["7", "8"] }, "cancel batch: order_ids (2): 7; 8", "cancelBatch"],
  [
    { symbol_id: 1, cancels: [{ order_id: "7" }, { order_id: "8", symbol_id: 1 }] },
    "cancel batch: BTC-PERP: cancels (2): order 7; order 8: BTC-PERP",
    "cancelBatch",
  ],
  [{ a: [1], b: [2] }, "set leverage: a [1], b [2]", "setLeverage"],
  [
    { agent_address: "0x12", valid_days: 30 },
    "approve agent: agent_address 0x12, valid_days 30",
    "approveAgent",
  ],
  [{ agent_address: "0x12", label: "" }, 'agent_address 0x12, label ""', null],
  [{}, "create sub", "createSub"],
  [{}, "", null],
  [[], "[]", null],
  [[], "cancel all: []", "cancelAll"],
  [{ ...order, symbol_id: "constructor" }, "buy 0.1 symbol constructor at 63000, limit"],
]

describe("what was asked, in words", () => {
  for (const [body, words, operation] of cases) {
    it(`is: ${words}`, () => assert.equal(said(body, operation), words))
  }

  it("takes a market order's quantity as the venue's settings do", () => {
    const market = { ...order, order_type: "market" }
    const byQuote = { ...symbols, default_market_order_type: "quote" as const }
    assert.match(said(market, "placeOrder", byQuote), /for 0\.1 in quote units/)
    assert.match(
      said({ ...market, market_order_type: "base" }, "placeOrder", byQuote),
      /^buy 0\.1 BTC-PERP/,
    )
    assert.match(said(order, "placeOrder", byQuote), /^buy 0\.1 BTC-PERP/)
  })

  it("has at most 200 characters, and none that moves or hides others", () => {
    const exact = said({ a: "x".repeat(198) })
    assert.equal(exact, `a ${"x".repeat(198)}`)
    const longer = said({ a: "x".repeat(199) })
    assert.equal(longer, `a ${"x".repeat(197)}…`)
    assert.equal(said({ a: "1\u202e2\u0007\n" }), "a 1\\u202e2\\u0007\\u000a")
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
        const words = said(sent, "placeBatch")
        assert.ok(words.length <= 200 && words.isWellFormed())
      }),
    )
  })
})

describe("the symbols of what was asked", () => {
  it("are those of the body and of what it lists, each once, and none that the venue doesn't name", () => {
    const of = { ...symbols, names: { 1: "BTC-PERP", 2: "ETH-PERP" } }
    assert.deepEqual(symbolsIn(order, of), ["BTC-PERP"])
    const listed = { orders: [order, { ...order, symbol_id: 2 }, order, "7", null] }
    assert.deepEqual(symbolsIn(listed, of), ["BTC-PERP", "ETH-PERP"])
    for (const none of [{}, { order_id: "7" }, { symbol_id: 99 }, { symbol_id: "1" }, [order], 1]) {
      assert.deepEqual(symbolsIn(none, of), [])
    }
  })
})

describe("text that others chose", () => {
  it("is whole up to its length, and cut beyond", () => {
    assert.equal(shownText("abcd", 4), "abcd")
    assert.equal(shownText("abcde", 4), "abc…")
    assert.equal(shownText("", 4), "")
  })

  it("has what hides letters written out, within the same length", () => {
    assert.equal(shownText("up\u202ednim\n", 30), "up\\u202ednim\\u000a")
    assert.equal(shownText("\u202e", 6), "\\u202e")
    assert.equal(shownText("\u202e", 5), "\\u20…")
  })

  it("is never longer, hides nothing and is well formed, whatever it was", () => {
    const strange = fc.string({
      unit: fc.constantFrom("a", "\u202e", "\u0000", "😀", "\ud83d", "é"),
    })
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), strange),
        fc.integer({ min: 1, max: 40 }),
        (given, max) => {
          const shown = shownText(given, max)
          assert.ok(shown.length <= max && shown.isWellFormed())
          assert.equal(shown.search(unseen), -1)
        },
      ),
    )
  })
})
