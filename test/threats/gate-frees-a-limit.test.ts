import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Outcome } from "../../src/link/methods.ts"
import { askAll, byCount, byNotional, openLimited, split } from "../support/limited-vault.ts"
import { limitOrder, outcomeOf, type TestVault } from "../support/open-test-vault.ts"

describe("a gate that says the venue refused", () => {
  const outcomes: readonly Outcome[] = [
    { kind: "sent" },
    { kind: "refused", status: 400, code: "10001" },
  ]

  /** Signs until a limit refuses, and lies about each. Returns how many were signed. */
  async function signAndLie(test: TestVault, token: string): Promise<number> {
    for (let signed = 0; signed < 50; signed++) {
      const answer = await test.sign(token, limitOrder(), { purpose: "forward" })
      if (answer.kind === "refused") {
        assert.equal(answer.refusal.code, "limit_exhausted")
        return signed
      }
      for (const outcome of [...outcomes, ...outcomes]) {
        await test.bots.report({ token, record: answer.record, outcome })
      }
    }
    return Infinity
  }

  for (const [release, most] of [
    ["never", 10],
    ["refused", 20],
  ] as const) {
    for (const limit of [byCount, byNotional]) {
      it(`gets ${most} past ${limit} with release: ${release}, also after a restart`, async (t) => {
        const released = limit.replace("}", `, release: ${release}}`)
        const { test, bots } = await openLimited(t, { limit: released, keys: "on_disk" })
        assert.equal(await signAndLie(test, bots[0] ?? ""), most)
        const again = await test.reopen()
        t.after(() => again.remove())
        assert.equal(await signAndLie(again, bots[0] ?? ""), 0)
      })
    }
  }

  it("gets nothing back for what it sent twice, or said nothing of", async (t) => {
    const limit = byCount.replace("}", ", release: refused}")
    const { test, bots } = await openLimited(t, { limit })
    const { signed } = split(await askAll(test, bots))
    const [bot = ""] = bots
    for (const { record } of signed.slice(0, 5)) {
      for (const outcome of [outcomes[0], ...outcomes]) {
        if (outcome !== undefined) await test.bots.report({ token: bot, record, outcome })
      }
    }
    for (const { record } of signed.slice(5)) {
      await test.bots.report({ token: bot, record, outcome: { kind: "unknown", status: null } })
      for (const outcome of outcomes) await test.bots.report({ token: bot, record, outcome })
    }
    assert.equal(outcomeOf(await test.sign(bot, limitOrder())), "limit_exhausted")
  })
})
