import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  decide,
  decimal,
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
import { testProfile } from "../../../../support/test-profile.ts"

const half = ruleFile('max_quantity: "0.5"')
const bySymbol = ruleFile("max_quantity: {BTC-PERP: '0.5', '2': '20'}")
const tinyOver = "0.5000000000000000000000000000000000001"

describe("max_quantity", () => {
  it("allows a quantity exactly at the maximum", () => {
    for (const text of ["0.5", "0.500", "0.4999"]) {
      const decision = decide(half, placing(order({ quantity: decimal(text) })))
      assert.equal(outcomeOf(decision), "allow", text)
    }
  })

  it("refuses one unit of least precision more, and says what was asked and what is allowed", () => {
    const decision = decide(half, placing(order({ quantity: decimal(tinyOver) })))
    assert.equal(decision.kind, "refuse")
    assert.deepEqual(decision.denial, {
      policy: "test",
      rule: "rule",
      reason: "quantity_over_max",
      file: "0.yaml",
      line: 3,
      asked: `${tinyOver} BTC-PERP`,
      allowed: "0.5",
    })
  })

  it("holds each symbol of a map to its own maximum", () => {
    const ask = (symbolId: number, quantity: string) =>
      outcomeOf(decide(bySymbol, placing(order({ symbolId, quantity: decimal(quantity) }))))
    assert.equal(ask(1, "0.5"), "allow")
    assert.equal(ask(1, "0.51"), "quantity_over_max")
    assert.equal(ask(2, "20"), "allow")
    assert.equal(ask(2, "20.1"), "quantity_over_max")
  })

  it("refuses a symbol that a map leaves out, and holds it to the default where there is one", () => {
    const ask = (file: string, quantity: string) =>
      outcomeOf(decide(file, placing(order({ symbolId: 3, quantity: decimal(quantity) }))))
    assert.equal(ask(bySymbol, "0.1"), "symbol_without_max")
    const withDefault = ruleFile("max_quantity: {BTC-PERP: '0.5', default: '0.1'}")
    assert.equal(ask(withDefault, "0.1"), "allow")
    assert.equal(ask(withDefault, "0.11"), "quantity_over_max")
  })

  it("needs no price", () => {
    const decision = decide(half, placing(marketOrder()), { referencePrice: () => undefined })
    assert.equal(outcomeOf(decision), "allow")
  })

  it("bounds a symbol outside the table too", () => {
    const ask = (quantity: string) =>
      outcomeOf(decide(half, placing(order({ symbolId: 7, quantity: decimal(quantity) }))))
    assert.equal(ask("0.5"), "allow")
    assert.equal(ask("0.6"), "quantity_over_max")
  })

  it("sums a batch for each symbol", () => {
    const item = (symbolId: number, quantity: string) =>
      order({ symbolId, quantity: decimal(quantity) })
    const ask = (...items: readonly (readonly [number, string])[]) =>
      decide(half, placingBatch(...items.map(([id, quantity]) => item(id, quantity))))
    assert.equal(outcomeOf(ask([1, "0.2"], [1, "0.3"], [2, "0.5"])), "allow")
    const over = ask([1, "0.2"], [2, "0.5"], [1, "0.3001"])
    assert.equal(over.kind, "refuse")
    assert.equal(over.denial.reason, "quantity_over_max")
    assert.equal(over.denial.asked, "0.5001 BTC-PERP (2 orders together)")
    assert.equal(over.denial.allowed, "0.5")
  })

  it("sums buys and sells alike, since either side may be the one that fills", () => {
    const items = [order(), order({ isBuy: false, quantity: decimal("0.1") })]
    assert.equal(outcomeOf(decide(half, placingBatch(...items))), "quantity_over_max")
  })

  it("refuses what makes orders but can't be read", () => {
    assert.equal(outcomeOf(decide(half, requestFor("modifyOrder"))), "size_unreadable")
  })

  it("refuses a chase even where its body can be read", () => {
    const request = { ...placing(order()), operation: "chaseOrder" } as const
    assert.equal(outcomeOf(decide(half, request)), "size_unreadable")
  })

  it("refuses an operation without orders that the rule names beside placeOrder", () => {
    const file = ruleFile("endpoints: [placeOrder, cancelOrder]", 'max_quantity: "0.5"')
    assert.equal(outcomeOf(decide(file, requestFor("cancelOrder"))), "size_unreadable")
  })
})

const spotMarket = marketOrder({ symbolId: 3, slippage: decimal("0.01") })

describe("the unit of a quantity", () => {
  const both = ruleFile('max_quantity: "0.5"', 'max_notional: "1000"')

  it("refuses quote units under max_quantity alone, however small", () => {
    const tiny = { ...spotMarket, marketOrderType: "quote", quantity: decimal("0.01") } as const
    assert.equal(outcomeOf(decide(half, placing(tiny))), "quantity_unreadable")
  })

  it("leaves quote units to the max_notional beside it", () => {
    const ask = (quantity: string) =>
      outcomeOf(
        decide(
          both,
          placing({ ...spotMarket, marketOrderType: "quote", quantity: decimal(quantity) }),
        ),
      )
    assert.equal(ask("1000"), "allow")
    assert.equal(ask("1000.01"), "notional_over_max")
  })

  it("refuses quote units on a perpetual, outside the table, and for a conditional order", () => {
    const quote = { marketOrderType: "quote", slippage: decimal("0.01") } as const
    const conditional = {
      ...quote,
      symbolId: 3,
      algoOrderType: "conditional",
      conditional: { triggerPrice: decimal("1"), triggerBy: "last_price" },
    } as const
    for (const strange of [
      { ...quote, symbolId: 1 },
      { ...quote, symbolId: 7 },
      conditional,
      { ...quote, symbolId: 3, algoOrderType: "tpsl" } as const,
    ]) {
      assert.equal(outcomeOf(decide(half, placing(marketOrder(strange)))), "size_unreadable")
    }
  })

  it("refuses a spot market order without market_order_type until the profile tells the default", () => {
    const ask = (defaultMarketOrderType: "base" | "quote" | undefined) =>
      outcomeOf(
        decide(half, placing(spotMarket), { profile: testProfile({ defaultMarketOrderType }) }),
      )
    assert.equal(ask(undefined), "market_order_type_required")
    assert.equal(ask("base"), "allow")
    assert.equal(ask("quote"), "quantity_unreadable")
  })

  it("reads what may become a market order on spot, or outside the table, in the same way", () => {
    const spotLegs = [
      withTakeProfit(order({ symbolId: 3 })),
      standaloneTpsl(undefined, { symbolId: 3 }),
      marketOrder({ symbolId: 7 }),
    ]
    for (const placed of spotLegs) {
      assert.equal(outcomeOf(decide(half, placing(placed))), "market_order_type_required")
    }
  })

  it("takes a perpetual's quantity as base units", () => {
    assert.equal(outcomeOf(decide(half, placing(marketOrder()))), "allow")
    const stated = marketOrder({ marketOrderType: "base" })
    assert.equal(outcomeOf(decide(half, placing(stated))), "allow")
  })

  it("takes a spot limit order's quantity as base units", () => {
    assert.equal(outcomeOf(decide(half, placing(order({ symbolId: 3 })))), "allow")
  })
})
