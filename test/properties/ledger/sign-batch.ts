import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import fc from "fast-check"

import { askBatch, inBatch, outcomesOf } from "../../support/batch.ts"
import type { FileEngine } from "../../support/ledger-engines.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  ordersPath,
  outcomeOf,
  type TestVault,
} from "../../support/open-test-vault.ts"
import { numRuns } from "../../support/runs.ts"

// Rooms are in requests of a day, so that no window ends while a property runs.
const policy = `policy: limited
rules:
  - {name: orders, endpoints: [placeOrder], max_quantity: "1"}
  - {name: cancels, endpoints: [cancelOrder]}
limits:
  - {name: cap, endpoints: [placeOrder], count: requests, window: 24h, max: 120, per: client}
`

const ask = fc.record({
  path: fc.constantFrom(ordersPath, ordersPath, ordersPath, cancelPath, "/v1/nowhere"),
  quantity: fc.constantFrom("0.1", "0.2", "1.1", "0"),
  signingKey: fc.constantFrom(undefined, undefined, "mm", "other"),
  idempotencyKey: fc.option(fc.nat(3), { nil: undefined }),
})
type Ask = typeof ask extends fc.Arbitrary<infer Value> ? Value : never

function bodyOf({ path, quantity }: Ask): Record<string, unknown> {
  return path === cancelPath ? { order_id: quantity } : limitOrder({ quantity })
}

/**
 * Two bodies under one key in one batch come at once: the second is refused by policy where alone it would
 * have been a conflict first. Either way it is refused.
 */
function asAlone(single: readonly string[]) {
  return (outcome: string, index: number): string => {
    const isConflict = single[index] === "idempotency_conflict" && outcome === "policy_denied"
    return isConflict ? "idempotency_conflict" : outcome
  }
}

/** What a batch is, to a vault with this engine. */
export function holdBatches(engine: FileEngine): void {
  describe("a batch, whatever is asked,", () => {
    let test: TestVault
    let inBatches = ""
    let alone = ""
    let round = 0
    before(async () => {
      test = await openTestVault({ policies: [policy], elsewhere: engine.elsewhere() })
      await test.addKey({ name: "mm", role: "agent" })
      inBatches = await test.addClient({ name: "in-batches", keys: ["mm"] })
      alone = await test.addClient({ name: "alone", keys: ["mm"] })
    })
    after(() => test.remove())

    const keyOf = ({ idempotencyKey }: Ask): string | undefined =>
      idempotencyKey === undefined ? undefined : `${round}-${idempotencyKey}`

    function requestOf(asked: Ask): Record<string, unknown> {
      return inBatch(bodyOf(asked), {
        path: asked.path,
        key: asked.signingKey,
        idempotency_key: keyOf(asked),
      })
    }

    it("decides each request as it would alone and one after the other, limits and repeats included", async () => {
      const asks = fc.array(ask, { minLength: 1, maxLength: 12 })
      const property = fc.asyncProperty(asks, async (asked) => {
        round += 1
        const together = outcomesOf(await askBatch(test, inBatches, asked.map(requestOf)))
        const single: string[] = []
        for (const each of asked) {
          const { path, signingKey: key } = each
          const changes = { path, key, idempotencyKey: keyOf(each) }
          single.push(outcomeOf(await test.sign(alone, bodyOf(each), changes)))
        }
        assert.deepEqual(together.map(asAlone(single)), single)
      })
      await fc.assert(property, numRuns(60 * engine.share))
      const used = (await test.admin.listLimits()).map((limit) => limit.used)
      assert.equal(new Set(used).size, 1, "both clients used as much")
    })
  })
}
