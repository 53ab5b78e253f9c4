import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { readSizes, sizesOf } from "../../../../../src/vault/ledger/records/request-row.ts"
import { claimsOf } from "../../../../../src/vault/policy/claims-of.ts"
import { subjectOf } from "../../../../../src/vault/policy/match/judged-request.ts"
import { formatDecimal } from "../../../../../src/venue/decimal.ts"
import {
  circumstances,
  decide,
  decimal,
  leg,
  limitFile,
  order,
  placing,
  policiesOf,
  withTakeProfit,
} from "../../../../support/policy-case.ts"

describe("what an order was sized at", () => {
  it("is read as it was written", () => {
    const sizes = [
      { entry: decimal("30000"), legs: [decimal("35000"), null], cost: decimal("65.5") },
      { entry: null, legs: [], cost: null },
    ]
    assert.deepEqual(readSizes(sizesOf(sizes)), sizes)
  })

  it("has all of its notional as its cost where a row of an older version has none", () => {
    const costs = (entry: string | null, ...legs: readonly (string | null)[]) =>
      readSizes({ sizes: [{ entry, legs }] }).map(({ cost }) => cost && formatDecimal(cost))
    assert.deepEqual(costs("30000"), ["30000"])
    assert.deepEqual(costs("30000", "35000.5"), ["65000.5"])
    assert.deepEqual(costs("30000", null), [null])
    assert.deepEqual(costs(null), [null])
  })
})

describe("a limit on what orders may lose", () => {
  const policies = policiesOf(limitFile("sum: worst_cost", "window: 1h", "max: '100'"))
  const limitLeg = leg({ orderType: "limit", orderPrice: decimal("70000") })
  const request = placing(withTakeProfit(order(), limitLeg))
  const claimed = (sizes: ReturnType<typeof readSizes>) => {
    const subject = subjectOf(request, circumstances({ referencePrice: () => undefined }))
    return claimsOf(subject, sizes, policies).claims.map(({ amount }) => formatDecimal(amount))
  }

  it("counts a recorded request by its recorded cost, and an older one by all of its notional", () => {
    const decision = decide(limitFile("count: orders", "window: 1h", "max: '9'"), request)
    assert.equal(decision.kind, "allow")
    const { sizes = [] } = sizesOf(decision.sizes)
    assert.deepEqual(claimed(readSizes({ sizes })), ["65"])
    const older = sizes.map(({ entry, legs }) => ({ entry, legs }))
    assert.deepEqual(claimed(readSizes({ sizes: older })), ["65000"])
  })

  it("counts nothing of an older one that had no size", () => {
    assert.deepEqual(claimed(readSizes({ sizes: [{ entry: null, legs: [null] }] })), [])
    assert.deepEqual(claimed(readSizes({})), [])
  })
})
