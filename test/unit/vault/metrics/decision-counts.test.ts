import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Refusal } from "../../../../src/contract/refusal.ts"
import { countDecisions, maxDecisionSeries } from "../../../../src/vault/metrics/vault-metrics.ts"

const frozen: Refusal = { code: "overloaded", message: "", data: null }
const denied: Refusal = {
  code: "policy_denied",
  message: "",
  data: {
    ...{ policy: "mm", rule: "quote", reason: "symbol_not_allowed" },
    ...{ file: null, line: null, asked: null, allowed: null },
  },
}
const held: Refusal = {
  code: "approval_required",
  message: "",
  data: { hold: "h-1", expires_at: 1 },
}

describe("the count of decisions", () => {
  it("tells client, operation, result and reason apart", () => {
    const counts = countDecisions()
    counts.reserved({ client: "a", operation: "placeOrder" })
    counts.reserved({ client: "a", operation: "placeOrder" })
    counts.reserved({ client: "b", operation: "placeOrder" })
    counts.noted({ client: "a", operation: "placeOrder", refusal: frozen })
    counts.noted({ client: "a", operation: "cancelOrder", refusal: denied })
    counts.noted({ client: "a", operation: "placeOrder", refusal: held })
    counts.noted({ client: "a", operation: null, refusal: frozen })
    assert.deepEqual(counts.series(), [
      [["a", "placeOrder", "allowed", ""], 2],
      [["a", "placeOrder", "refused", "overloaded"], 1],
      [["a", "placeOrder", "held", "approval_required"], 1],
      [["a", "cancelOrder", "refused", "symbol_not_allowed"], 1],
      [["a", "unknown", "refused", "overloaded"], 1],
      [["b", "placeOrder", "allowed", ""], 1],
    ])
    assert.deepEqual(counts.totals(), { allowed: 3, refused: 3, held: 1 })
  })

  it("has the last series that it may have, and counts what comes after it together", () => {
    const counts = countDecisions()
    for (let n = 1; n <= maxDecisionSeries; n += 1)
      counts.reserved({ client: `client-${n}`, operation: "placeOrder" })
    const labelled = () => counts.series().map(([values]) => values.join())
    assert.equal(labelled().length, maxDecisionSeries)
    assert.ok(!labelled().some((values) => values.startsWith("other")))

    for (let n = 1; n <= 100; n += 1)
      counts.reserved({ client: `late-${n}`, operation: "placeOrder" })
    counts.noted({ client: "late-1", operation: "cancelOrder", refusal: denied })
    counts.reserved({ client: "client-1", operation: "placeOrder" })
    assert.deepEqual(labelled().slice(maxDecisionSeries), [
      "other,other,allowed,other",
      "other,other,refused,other",
    ])
    const [[, first] = [], ...rest] = counts.series()
    assert.equal(first, 2)
    assert.deepEqual(
      rest.slice(-2).map(([, count]) => count),
      [100, 1],
    )
  })
})
