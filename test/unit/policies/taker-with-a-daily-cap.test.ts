import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  decimal,
  marketOrder,
  order,
  placing,
  placingBatch,
  requestFor,
  withTakeProfit,
} from "../../support/policy-case.ts"
import { examplePolicy, times } from "./example-policy.ts"

const { outcome, roomFor } = examplePolicy("taker-with-a-daily-cap", { client: "taker-bot" })

/** 0.15 BTC-PERP at the reference price of 64000: 9600. */
const crossing = order({
  timeInForce: "ioc",
  price: decimal("64000"),
  quantity: decimal("0.15"),
})
const market = marketOrder({ slippage: decimal("0.005"), quantity: decimal("0.15") })
const way = marketOrder({ flags: ["reduce_only"], quantity: decimal("1") })

describe("policies/taker-with-a-daily-cap.yaml", () => {
  it("allows orders that fill at once, of either kind and side", () => {
    for (const placed of [crossing, { ...crossing, isBuy: false }, market]) {
      assert.equal(outcome(placing(placed)), "allow")
    }
  })

  for (const [what, placed, reason] of [
    ["that would rest", { ...crossing, timeInForce: "gtc" }, "flag_required"],
    ["with a leg", withTakeProfit(crossing), "flag_required"],
    ["at the band's edge", { ...crossing, price: decimal("64640") }, "allow"],
    ["past the band", { ...crossing, price: decimal("64640.01") }, "price_outside_band"],
    ["of the largest amount", { ...crossing, quantity: decimal("0.15625") }, "allow"],
    ["of more", { ...crossing, quantity: decimal("0.15626") }, "notional_over_max"],
    ["by market without slippage", { ...market, slippage: undefined }, "slippage_required"],
    ["with more slippage", { ...market, slippage: decimal("0.0051") }, "slippage_over_max"],
    ["on another symbol", { ...crossing, symbolId: 3 }, "symbol_not_allowed"],
  ] as const) {
    it(`${reason === "allow" ? "allows" : "refuses"} an order ${what}`, () => {
      assert.equal(outcome(placing(placed)), reason)
    })
  }

  it("refuses without a fresh price, and still lets positions be reduced", () => {
    const dead = { referencePrice: () => undefined }
    assert.equal(outcome(placing(crossing), dead), "reference_price_unknown")
    assert.equal(outcome(placing(market), dead), "notional_unknown")
    assert.equal(outcome(placing(way), dead), "allow")
    const limited = order({ flags: ["reduce_only"], quantity: decimal("1") })
    assert.equal(outcome(placing(limited), dead), "allow")
    const larger = { ...limited, quantity: decimal("1.1") }
    assert.equal(outcome(placing(larger), dead), "quantity_over_max")
  })

  it("allows single orders and cancels alone", () => {
    for (const operation of ["cancelOrder", "cancelBatch", "cancelAll"] as const) {
      assert.equal(outcome(requestFor(operation)), "allow")
    }
    assert.equal(outcome(placingBatch(crossing)), "no_rule_covers_endpoint")
    assert.equal(outcome(requestFor("withdraw")), "no_rule_covers_endpoint")
  })

  it("has room for 100000 a day, and for 30 orders a minute", () => {
    const full = placing({ ...crossing, quantity: decimal("0.15625") })
    assert.equal(roomFor(times(11, full)), 10)
    const small = placing({ ...crossing, quantity: decimal("0.001") })
    assert.equal(roomFor(times(31, small)), 30)
  })

  it("counts nothing that reduces against what is spent, nor refuses it for its number", () => {
    const full = placing({ ...crossing, quantity: decimal("0.15625") })
    const ways = [...times(101, placing(way)), requestFor("cancelAll")]
    assert.equal(roomFor([...times(10, full), ...ways]), 112)
  })
})
