import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Order } from "../../../../../src/venue/payload/payload.ts"
import {
  circumstances,
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
    conditional: { triggerPrice: decimal(price), triggerBy: "mark_price" },
  }) as const
const onePercent = { slippage: decimal("0.01") } as const
const matched = { price: undefined, priceMatch: "queue_1" } as const
const sell = { isBuy: false } as const
const spotQuote = {
  symbolId: 3,
  marketOrderType: "quote",
  quantity: decimal("750.5"),
  slippage: undefined,
} as const

// Every way to count an order, at a quantity of 0.5 and a reference price of 64000 unless it says so.
// prettier-ignore
const rows: readonly { readonly name: string; readonly order: Order; readonly worst: string }[] = [
  { name: "a limit buy at its price", order: order(), worst: "30000" },
  { name: "a limit buy above the reference at its price", order: order({ price: decimal("90000") }), worst: "45000" },
  { name: "a limit sell below the reference at the reference", order: order({ ...sell, price: decimal("0.01") }), worst: "32000" },
  { name: "a limit sell above the reference at its price", order: order({ ...sell, price: decimal("70000") }), worst: "35000" },
  { name: "a market buy at the reference with its slippage", order: marketOrder(onePercent), worst: "32320" },
  { name: "a market sell at the reference with its slippage", order: marketOrder({ ...sell, ...onePercent }), worst: "32320" },
  { name: "a matched price at the reference with the rule's band", order: order(matched), worst: "32640" },
  { name: "a matched price beside a price of its own as a matched one", order: order({ ...matched, price: decimal("1") }), worst: "32640" },
  { name: "a matched sell at the reference with the rule's band", order: order({ ...sell, ...matched }), worst: "32640" },
  { name: "a conditional limit at its trigger", order: order(trigger("80000")), worst: "40000" },
  { name: "a conditional limit at its price", order: order({ ...trigger("50000"), price: decimal("80000") }), worst: "40000" },
  { name: "a conditional limit buy at no less than the reference", order: order(trigger("50000")), worst: "32000" },
  { name: "a conditional market order at its trigger with its slippage", order: marketOrder({ ...trigger("80000"), ...onePercent }), worst: "40400" },
  { name: "a conditional market order at no less than the reference", order: marketOrder({ ...trigger("1"), ...onePercent }), worst: "32320" },
  { name: "a conditional matched price at its trigger with the rule's band", order: order({ ...trigger("80000"), ...matched }), worst: "40800" },
  { name: "a quote amount as it says", order: marketOrder(spotQuote), worst: "750.5" },
  { name: "a spot market order in base units", order: marketOrder({ ...onePercent, symbolId: 3, marketOrderType: "base" }), worst: "32320" },
  { name: "an attached leg at its trigger", order: withTakeProfit(order()), worst: "35000" },
  { name: "an attached leg at its price", order: withTakeProfit(order(), leg({ orderType: "limit", orderPrice: decimal("75000") })), worst: "37500" },
  { name: "an attached leg at no less than the reference", order: withTakeProfit(order(), leg({ triggerPrice: decimal("1") })), worst: "32000" },
  { name: "the entry where it is larger than its leg", order: withTakeProfit(order({ price: decimal("90000") })), worst: "45000" },
  { name: "a market leg at its trigger with the slippage that its order says", order: withTakeProfit(order(onePercent)), worst: "35350" },
  { name: "a market leg at no less than the reference with it", order: withTakeProfit(order(onePercent), leg({ triggerPrice: decimal("1") })), worst: "32320" },
  { name: "a leg that may become a market order so too", order: withTakeProfit(order(onePercent), leg({ orderPrice: decimal("75000") })), worst: "37875" },
  { name: "a limit leg without it", order: withTakeProfit(marketOrder(onePercent), leg({ orderType: "limit", orderPrice: decimal("75000") })), worst: "37500" },
  { name: "a standalone tpsl at its trigger with its slippage", order: standaloneTpsl(leg(), onePercent), worst: "35350" },
  { name: "a standalone tpsl at its trigger", order: standaloneTpsl(), worst: "35000" },
  { name: "a standalone tpsl at no less than the reference", order: standaloneTpsl(leg({ triggerPrice: decimal("1") })), worst: "32000" },
]

function capped(max: string): string {
  return ruleFile(`max_notional: "${max}"`, "price_match_band: 2%")
}

describe("max_notional", () => {
  for (const { name, order: placed, worst } of rows) {
    it(`counts ${name}: allows ${worst}, refuses the least bit more`, () => {
      assert.equal(outcomeOf(decide(capped(worst), placing(placed))), "allow")
      const more = { ...placed, quantity: justAbove(placed) }
      assert.equal(outcomeOf(decide(capped(worst), placing(more))), "notional_over_max")
    })
  }

  it("says the worst price in words", () => {
    const askedOf = (placed: Order) => {
      const decision = decide(capped("25000"), placing(placed))
      assert.equal(decision.kind, "refuse")
      assert.equal(decision.denial.allowed, "25000")
      return decision.denial.asked
    }
    assert.equal(askedOf(order()), "30000 USD: 0.5 BTC-PERP at its price 60000")
    assert.equal(
      askedOf(order({ ...sell, price: decimal("0.01") })),
      "32000 USD: 0.5 BTC-PERP at the reference price 64000",
    )
    assert.equal(
      askedOf(marketOrder(onePercent)),
      "32320 USD: 0.5 BTC-PERP at 64640 (the reference price 64000 and slippage 0.01)",
    )
    assert.equal(
      askedOf(order(matched)),
      "32640 USD: 0.5 BTC-PERP at 65280 (the reference price 64000 and the price_match_band 0.02)",
    )
    assert.equal(
      askedOf(withTakeProfit(order())),
      "35000 USD: 0.5 BTC-PERP at the take-profit leg's trigger price 70000",
    )
  })

  it("refuses a market order without slippage", () => {
    for (const placed of [marketOrder(), marketOrder(sell), marketOrder(trigger("1"))]) {
      assert.equal(outcomeOf(decide(capped("1000000"), placing(placed))), "slippage_required")
    }
  })

  it("refuses a matched price where the rule has no band", () => {
    const file = ruleFile('max_notional: "1000000"')
    assert.equal(outcomeOf(decide(file, placing(order(matched)))), "price_match_band_required")
  })

  it("refuses a symbol outside the table", () => {
    const decision = decide(capped("1000000"), placing(order({ symbolId: 7 })))
    assert.equal(outcomeOf(decision), "notional_unknown")
  })

  it("refuses orders that lack what their size is read from", () => {
    const strange = [
      order({ price: undefined }),
      order({ orderType: undefined }),
      order({ algoOrderType: "conditional" }),
      standaloneTpsl(undefined, { tpsl: undefined }),
    ]
    for (const placed of strange) {
      assert.equal(outcomeOf(decide(capped("1000000"), placing(placed))), "size_unreadable")
    }
  })

  it("refuses a modify whose orders can't be read, and judges one that can by the order it makes", () => {
    assert.equal(outcomeOf(decide(capped("30000"), requestFor("modifyOrder"))), "size_unreadable")
    const modify = (placed: Order) => ({ ...placing(placed), operation: "modifyOrder" }) as const
    assert.equal(outcomeOf(decide(capped("30000"), modify(order()))), "allow")
    const more = order({ quantity: decimal("0.51") })
    assert.equal(outcomeOf(decide(capped("30000"), modify(more))), "notional_over_max")
  })

  it("sums a batch over all symbols of one quote unit when it is one number", () => {
    const ether = order({ symbolId: 2, quantity: decimal("1"), price: decimal("3000") })
    assert.equal(outcomeOf(decide(capped("33000"), placingBatch(order(), ether))), "allow")
    const over = decide(capped("32999.99"), placingBatch(order(), ether))
    assert.equal(over.kind, "refuse")
    assert.equal(over.denial.reason, "notional_over_max")
    assert.equal(over.denial.asked, "33000 USD (2 orders together)")
  })

  it("sums a batch for each symbol when it is a map", () => {
    const ether = order({ symbolId: 2, quantity: decimal("1"), price: decimal("3000") })
    const file = ruleFile("max_notional: {BTC-PERP: '60000', default: '3000'}")
    assert.equal(outcomeOf(decide(file, placingBatch(order(), order(), ether))), "allow")
    assert.equal(outcomeOf(decide(file, placingBatch(ether, ether))), "notional_over_max")
    const third = order({ quantity: decimal("0.001") })
    assert.equal(
      outcomeOf(decide(file, placingBatch(order(), order(), third))),
      "notional_over_max",
    )
  })

  it("refuses a symbol that a map leaves out", () => {
    const file = ruleFile("max_notional: {BTC-PERP: '60000'}")
    assert.equal(outcomeOf(decide(file, placing(order({ symbolId: 2 })))), "symbol_without_max")
  })

  it("refuses both sides without a fresh reference price, of that symbol alone", () => {
    const { referencePrice } = circumstances()
    const stale = {
      referencePrice: (id: number) => (id === 1 ? undefined : referencePrice(id)),
    }
    const file = capped("1000000")
    for (const placed of [order(), order(sell), marketOrder(onePercent)]) {
      assert.equal(outcomeOf(decide(file, placing(placed), stale)), "notional_unknown")
    }
    assert.equal(outcomeOf(decide(file, placing(order({ symbolId: 2 })), stale)), "allow")
  })
})

describe("tpsl_mode full", () => {
  const full = (placed: Order): Order => ({
    ...placed,
    tpsl: placed.tpsl && { ...placed.tpsl, mode: "full" },
  })

  it("is refused by a rule that doesn't allow it, with or without a cap", () => {
    for (const file of [ruleFile("endpoints: [placeOrder]"), capped("1000000")]) {
      for (const placed of [withTakeProfit(order()), standaloneTpsl()]) {
        assert.equal(outcomeOf(decide(file, placing(full(placed)))), "full_tpsl_not_allowed")
        assert.equal(outcomeOf(decide(file, placing(placed))), "allow")
      }
    }
  })

  it("is allowed by a rule that says so", () => {
    const file = ruleFile("endpoints: [placeOrder]", "allow_full_tpsl: true")
    assert.equal(outcomeOf(decide(file, placing(full(standaloneTpsl())))), "allow")
    const not = ruleFile("endpoints: [placeOrder]", "allow_full_tpsl: false")
    assert.equal(outcomeOf(decide(not, placing(full(standaloneTpsl())))), "full_tpsl_not_allowed")
  })
})

/** The order's quantity and one unit of its twelfth place. */
function justAbove({ quantity }: Order) {
  const scale = 12
  const coefficient = quantity.coefficient * 10n ** BigInt(scale - quantity.scale) + 1n
  return { coefficient, scale }
}
