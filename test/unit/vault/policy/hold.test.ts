import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { judge } from "../../../../src/vault/policy/judge.ts"
import {
  approving,
  circumstances,
  decide,
  holdFile,
  order,
  outcomeOf,
  placing,
  placingBatch,
  policiesOf,
  requestFor,
  ruleFile,
} from "../../../support/policy-case.ts"

describe("hold", () => {
  it("makes what rules allow wait for a person, and says which entry and for how long", () => {
    const file = holdFile("endpoints: [approveAgent]", "ttl: 5m")
    const decision = decide(file, approving())
    assert.equal(decision.kind, "hold")
    assert.equal(decision.rule, "test/all")
    assert.deepEqual(decision.hold, {
      policy: "test",
      name: "entry",
      file: "0.yaml",
      line: 5,
      ttlMs: 300_000,
      grants: true,
    })
    assert.equal(outcomeOf(decide(file, placing(order()))), "allow")
  })

  it("waits 15 minutes unless it says so", () => {
    const decision = decide(holdFile("endpoints: [approveAgent]"), approving())
    assert.equal(decision.kind, "hold")
    assert.equal(decision.hold.ttlMs, 900_000)
  })

  it("holds a batch when one order matches, and what can't be read", () => {
    const file = holdFile("sides: [sell]")
    assert.equal(outcomeOf(decide(file, placingBatch(order(), order()))), "allow")
    const sell = order({ isBuy: false })
    assert.equal(outcomeOf(decide(file, placingBatch(order(), sell))), "hold")
    assert.equal(outcomeOf(decide(file, requestFor("modifyOrder"))), "hold")
    assert.equal(outcomeOf(decide(file, requestFor("transfer"))), "allow")
  })

  it("holds everything with an entry that asks nothing, cancels too", () => {
    const file = holdFile("ttl: 1s")
    for (const operation of ["cancelOrder", "transfer", "placeOrder"] as const) {
      assert.equal(outcomeOf(decide(file, requestFor(operation))), "hold")
    }
  })

  it("holds nothing that is refused anyway", () => {
    const hold = "hold:\n  - {name: held, endpoints: [placeOrder]}\n"
    const sells = `${ruleFile("sides: [sell]")}\n${hold}`
    assert.equal(outcomeOf(decide(sells, placing(order()))), "side_not_allowed")
    const denied = `${ruleFile("sides: [buy]")}\n${hold}deny:\n  - {name: stop}\n`
    assert.equal(outcomeOf(decide(denied, placing(order()))), "denied_by_rule")
    const limit = "limits:\n  - {name: l, sum: submitted_notional, window: 1h, max: '1'}\n"
    const dead = { referencePrice: () => undefined }
    const limited = `${ruleFile("sides: [buy]")}\n${hold}${limit}`
    assert.equal(outcomeOf(decide(limited, placing(order()), dead)), "notional_unknown")
  })

  it("claims what an allowed request claims, for the moment of its release", () => {
    const limit = "limits:\n  - {name: l, count: requests, window: 1h, max: '1'}\n"
    const decision = decide(`${holdFile("sides: [buy]")}\n${limit}`, placing(order()))
    assert.equal(decision.kind, "hold")
    assert.equal(decision.claims.length, 1)
  })

  it("by several entries is by the one that must be released soonest, in every order of files", () => {
    const rules = ruleFile("sides: [buy]")
    const slow = "policy: slow\nhold:\n  - {name: a, ttl: 1h}\n"
    const quick = "policy: quick\nhold:\n  - {name: b, ttl: 1m}\n"
    const others = "policy: others\napplies_to: {clients: [other]}\nhold:\n  - {name: c, ttl: 1s}\n"
    const policies = policiesOf(rules, slow, quick, others)
    for (const set of [policies, policies.toReversed()]) {
      const decision = judge(placing(order()), set, circumstances())
      assert.equal(decision.kind, "hold")
      assert.equal(decision.hold.name, "b")
      const said = decision
        .verdicts()
        .map(({ rule, verdict }) => `${rule} ${verdict}`)
        .sort()
      assert.deepEqual(said, ["a holds", "b holds", "rule allows"])
    }
  })

  it("that doesn't match is among the verdicts too", () => {
    const { verdicts } = decide(holdFile("sides: [sell]"), placing(order()))
    assert.deepEqual(
      verdicts().map(({ rule, verdict, reason }) => [rule, verdict, reason]),
      [
        ["all", "allows", null],
        ["entry", "does_not_match", null],
      ],
    )
  })
})
