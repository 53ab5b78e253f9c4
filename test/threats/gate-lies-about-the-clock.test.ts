import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  cancelPath,
  limitOrder,
  openTestVault,
  readBody,
  type SignedAnswer,
} from "../support/open-test-vault.ts"
import { numRuns } from "../support/runs.ts"

const anyMs = fc.oneof(
  fc.integer({ min: -20_000, max: 20_000 }),
  fc.constantFrom(-8.64e15, -1, 0, 1, 8.64e15),
)

describe("a gate that lies about the venue's clock", () => {
  it("can stop orders, and nothing else: no signature lives longer, no cancel is lost", async (t) => {
    const test = await openTestVault({ settings: "max_venue_offset: 5s\n" })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    const first = await test.sign(token, limitOrder())
    assert.ok(first.kind === "answer")
    let lastNonce = nonceOf(first)

    await fc.assert(
      fc.asyncProperty(anyMs, anyMs, async (leastMs, mostMs) => {
        const outcome = { kind: "accepted", status: 200, code: "0" } as const
        const venueClock = { leastMs, mostMs }
        await test.bots.report({ token, record: first.record, outcome, venueClock })
        const order = await test.sign(token, limitOrder())
        const cancel = await test.sign(token, { order_id: "1" }, { path: cancelPath })
        assert.ok(cancel.kind === "answer", "a cancel is signed whatever it says")
        if (order.kind === "refused") assert.equal(order.refusal.code, "clock_unsafe")
        for (const answer of [order, cancel]) {
          if (answer.kind !== "answer") continue
          const nonce = nonceOf(answer)
          assert.ok(nonce > lastNonce && nonce <= Date.now() + 1_000)
          assert.ok(answer.expiresAfter <= Math.max(Date.now(), nonce) + 15_000)
          lastNonce = nonce
        }
      }),
      numRuns(100),
    )
  })
})

function nonceOf(answer: SignedAnswer): number {
  return Number(readBody(answer)["nonce"])
}
