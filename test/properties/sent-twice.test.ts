import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { openMeters } from "../../src/vault/ledger/meters/meters.ts"
import { judge } from "../../src/vault/policy/judge.ts"
import type { JudgedRequest } from "../../src/vault/policy/match/judged-request.ts"
import type { Claim } from "../../src/vault/policy/terms.ts"
import {
  addressOf,
  circumstances,
  order,
  placing,
  placingBatch,
  policiesOf,
  requestFor,
  signer,
} from "../support/policy-case.ts"

const windowMs = 5_000
const policies = policiesOf(
  "policy: own\nrepeat_within: 5s\nrules: [{name: all, endpoints: [placeOrder, placeBatch, modifyOrder]}]",
)

type Asked = { readonly client: string; readonly body: number; readonly isKeyed: boolean }

function requestOf({ client, body, isKeyed }: Asked): JudgedRequest {
  return { ...placing(order()), client, isKeyed, body: { price: String(body) } }
}

function claimsOf(asked: Asked, nowMs: number): readonly Claim[] {
  const decision = judge(requestOf(asked), policies, circumstances({ nowMs }))
  assert.equal(decision.kind, "allow")
  return decision.claims
}

const steps = fc.array(
  fc.record({
    client: fc.constantFrom("bot", "bot-2"),
    body: fc.nat(2),
    isKeyed: fc.boolean(),
    gapMs: fc.oneof(fc.nat(3_000), fc.constantFrom(windowMs - 1, windowMs)),
    isRestarted: fc.nat(9).map((number) => number === 0),
  }),
  { maxLength: 60 },
)

describe("repeat_within", () => {
  it("refuses what a plain list of all that was signed has within the window, over restarts too", () => {
    fc.assert(
      fc.property(steps, (asks) => {
        const signed: (Asked & { readonly atMs: number })[] = []
        let meters = openMeters()
        let nowMs = 1_000_000
        for (const { gapMs, isRestarted, ...asked } of asks) {
          nowMs += gapMs
          if (isRestarted) {
            meters = openMeters()
            for (const earlier of signed) meters.count(claimsOf(earlier, nowMs), earlier.atMs)
          }
          const isRepeat = signed.some(
            ({ client, body, atMs }) =>
              client === asked.client && body === asked.body && nowMs - atMs < windowMs,
          )
          const spent = meters.take(claimsOf(asked, nowMs), nowMs)
          assert.equal(spent !== undefined, isRepeat && !asked.isKeyed)
          if (spent === undefined) signed.push({ ...asked, atMs: nowMs })
        }
      }),
    )
  })

  const meterOf = (request: JudgedRequest) => {
    const decision = judge(request, policies, circumstances())
    assert.ok(decision.kind === "allow")
    return decision.claims.find(({ isRepeat }) => isRepeat)?.meter
  }

  it("tells accounts apart, not whether the signer's own is named", () => {
    const placed = (target: JudgedRequest["target"]) => meterOf({ ...placing(order()), target })
    assert.equal(placed(signer), placed(undefined))
    assert.notEqual(placed(addressOf("2")), placed(undefined))
  })

  it("leaves the client_order_id of new orders out, one by one or in a batch, and of no other", () => {
    const named = (id: string) => ({ client_order_id: id, price: "1" })
    const placed = (id: string) => meterOf({ ...placing(order()), body: named(id) })
    assert.equal(placed("a"), placed("b"))
    const batch = (...ids: readonly string[]) =>
      meterOf({ ...placingBatch(order()), body: { orders: ids.map(named) } })
    assert.equal(batch("a", "b"), batch("c", "d"))
    assert.notEqual(batch("a"), batch("a", "b"))
    const modified = (id: string) => meterOf({ ...requestFor("modifyOrder"), body: named(id) })
    assert.notEqual(modified("a"), modified("b"))
    assert.notEqual(modified("a"), placed("a"), "another operation")
  })

  it("remembers 5,000 requests of a client and refuses more, which leaves others theirs", () => {
    const meters = openMeters()
    const ask = (client: string, body: number) =>
      meters.take(claimsOf({ client, body, isKeyed: true }, 0), 0)
    for (let body = 0; body < 5_000; body++) assert.equal(ask("bot", body), undefined)
    const spent = ask("bot", 5_000)
    assert.equal(spent?.claim.isRepeat, undefined)
    assert.equal(spent?.freesAtMs, windowMs)
    assert.equal(ask("bot-2", 0), undefined)
  })
})
