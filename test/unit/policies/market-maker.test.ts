import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { judge } from "../../../src/vault/policy/judge.ts"
import type {
  Circumstances,
  JudgedRequest,
} from "../../../src/vault/policy/match/judged-request.ts"
import { operationIds } from "../../../src/venue/profile.ts"
import { readRepositoryFile } from "../../support/markdown.ts"
import {
  circumstances,
  claimTexts,
  decimal,
  marketOrder,
  order,
  outcomeOf,
  placing,
  placingBatch,
  policiesOf,
  requestFor,
  signer,
  withTakeProfit,
} from "../../support/policy-case.ts"
import { examplePolicy, times } from "./example-policy.ts"

const policies = policiesOf(readRepositoryFile("policies/market-maker.yaml"))
const key = { name: "mm-agent", address: signer, role: "agent" } as const
const asMarketMaker = { client: "mm-bot", key, expiresInMs: 10_000 } as const

function outcome(request: JudgedRequest, changes: Partial<Circumstances> = {}): string {
  return outcomeOf(judge({ ...request, ...asMarketMaker }, policies, circumstances(changes)))
}

/** 0.5 BTC-PERP at 60000, which only adds liquidity. */
const quote = order({ flags: ["post_only"] })

describe("policies/market-maker.yaml", () => {
  it("allows a quote of the largest size, and refuses the next larger one", () => {
    assert.equal(outcome(placing(quote)), "allow")
    assert.equal(outcome(placing({ ...quote, isBuy: false })), "allow")
    const larger = { ...quote, quantity: decimal("0.50000001") }
    assert.equal(outcome(placing(larger)), "quantity_over_max")
  })

  it("allows a batch of quotes up to its sum, and refuses one above", () => {
    const half = { ...quote, quantity: decimal("0.25") }
    const ether = { ...quote, symbolId: 2, price: decimal("3000"), quantity: decimal("16") }
    assert.equal(outcome(placingBatch(half, half, ether)), "allow")
    assert.equal(outcome(placingBatch(half, half, half)), "quantity_over_max")
    const moreEther = { ...ether, quantity: decimal("17") }
    assert.equal(outcome(placingBatch(quote, moreEther)), "notional_over_max")
  })

  for (const [what, placed, reason] of [
    ["that takes liquidity", order(), "flag_required"],
    ["on another symbol", { ...quote, symbolId: 3 }, "symbol_not_allowed"],
    ["with a leg", withTakeProfit(quote), "flag_required"],
    ["by market order", marketOrder(), "flag_required"],
    ["at a price that costs too much", { ...quote, price: decimal("160001") }, "notional_over_max"],
  ] as const) {
    it(`refuses an order ${what}`, () => {
      assert.equal(outcome(placing(placed)), reason)
    })
  }

  it("refuses quotes without a fresh price, and still lets positions be reduced", () => {
    const dead = { referencePrice: () => undefined }
    assert.equal(outcome(placing(quote), dead), "notional_unknown")
    assert.equal(outcome(placing(marketOrder({ flags: ["reduce_only"] })), dead), "allow")
    const limited = order({ flags: ["reduce_only"], quantity: decimal("2") })
    assert.equal(outcome(placing(limited), dead), "allow")
    const larger = { ...limited, quantity: decimal("2.1") }
    assert.equal(outcome(placing(larger), dead), "quantity_over_max")
  })

  it("allows every cancel, judges changes like orders, and refuses a chase", () => {
    for (const operation of ["cancelOrder", "cancelBatch", "cancelAll"] as const) {
      assert.equal(outcome(requestFor(operation)), "allow")
    }
    const change = { kind: "orders", orders: [quote], form: "single" } as const
    assert.equal(outcome(requestFor("modifyOrder", { payload: change })), "allow")
    assert.equal(outcome(requestFor("modifyOrder")), "order_unreadable")
    assert.equal(outcome(requestFor("chaseOrder")), "no_rule_covers_endpoint")
  })

  it("denies every account operation, whatever another file allows", () => {
    const account = operationIds.slice(operationIds.indexOf("setPositionMode"))
    const generous = "policy: generous\nrules:\n  - {name: all, endpoints: [withdraw, transfer]}\n"
    const together = [...policies, ...policiesOf(generous)]
    for (const operation of account) {
      const request = { ...requestFor(operation), ...asMarketMaker }
      assert.equal(outcomeOf(judge(request, together, circumstances())), "denied_by_rule")
    }
  })

  it("refuses a quote that would be valid for longer than ten seconds", () => {
    const request = { ...placing(quote), ...asMarketMaker, expiresInMs: 10_001 }
    assert.equal(outcomeOf(judge(request, policies, circumstances())), "expires_in_over_max")
  })

  it("counts quotes for an hour, has room for 40 requests a second, and for every way out", () => {
    const example = examplePolicy("market-maker", asMarketMaker)
    const large = { ...quote, quantity: decimal("0.5"), price: decimal("160000") }
    const small = { ...quote, quantity: decimal("0.001") }
    const ways = [
      ...times(50, placing(order({ flags: ["reduce_only"] }))),
      ...times(50, requestFor("cancelAll")),
    ]
    assert.equal(example.roomFor(times(41, placing(small))), 40)
    const batches = times(40, placingBatch(large))
    assert.equal(example.roomFor([...batches, ...ways]), 140)
    const [claim] = claimTexts(example.decide(placing(large)))
    assert.equal(claim, `80000 of 8000000 in ["mm-bot","USD"]`)
  })

  it("is for that client with that key alone", () => {
    for (const changes of [{ client: "other" }, { key: { ...key, name: "other" } }]) {
      const request = { ...placing(quote), ...asMarketMaker, ...changes }
      const decision = judge(request, policies, circumstances())
      assert.equal(outcomeOf(decision), "no_policy_applies")
    }
  })
})
