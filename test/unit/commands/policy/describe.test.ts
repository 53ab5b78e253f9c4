import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { durationText } from "../../../../src/commands/policy/duration-text.ts"
import { describePolicy } from "../../../../src/commands/policy/show.ts"
import { parseDurationMs } from "../../../../src/std/time/duration.ts"
import { parsePolicies } from "../../../../src/vault/policy/file/policy-file.ts"
import { testProfile } from "../../../support/test-profile.ts"

const profile = testProfile()

function wordsOf(text: string): readonly string[] {
  const read = parsePolicies([{ file: "policies/p.yaml", text }], profile)
  assert.ok(read.ok)
  return read.value.flatMap((policy) =>
    describePolicy(policy, profile.symbols).map(({ kind, words }) => `${kind}: ${words}`),
  )
}

describe("a policy in plain words", () => {
  it("says every matcher and bound of a rule", () => {
    const text = `policy: p
rules:
  - name: quote
    endpoints: [placeOrder]
    symbols: [BTC-PERP]
    sides: [buy]
    order_types: [limit]
    require_flags: [post_only]
    client_order_id: "mm-.*"
    max_quantity: {BTC-PERP: "0.5", default: "1"}
    max_notional: "25000"
    price_band: 2%
    max_expires_in: 10s
`
    assert.deepEqual(wordsOf(text), [
      "allows: placeOrder; symbols: BTC-PERP; sides: buy; order_types: limit; require_flags: with post_only; client_order_id: mm-.*; at most 0.5 of BTC-PERP, 1 of others in base units; at most 25000 in quote units at the worst price; prices within 2% of the reference price; valid for at most 10s",
    ])
  })

  it("says whom an approval may be for, and how long", () => {
    assert.deepEqual(wordsOf("policy: p\nrules:\n  - {name: a, endpoints: [approveAgent]}\n"), [
      "allows: approveAgent; only agents held here, for at most 90 days",
    ])
  })

  it("says what guards bound, and what follows a loss", () => {
    const text = `policy: p
guards:
  - {name: size, max_position: {BTC-PERP: {net: "2"}, default: {notional: "50000"}}, max_open_orders: 20, max_open_notional: "100000"}
  - {name: day, daily_loss: {max: "500", zone: UTC}, then: refuse}
  - {name: week, loss: {max: 5%, window: 7d}}
  - {name: ever, drawdown: {max: 10%}, then: freeze}
`
    assert.deepEqual(wordsOf(text), [
      "guards: a position of at most 2 on either side of BTC-PERP, 50000 quote units of others; at most 20 open orders; open orders of at most 100000 quote units",
      "guards: a loss of at most 500 quote units in a day in UTC; over that nothing opens",
      "guards: a loss of at most 5% within 7d; over that nothing opens until a person re-arms it",
      "guards: a loss of at most 10% from the highest ever; over that nothing opens until a person re-arms it, and the keys are frozen",
    ])
  })

  it("says denies, limits and holds", () => {
    const text = `policy: p
deny:
  - {name: d, order_types: [market]}
limits:
  - {name: l, sum: submitted_notional, window: 1h, max: "80000", per: client}
  - {name: c, sum: worst_cost, window: day, zone: UTC, max: "500"}
  - {name: o, endpoints: [withdraw], sum: {pointer: /amount, by: /asset}, window: day, zone: UTC, max: "5", mode: observe}
hold:
  - {name: h, endpoints: [withdraw], where: [{pointer: /amount, min: "10"}], ttl: 15m}
`
    assert.deepEqual(wordsOf(text), [
      "denies: every order; order_types: market",
      "limits: submitted notional: at most 80000 in any 1h, for each client; every order",
      "limits: worst cost: at most 500 in a day in UTC, for all together; every order",
      "limits: the sum of /amount by /asset: at most 5 in a day in UTC, for all together; watched only; withdraw",
      "holds: withdraw; where: /amount at least 10; until a person releases it, within 15m",
    ])
  })
})

describe("a duration as it is written in a policy", () => {
  for (const [ms, text] of [
    [1, "1ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [1_001, "1001ms"],
    [90_000, "90s"],
    [900_000, "15m"],
    [5_400_000, "90m"],
    [3_600_000, "1h"],
    [86_400_000, "24h"],
    [90_000_000, "25h"],
    [172_800_000, "2d"],
    [31 * 86_400_000, "31d"],
  ] as const) {
    it(`is ${text} of ${ms} ms`, () => {
      assert.equal(durationText(ms), text)
    })
  }

  it("is read as what it was made of", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), (ms) => {
        assert.equal(parseDurationMs(durationText(ms)), ms)
      }),
    )
  })
})
