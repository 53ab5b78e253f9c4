import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Circumstances } from "../../../../../src/vault/policy/match/judged-request.ts"
import { formatDecimal, zero } from "../../../../../src/venue/decimal.ts"
import type { Order, OrderLeg } from "../../../../../src/venue/payload/payload.ts"
import {
  decide,
  decimal,
  leg,
  marketOrder,
  order,
  placing,
  placingBatch,
  requestFor,
  ruleFile,
  standaloneTpsl,
  withTakeProfit,
} from "../../../../support/policy-case.ts"
import { testProfile } from "../../../../support/test-profile.ts"

const orders = "endpoints: [placeOrder, placeBatch, modifyOrder, chaseOrder]"
const any = ruleFile(orders, "allow_full_tpsl: true")
const banded = ruleFile(orders, "price_match_band: 5%")

type Given = Partial<Circumstances> & { readonly file?: string }

/** What each order of a request may lose, by a reference price of 64000 and a fee of 0.1 %. */
function costsOf(request: ReturnType<typeof requestFor>, { file = any, ...given }: Given = {}) {
  const decision = decide(file, request, given)
  assert.notEqual(decision.kind, "refuse")
  if (decision.kind === "refuse") return []
  return decision.sizes.map(({ cost }) => cost && formatDecimal(cost))
}

function costOf(placed: Order, given?: Given) {
  return costsOf(placing(placed), given)[0]
}

const at = (price: string, changes: Partial<Order> = {}) =>
  order({ price: decimal(price), ...changes })
const sell = { isBuy: false }
const slippage = decimal("0.01")
const stop = (triggerPrice: string) =>
  ({
    algoOrderType: "conditional",
    conditional: { triggerPrice: decimal(triggerPrice), triggerBy: "last_price" },
  }) as const
const limitLeg = (price: string): OrderLeg =>
  leg({ triggerPrice: decimal(price), orderType: "limit", orderPrice: decimal(price) })
const matched = order({ price: undefined, priceMatch: "queue_5" })
const quote = (changes: Partial<Order>) =>
  marketOrder({ ...{ symbolId: 3, marketOrderType: "quote", slippage }, ...changes })

const cases: readonly { name: string; placed: Order; cost: string | null; file?: string }[] = [
  { name: "a limit buy below the reference price: the fee", placed: at("60000"), cost: "30" },
  { name: "a limit buy at it: the fee", placed: at("64000"), cost: "32" },
  { name: "a limit buy above it: so much more", placed: at("64000.02"), cost: "32.01001" },
  {
    name: "a limit sell above it: the fee at its price",
    placed: at("65000", sell),
    cost: "32.5",
  },
  { name: "a limit sell at it: the fee", placed: at("64000", sell), cost: "32" },
  {
    name: "a limit sell below it: so much less, and the fee at the reference price",
    placed: at("63000", sell),
    cost: "532",
  },
  { name: "a market buy: its slippage", placed: marketOrder({ slippage }), cost: "352.32" },
  {
    name: "a market sell: its slippage",
    placed: marketOrder({ slippage, ...sell }),
    cost: "352.32",
  },
  { name: "a market order without slippage: unknown", placed: marketOrder(), cost: null },
  { name: "a matched buy: the band", placed: matched, file: banded, cost: "1633.6" },
  {
    name: "a matched sell: the band",
    placed: { ...matched, ...sell },
    file: banded,
    cost: "1633.6",
  },
  { name: "a matched order without a band: unknown", placed: matched, cost: null },
  {
    name: "a conditional limit buy: the higher of its trigger and its price",
    placed: at("65000", stop("66000")),
    cost: "1033",
  },
  {
    name: "a conditional limit sell: the lower of them",
    placed: at("61000", { ...stop("60000"), ...sell }),
    cost: "2032",
  },
  {
    name: "a conditional market buy: its slippage above its trigger",
    placed: marketOrder({ slippage, ...stop("70000") }),
    cost: "3385.35",
  },
  {
    name: "a conditional market sell: its slippage below its trigger",
    placed: marketOrder({ slippage, ...stop("60000"), ...sell }),
    cost: "2332.32",
  },
  {
    name: "a conditional market sell above the reference price: its slippage below that",
    placed: marketOrder({ slippage, ...stop("70000"), ...sell }),
    cost: "355.35",
  },
  {
    name: "a leg that sells above the reference price: the entry's, and its fee",
    placed: withTakeProfit(at("64000"), limitLeg("70000")),
    cost: "67",
  },
  {
    name: "a leg that sells below it: so much less too",
    placed: withTakeProfit(at("64000"), limitLeg("60000")),
    cost: "2064",
  },
  {
    name: "a leg that buys back above it: so much more too",
    placed: withTakeProfit(at("64000", sell), limitLeg("70000")),
    cost: "3067",
  },
  {
    name: "a market leg: the order's slippage below its trigger",
    placed: withTakeProfit(at("64000", { slippage }), leg({ triggerPrice: decimal("60000") })),
    cost: "2364.32",
  },
  {
    name: "a leg that may become a market order, without slippage: unknown",
    placed: withTakeProfit(at("64000"), leg({ orderPrice: decimal("60000") })),
    cost: null,
  },
  {
    name: "a standalone leg: the fee of an order at the reference price, and of both sides the worse one",
    placed: standaloneTpsl(limitLeg("70000")),
    cost: "3067",
  },
  {
    name: "a standalone leg on the other side of it",
    placed: standaloneTpsl(limitLeg("60000")),
    cost: "2064",
  },
  {
    name: "a leg that closes a whole position: unknown",
    placed: {
      ...at("64000"),
      algoOrderType: "attached_tpsl",
      tpsl: { mode: "full", takeProfit: limitLeg("70000"), stopLoss: undefined },
    },
    cost: null,
  },
  {
    name: "a spot buy for an amount in quote units: its slippage",
    placed: quote({ quantity: decimal("1000") }),
    cost: "11",
  },
  {
    name: "a spot sell for such an amount: a little more, for it takes more base units",
    placed: quote({ quantity: decimal("1000"), ...sell }),
    cost: "11.2",
  },
  {
    name: "such an order without slippage: unknown",
    placed: quote({ slippage: undefined }),
    cost: null,
  },
  {
    name: "an order of a symbol that venue.yaml doesn't list: unknown",
    placed: at("1", { symbolId: 7 }),
    cost: null,
  },
]

describe("what an order may lose at once", () => {
  for (const { name, placed, cost, file = any } of cases) {
    it(`is of ${name}`, () => assert.equal(costOf(placed, { file }), cost))
  }

  it("adds both legs, also where the venue fills only one", () => {
    const legs = { takeProfit: limitLeg("70000"), stopLoss: limitLeg("60000") }
    const tpsl = { mode: "partial", ...legs } as const
    const both = at("64000", { algoOrderType: "attached_tpsl", tpsl })
    for (const tpslLegs of ["independent", "oco_reduce_only"] as const)
      assert.equal(costOf(both, { profile: testProfile({ tpslLegs }) }), "2099")
  })

  it("is told of each order of a batch, and of what a modify makes; never of a chase", () => {
    assert.deepEqual(costsOf(placingBatch(at("64000"), at("65000"))), ["32", "532.5"])
    const one = placing(at("65000"))
    assert.deepEqual(costsOf({ ...one, operation: "modifyOrder" }), ["532.5"])
    assert.deepEqual(costsOf({ ...one, operation: "chaseOrder" }), [null])
  })

  it("is unknown for both sides without a fresh price, also where one is held back", () => {
    for (const side of [{}, sell]) {
      const dead = { referencePrice: () => undefined, heldPrice: () => decimal("64000") }
      assert.equal(costOf(at("64000", side), dead), null)
    }
  })

  it("is the larger one by the price in force and by the one that is held back", () => {
    const given = (held: string) => ({ heldPrice: () => decimal(held) })
    assert.equal(costOf(at("64000"), given("60000")), "2032")
    assert.equal(costOf(at("64000"), given("68000")), "32")
    assert.equal(costOf(at("64000", sell), given("60000")), "32")
    assert.equal(costOf(at("64000", sell), given("68000")), "2034")
  })

  it("has the fee that the profile says", () => {
    const fee = (feeRate: typeof zero) => ({ profile: testProfile({ feeRate }) })
    assert.equal(costOf(at("65000"), fee(zero)), "500")
    assert.equal(costOf(at("65000"), fee(decimal("0.02"))), "1150")
  })

  it("has no lowest price below zero, however wide the band", () => {
    const wide = ruleFile(orders, "price_match_band: 150%")
    assert.equal(costOf({ ...matched, ...sell }, { file: wide }), "32080")
  })
})
