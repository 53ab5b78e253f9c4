import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { problemText } from "../../../../src/std/yaml-file.ts"
import { parsePolicies } from "../../../../src/vault/policy/file/policy-file.ts"
import type { Order } from "../../../../src/venue/payload/payload.ts"
import {
  decide,
  decimal,
  denyFile,
  holdFile,
  leg,
  marketOrder,
  order,
  outcomeOf,
  placing,
  placingBatch,
  requestFor,
  withTakeProfit,
} from "../../../support/policy-case.ts"
import { testProfile } from "../../../support/test-profile.ts"

const of = (quantity: string, changes: Partial<Order> = {}) =>
  order({ quantity: decimal(quantity), ...changes })
const modifying = (changed: Order) =>
  requestFor("modifyOrder", { payload: { kind: "orders", orders: [changed], form: "single" } })

/** Of orders of one BTC at 64000: what is exactly at the bound, and what is over it. */
const sizes = [
  { line: "over_quantity: '1'", within: of("1"), over: of("1.00000001") },
  { line: "over_quantity: {BTC-PERP: '1'}", within: of("1"), over: of("1.1") },
  { line: "over_quantity: {ETH-PERP: '1', default: '2'}", within: of("2"), over: of("2.1") },
  // A buy counts at its price, 60000; a sell at the reference price, 64000.
  { line: "over_notional: '60000'", within: of("1"), over: of("1", { isBuy: false }) },
  {
    line: "over_notional: '64640'",
    within: marketOrder({ quantity: decimal("1"), slippage: decimal("0.01") }),
    over: marketOrder({ quantity: decimal("1"), slippage: decimal("0.0101") }),
  },
  {
    line: "over_notional: '70000'",
    within: withTakeProfit(of("1")),
    over: withTakeProfit(of("1"), leg({ triggerPrice: decimal("70001") })),
  },
] as const

describe("a hold and a deny for large orders", () => {
  for (const { line, within, over } of sizes) {
    it(`take each order by itself, placed, in a batch or modified: ${line}`, () => {
      for (const [file, word] of [
        [holdFile(line), "hold"],
        [denyFile(line), "denied_by_rule"],
      ] as const) {
        const outcome = (request: Parameters<typeof decide>[1]) => outcomeOf(decide(file, request))
        assert.equal(outcome(placing(within)), "allow")
        assert.equal(outcome(placingBatch(within, within, within)), "allow")
        assert.equal(outcome(modifying(within)), "allow")
        assert.equal(outcome(placing(over)), word)
        assert.equal(outcome(placingBatch(within, over)), word)
        assert.equal(outcome(modifying(over)), word)
      }
    })
  }

  it("take what can't be sized as large: no price, no slippage, quote units, a symbol without a size", () => {
    const large = (line: string, placed: Order, changes = {}) =>
      outcomeOf(decide(holdFile(line), placing(placed), changes))
    const notional = "over_notional: '1000000'"
    assert.equal(large(notional, of("1"), { referencePrice: () => undefined }), "hold")
    assert.equal(large(notional, marketOrder()), "hold")
    assert.equal(large(notional, of("1", { symbolId: 99 })), "hold")
    const inQuote = marketOrder({
      symbolId: 3,
      marketOrderType: "quote",
      slippage: decimal("0.01"),
    })
    assert.equal(large("over_quantity: '1000000'", inQuote), "hold")
    assert.equal(large(notional, inQuote), "allow")
    assert.equal(large("over_quantity: {ETH-PERP: '1000'}", of("1")), "hold")
  })

  it("take what can't be read, a chase too, and leave what makes no order alone", () => {
    for (const line of ["over_quantity: '1000000'", "over_notional: '1000000000'"]) {
      for (const operation of ["modifyOrder", "placeBatch", "chaseOrder"] as const) {
        assert.equal(outcomeOf(decide(holdFile(line), requestFor(operation))), "hold")
      }
      const chase = requestFor("chaseOrder", { payload: placing(of("1")).payload })
      assert.equal(outcomeOf(decide(holdFile(line), chase)), "hold")
      for (const operation of ["cancelOrder", "cancelAll", "transfer", "withdraw"] as const) {
        assert.equal(outcomeOf(decide(holdFile(line), requestFor(operation))), "allow")
      }
    }
  })

  it("size a matched price by the band of the rule that allows it", () => {
    const file = `policy: p
rules: [{name: r, endpoints: [placeOrder], price_match_band: 1%}]
hold: [{name: large, over_notional: "64640"}]
`
    const matched = (quantity: string) =>
      placing(of(quantity, { price: undefined, priceMatch: "queue_1" }))
    assert.equal(outcomeOf(decide(file, matched("1"))), "allow")
    assert.equal(outcomeOf(decide(file, matched("1.0001"))), "hold")
    const bandless = file.replace(", price_match_band: 1%", "")
    assert.equal(outcomeOf(decide(bandless, matched("0.0001"))), "hold")
  })

  it("match with the entry's other matchers, on one and the same order", () => {
    const file = holdFile("over_quantity: '1'", "sides: [sell]")
    const sell = { isBuy: false }
    assert.equal(outcomeOf(decide(file, placingBatch(of("2"), of("1", sell)))), "allow")
    assert.equal(outcomeOf(decide(file, placingBatch(of("1"), of("2", sell)))), "hold")
    const exempt = holdFile("over_quantity: '1'", "forbid_flags: [reduce_only]")
    assert.equal(outcomeOf(decide(exempt, placing(of("2", { flags: ["reduce_only"] })))), "allow")
  })

  it("say in a refusal what was asked and what is allowed", () => {
    const decision = decide(denyFile("over_quantity: {BTC-PERP: '1'}"), placing(of("2")))
    assert.ok(decision.kind === "refuse")
    const { asked, allowed } = decision.denial
    assert.deepEqual([asked, allowed], ["limit buy of 2 BTC-PERP", "1 in base units"])
  })

  it("take one of the two sizes, so that nobody wonders whether both must be over", () => {
    const text = holdFile("over_quantity: '1'", "over_notional: '1'")
    const read = parsePolicies([{ file: "p.yaml", text }], testProfile())
    assert.match(
      read.ok ? "" : read.error.map(problemText).join(),
      /write an entry for each of over_quantity and over_notional/,
    )
  })
})
