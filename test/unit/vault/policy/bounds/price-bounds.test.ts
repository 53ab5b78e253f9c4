import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Order } from "../../../../../src/venue/payload/payload.ts"
import {
  decide,
  decimal,
  leg,
  marketOrder,
  order,
  outcomeOf,
  placing,
  placingBatch,
  requestFor,
  ruleFile,
  standaloneTpsl,
  withTakeProfit,
} from "../../../../support/policy-case.ts"

const trigger = (price: string) =>
  ({
    algoOrderType: "conditional",
    conditional: { triggerPrice: decimal(price), triggerBy: "last_price" },
  }) as const

function ask(file: string, ...orders: readonly Order[]): string {
  const [first, ...others] = orders
  assert.ok(first)
  return outcomeOf(decide(file, others.length === 0 ? placing(first) : placingBatch(...orders)))
}

describe("price_band", () => {
  // The reference price is 64000: 2 % around it is 62720 to 65280.
  const band = ruleFile("price_band: 2%")
  const outside = "price_outside_band"

  it("allows a price at either edge and refuses the least bit beyond", () => {
    const at = (price: string) => ask(band, order({ price: decimal(price) }))
    assert.equal(at("62720"), "allow")
    assert.equal(at("62719.999999999999"), outside)
    assert.equal(at("65280.000"), "allow")
    assert.equal(at("65280.000000000001"), outside)
  })

  it("holds for buys and sells alike, and for the trigger beside the price", () => {
    for (const isBuy of [true, false]) {
      const at = (price: string, triggerPrice: string) =>
        ask(band, order({ isBuy, price: decimal(price), ...trigger(triggerPrice) }))
      assert.equal(at("64000", "65280"), "allow")
      assert.equal(at("64000", "65281"), outside)
      assert.equal(at("65281", "64000"), outside)
      assert.equal(at("64000", "62719"), outside)
    }
  })

  it("holds for the trigger and the price of every leg", () => {
    const entry = order({ price: decimal("64000") })
    const at = (triggerPrice: string, orderPrice: string | undefined) => {
      const price = orderPrice === undefined ? undefined : decimal(orderPrice)
      return ask(
        band,
        withTakeProfit(entry, leg({ triggerPrice: decimal(triggerPrice), orderPrice: price })),
      )
    }
    assert.equal(at("65280", undefined), "allow")
    assert.equal(at("65281", undefined), outside)
    assert.equal(at("65280", "62720"), "allow")
    assert.equal(at("65280", "62719"), outside)
    assert.equal(ask(band, standaloneTpsl(leg({ triggerPrice: decimal("65281") }))), outside)
  })

  it("holds for every order of a batch", () => {
    const near = order({ price: decimal("64000") })
    assert.equal(ask(band, near, near), "allow")
    assert.equal(ask(band, near, order({ price: decimal("1") })), outside)
  })

  it("may be wider than the price itself", () => {
    assert.equal(ask(ruleFile("price_band: 150%"), order({ price: decimal("0.01") })), "allow")
  })

  it("may be zero: the reference price alone", () => {
    const exact = ruleFile("price_band: 0%")
    assert.equal(ask(exact, order({ price: decimal("64000.00") })), "allow")
    assert.equal(ask(exact, order({ price: decimal("64000.01") })), outside)
  })

  it("refuses everything without a fresh reference price, and symbols outside the table", () => {
    const dead = { referencePrice: () => undefined }
    const decision = decide(band, placing(order({ price: decimal("64000") })), dead)
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.reason, "reference_price_unknown")
    assert.equal(decision.denial.asked, "BTC-PERP, which has no fresh reference price")
    assert.equal(ask(band, order({ symbolId: 7 })), "reference_price_unknown")
    assert.equal(outcomeOf(decide(band, placing(marketOrder()), dead)), "reference_price_unknown")
  })

  it("leaves a market order to max_slippage, but not the trigger that it waits for", () => {
    assert.equal(ask(band, marketOrder()), "allow")
    assert.equal(ask(band, marketOrder(trigger("64000"))), "allow")
    assert.equal(ask(band, marketOrder(trigger("70000"))), outside)
  })

  it("takes a matched price as within the rule's price_match_band", () => {
    const matched = order({ price: undefined, priceMatch: "queue_5" })
    assert.equal(ask(band, matched), "price_match_band_required")
    assert.equal(ask(ruleFile("price_band: 2%", "price_match_band: 2%"), matched), "allow")
    assert.equal(ask(ruleFile("price_band: 2%", "price_match_band: 2.01%"), matched), outside)
  })

  it("refuses what it can't read: no orders, a chase, an order without price and type", () => {
    assert.equal(outcomeOf(decide(band, requestFor("modifyOrder"))), "order_unreadable")
    const chase = {
      ...placing(order({ price: decimal("64000") })),
      operation: "chaseOrder",
    } as const
    assert.equal(outcomeOf(decide(band, chase)), "order_unreadable")
    assert.equal(ask(band, order({ price: undefined })), "order_unreadable")
    assert.equal(ask(band, order({ orderType: undefined })), "order_unreadable")
  })

  it("says which price is outside and what is within", () => {
    const decision = decide(band, placing(withTakeProfit(order({ price: decimal("64000") }))))
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.asked, "the take-profit leg's trigger price 70000")
    assert.equal(decision.denial.allowed, "within 1280 of the reference price 64000")
  })
})

describe("max_slippage", () => {
  const bound = ruleFile("max_slippage: '0.01'")
  const market = (slippage: string | undefined) =>
    marketOrder({ slippage: slippage === undefined ? undefined : decimal(slippage) })

  it("allows a market order at the maximum, refuses one over it and one that says nothing", () => {
    assert.equal(ask(bound, market("0.01")), "allow")
    assert.equal(ask(bound, market("0.010")), "allow")
    assert.equal(ask(bound, market("0.0100000000001")), "slippage_over_max")
    assert.equal(ask(bound, market(undefined)), "slippage_required")
  })

  it("asks nothing of a limit order", () => {
    assert.equal(ask(bound, order()), "allow")
  })

  it("holds for a conditional market order and for every order of a batch", () => {
    assert.equal(ask(bound, { ...market("0.02"), ...trigger("64000") }), "slippage_over_max")
    assert.equal(ask(bound, market("0.01"), order(), market("0.02")), "slippage_over_max")
  })

  it("refuses a leg that becomes a market order, since legs have no slippage of their own", () => {
    assert.equal(ask(bound, withTakeProfit(order())), "slippage_required")
    const saying = { slippage: decimal("0.001") }
    assert.equal(ask(bound, withTakeProfit(order(saying))), "slippage_required")
    assert.equal(ask(bound, withTakeProfit(market("0.01"))), "slippage_required")
    const limitLeg = leg({ orderType: "limit", orderPrice: decimal("70000") })
    assert.equal(ask(bound, withTakeProfit(order(), limitLeg)), "allow")
    assert.equal(
      ask(bound, withTakeProfit(order(), leg({ orderPrice: decimal("1") }))),
      "slippage_required",
    )
    const decision = decide(bound, placing(withTakeProfit(order())))
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.asked, "take-profit leg: no slippage of its own")
  })

  it("refuses what may be a market order for all that can be read", () => {
    assert.equal(ask(bound, order({ orderType: undefined })), "slippage_required")
    assert.equal(ask(bound, standaloneTpsl()), "slippage_required")
    assert.equal(outcomeOf(decide(bound, requestFor("modifyOrder"))), "order_unreadable")
    const chase = { ...placing(order()), operation: "chaseOrder" } as const
    assert.equal(outcomeOf(decide(bound, chase)), "order_unreadable")
  })
})

describe("min_quantity", () => {
  const min = ruleFile("min_quantity: '0.5'")

  it("allows an order at the minimum and refuses the least bit less", () => {
    assert.equal(ask(min, order({ quantity: decimal("0.50") })), "allow")
    assert.equal(ask(min, order({ quantity: decimal("0.499999999999") })), "quantity_under_min")
    const decision = decide(min, placing(order({ quantity: decimal("0.4") })))
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.asked, "0.4 BTC-PERP")
    assert.equal(decision.denial.allowed, "at least 0.5 in base units")
  })

  it("holds for every order by itself: a batch's sum doesn't help", () => {
    const small = order({ quantity: decimal("0.3") })
    assert.equal(ask(min, small, small), "quantity_under_min")
    assert.equal(ask(min, order(), order()), "allow")
  })

  it("holds each symbol of a map to its own, and refuses a symbol that the map leaves out", () => {
    const bySymbol = ruleFile("min_quantity: {BTC-PERP: '0.5', ETH-PERP: '0'}")
    const at = (symbolId: number, quantity: string) =>
      ask(bySymbol, order({ symbolId, quantity: decimal(quantity) }))
    assert.equal(at(1, "0.4"), "quantity_under_min")
    assert.equal(at(2, "0.0001"), "allow")
    assert.equal(at(3, "100"), "symbol_without_min")
  })

  it("refuses an amount in quote units, and one that may be in either", () => {
    const quote = marketOrder({ symbolId: 3, marketOrderType: "quote", quantity: decimal("1000") })
    assert.equal(ask(min, quote), "quantity_unreadable")
    assert.equal(ask(min, marketOrder({ symbolId: 3 })), "market_order_type_required")
  })

  it("refuses what it can't read", () => {
    assert.equal(outcomeOf(decide(min, requestFor("placeBatch"))), "size_unreadable")
    const chase = { ...placing(order()), operation: "chaseOrder" } as const
    assert.equal(outcomeOf(decide(min, chase)), "size_unreadable")
  })
})

describe("max_expires_in", () => {
  const bound = ruleFile("endpoints: [placeOrder, transfer]", "max_expires_in: 10s")

  it("allows a request that is valid exactly so long, and refuses a millisecond more", () => {
    const valid = (expiresInMs: number) =>
      outcomeOf(decide(bound, { ...placing(order()), expiresInMs }))
    assert.equal(valid(10_000), "allow")
    assert.equal(valid(10_001), "expires_in_over_max")
    assert.equal(valid(Number.NaN), "expires_in_over_max")
    assert.equal(valid(Number.POSITIVE_INFINITY), "expires_in_over_max")
  })

  it("holds for every operation that the rule covers, and says what to send", () => {
    const decision = decide(bound, requestFor("transfer", { expiresInMs: 60_000 }))
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.asked, "valid for 60000 ms")
    assert.equal(decision.denial.allowed, "10000 ms; send Countersign-Expires-In")
  })
})
