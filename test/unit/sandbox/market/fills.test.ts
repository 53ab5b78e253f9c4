import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Reply } from "../../../../src/sandbox/answer-request.ts"
import { nowMs, typeA, wallet, type Fields } from "../signed-bodies.ts"
import { accepted, marketUnderTest, rejected, type MarketUnderTest } from "../venue-under-test.ts"
import { pricesOf } from "./price-lines.ts"
import type { PricePath } from "../../../../src/sandbox/state/market-state.ts"

const of = `account_address=${wallet.address}`
const limit = { symbol_id: 1, is_buy: true, order_type: "limit", price: "63000", quantity: "1" }
const market = { symbol_id: 1, is_buy: true, order_type: "market", quantity: "0.1" }

type Played = MarketUnderTest & {
  readonly place: (order: Fields) => Reply
  readonly after: (ms: number) => void
  readonly list: (path: string) => readonly Fields[]
  readonly equity: () => Fields
}

function played(path: PricePath, seed?: number): Played {
  const venue = marketUnderTest(path, seed === undefined ? {} : { seed })
  const later = { expiresAfter: nowMs + 3_600_000 }
  return {
    ...venue,
    place: (order) => venue.post("/v1/trade/orders", typeA(order, later)),
    after: (ms) => void (venue.clock.nowMs = nowMs + ms),
    list: (at) => accepted(venue.get(`${at}?${of}`))["list"] as readonly Fields[],
    equity: () => accepted(venue.get(`/v1/account/equity?${of}`)),
  }
}

const positions = "/v1/account/positions"
const openOrders = "/v1/trade/open-orders"
const executions = "/v1/trade/executions"

describe("an order that comes into a market", () => {
  it("trades at once at the book's price when it is a market order, for a fee", () => {
    const venue = played(pricesOf("64000"))
    assert.equal(accepted(venue.place(market))["state"], "filled")
    const [deal] = venue.list(executions)
    assert.deepEqual([deal?.["price"], deal?.["quantity"]], ["64006.4", "0.1"])
    assert.equal(deal?.["fee"], "3.20032") // 0.05 % of 6,400.64
    const [position] = venue.list(positions)
    assert.deepEqual(
      [position?.["quantity"], position?.["entry_price"], position?.["unrealised_profit"]],
      ["0.1", "64006.4", "-0.64"],
    )
    const { equity, margin_balance } = venue.equity()
    assert.equal(margin_balance, "999996.15968") // less 3.20032 and 0.64
    assert.equal(equity, "2639996.15968") // and 1,000,000 USDC and 10 BTC
  })

  it("walks down the book, level by level, and what goes beyond its slippage is cancelled", () => {
    const venue = played(pricesOf("64000"))
    const large = { ...market, quantity: "15", slippage: "0.0003" }
    assert.equal(accepted(venue.place(large))["state"], "cancelled")
    const prices = venue.list(executions).map(({ price }) => price)
    assert.deepEqual(prices, ["64006.4", "64012.8", "64019.2"])
  })

  it("rests when its price isn't reached, and shows what is filled of it", () => {
    const venue = played(pricesOf("64000"))
    assert.equal(accepted(venue.place(limit))["state"], "open")
    const [order] = venue.list(openOrders)
    assert.deepEqual([order?.["filled_quantity"], order?.["reduce_only"]], ["0", false])
    assert.deepEqual(venue.list(positions), [])
  })

  for (const time_in_force of ["ioc", "fok"]) {
    it(`never rests when it is ${time_in_force}`, () => {
      const venue = played(pricesOf("64000"))
      assert.equal(accepted(venue.place({ ...limit, time_in_force }))["state"], "cancelled")
      assert.deepEqual(venue.list(openOrders), [])
    })
  }

  it("trades a part when it is ioc, and nothing when it is fok and not all can be had", () => {
    const thin = { ...limit, price: "64006.4", quantity: "12" }
    const taken = played(pricesOf("64000"))
    assert.equal(accepted(taken.place({ ...thin, time_in_force: "ioc" }))["state"], "cancelled")
    assert.equal(taken.list(executions).length, 1)
    const left = played(pricesOf("64000"))
    assert.equal(accepted(left.place({ ...thin, time_in_force: "fok" }))["state"], "cancelled")
    assert.deepEqual(left.list(executions), [])
  })

  it("is cancelled when it is post_only and would trade, and rests when it wouldn't", () => {
    const venue = played(pricesOf("64000"))
    const only = { ...limit, flags: ["post_only"] }
    assert.equal(accepted(venue.place({ ...only, price: "64006.4" }))["state"], "cancelled")
    assert.equal(accepted(venue.place({ ...only, price: "64006.39" }))["state"], "open")
    assert.deepEqual(venue.list(executions), [])
  })

  it("is refused without the margin for it, and taken at a leverage that has it", () => {
    const venue = played(pricesOf("64000"))
    rejected(venue.place({ ...limit, quantity: "16" }), "insufficient_margin")
    const lever = typeA({ symbol_id: 1, leverage: 10 }, { tag: 16 })
    accepted(venue.post("/v1/account/leverage", lever))
    accepted(venue.place({ ...limit, quantity: "150" }))
    rejected(venue.place({ ...limit, quantity: "10" }), "insufficient_margin")
  })

  it("is refused with more digits than are counted exactly", () => {
    const venue = played(pricesOf("64000"))
    rejected(venue.place({ ...limit, price: "1.0000000000001" }), "invalid_field")
    rejected(venue.place({ ...limit, position_side: "long" }), "invalid_field")
  })

  it("moves spot balances, and is refused where there is nothing to pay with", () => {
    const venue = played(pricesOf("64000"))
    accepted(venue.place({ ...market, symbol_id: 3, is_buy: false }))
    const balances = venue.list("/v1/account/balances").map(({ available }) => available)
    assert.deepEqual(balances, ["9.9", "1006396.16032", "1000000"]) // 6,399.36 less 3.19968
    rejected(
      venue.place({ ...market, symbol_id: 3, is_buy: false, quantity: "11" }),
      "insufficient_balance",
    )
  })
})

describe("an order that rests", () => {
  const falls = pricesOf(...Array<string>(20).fill("64000"), "62999", "62990", "60000")

  it("trades at its own price once the market is there, in parts, and is filled in the end", () => {
    const venue = played(falls)
    accepted(venue.place(limit))
    venue.after(19_999)
    assert.deepEqual(venue.list(executions), [])
    venue.after(30_000)
    const deals = venue.list(executions)
    assert.ok(deals.every(({ price }) => price === "63000"))
    assert.equal(
      deals.reduce((sum, { quantity }) => sum + Number(quantity), 0),
      1,
    )
    assert.deepEqual(venue.list(openOrders), [])
    assert.equal(venue.list("/v1/trade/order-history")[0]?.["state"], "filled")
  })

  it("trades a part while the market only touches it", () => {
    const venue = played(pricesOf("64000", "64000", "64000", "64000", "62993"))
    accepted(venue.place(limit))
    venue.after(4_000)
    const [order] = venue.list(openOrders)
    const filled = Number(order?.["filled_quantity"])
    assert.ok(filled >= 0.2 && filled < 1, String(filled))
    assert.equal(venue.list(positions)[0]?.["quantity"], order?.["filled_quantity"])
  })

  it("waits its turn: no later than three seconds, and each by a luck of its own", () => {
    const first = Array.from({ length: 12 }, (_, seed) => {
      const venue = played(pricesOf("64000", "60000"), seed)
      accepted(venue.place(limit))
      venue.after(10_000)
      return Number(venue.list(executions)[0]?.["record_time"]) - nowMs
    })
    assert.ok(first.every((ms) => ms >= 1_000 && ms <= 3_000))
    assert.ok(new Set(first).size > 1)
  })

  it("keeps its place and what is filled of it when it is modified, but not below that", () => {
    const venue = played(pricesOf("64000", "64000", "64000", "64000", "62993"))
    const { order_id } = accepted(venue.place(limit))
    venue.after(4_000)
    const filled = venue.list(openOrders)[0]?.["filled_quantity"]
    const later = { tag: 8, expiresAfter: nowMs + 60_000 }
    const modify = (changes: Fields) =>
      venue.post("/v1/trade/orders/modify", typeA({ ...limit, order_id, ...changes }, later))
    rejected(modify({ quantity: "0.0001" }), "order_changed")
    accepted(modify({ price: "50000", quantity: "2" }))
    const [order] = venue.list(openOrders)
    assert.deepEqual(
      [order?.["order_id"], order?.["quantity"], order?.["filled_quantity"]],
      [order_id, "2", filled],
    )
  })

  it("only reduces when it is reduce_only, and ends when there is nothing left", () => {
    const venue = played(pricesOf("64000", "64000", "64000", "64000", "66000"))
    const reduce = { ...limit, is_buy: false, price: "65000", flags: ["reduce_only"] }
    assert.equal(accepted(venue.place(reduce))["state"], "cancelled") // nothing to reduce
    accepted(venue.place(market))
    assert.equal(accepted(venue.place(reduce))["state"], "open")
    venue.after(10_000)
    assert.deepEqual([venue.list(positions), venue.list(openOrders)], [[], []])
    assert.equal(venue.list("/v1/trade/order-history").at(-1)?.["filled_quantity"], "0.1")
  })
})

describe("positions", () => {
  it("turn from long to short in one-way mode, and make profit real", () => {
    const venue = played(pricesOf("64000", "65000"))
    accepted(venue.place(market))
    venue.after(1_000)
    accepted(venue.place({ ...market, is_buy: false, quantity: "0.3" }))
    const [position] = venue.list(positions)
    assert.deepEqual([position?.["quantity"], position?.["entry_price"]], ["-0.2", "64993.5"])
    assert.deepEqual(venue.list(positions).length, 1)
  })

  it("are two of a symbol in hedge mode, each changed by its own side alone", () => {
    const venue = played(pricesOf("64000"))
    const mode = typeA({ position_mode: "hedge" }, { tag: 15 })
    accepted(venue.post("/v1/account/position-mode", mode))
    rejected(venue.place(market), "invalid_field")
    accepted(venue.place({ ...market, position_side: "long" }))
    accepted(venue.place({ ...market, position_side: "short", is_buy: false, quantity: "0.2" }))
    // Selling the long side closes it, and no more than it.
    accepted(venue.place({ ...market, position_side: "long", is_buy: false, quantity: "5" }))
    assert.deepEqual(
      venue.list(positions).map(({ position_side, quantity }) => [position_side, quantity]),
      [["short", "-0.2"]],
    )
    const back = typeA({ position_mode: "one_way" }, { tag: 15 })
    rejected(venue.post("/v1/account/position-mode", back), "order_changed")
  })

  it("pay funding each minute, the long side and the short one opposite sums", () => {
    const path = { ...pricesOf("64000"), maxFunding: 1_000 }
    const fundingOf = (is_buy: boolean) => {
      const venue = played(path)
      accepted(venue.place({ ...market, is_buy }))
      venue.after(59_999)
      venue.equity()
      const before = venue.market.events.filter(({ kind }) => kind === "funding")
      assert.deepEqual(before, [])
      venue.after(60_000)
      venue.equity()
      return venue.market.events.find(({ kind }) => kind === "funding")?.["amount"]
    }
    assert.equal(Number(fundingOf(true)), -Number(fundingOf(false)))
    assert.notEqual(Number(fundingOf(true)), 0)
  })

  it("are closed when the account can't bear them, and what it owes then is written off", () => {
    const venue = played(pricesOf("64000", "64000", "50000"))
    accepted(
      venue.post("/v1/account/leverage", typeA({ symbol_id: 1, leverage: 100 }, { tag: 16 })),
    )
    accepted(venue.place({ ...market, quantity: "100" }))
    accepted(venue.place(limit))
    venue.after(1_000)
    assert.equal(venue.list(positions).length, 1)
    venue.after(2_000)
    assert.deepEqual([venue.list(positions), venue.list(openOrders)], [[], []])
    assert.equal(venue.equity()["margin_balance"], "0")
    const kinds = venue.market.events.map(({ kind }) => kind)
    assert.ok(kinds.includes("liquidated") && kinds.includes("written_off"))
  })
})
