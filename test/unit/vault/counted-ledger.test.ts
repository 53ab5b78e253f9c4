import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { limitOrder, openTestVault } from "../../support/open-test-vault.ts"
import { entriesOf } from "../../support/admin-of.ts"

async function refuseTwice(t: TestContext, settings?: string) {
  const policies = ["policy: cancels\nrules: [{name: all, endpoints: [cancelOrder]}]\n"]
  const test = await openTestVault({ policies, ...(settings !== undefined && { settings }) })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  await test.sign(token, limitOrder())
  await test.sign(token, limitOrder())
  const entries = await entriesOf(test, { kind: "refusal" })
  return { recorded: entries.length, decided: test.vault.metrics.decisions.totals() }
}

describe("what is refused", () => {
  it("is counted each time, though alike ones within a second share a record", async (t) => {
    const { recorded, decided } = await refuseTwice(t)
    assert.deepEqual([recorded, decided.refused], [1, 2])
  })

  it("is counted without a record where the disk has no room for one", async (t) => {
    const { recorded, decided } = await refuseTwice(t, "ledger: {min_free: 1000000GiB}\n")
    assert.deepEqual([recorded, decided.refused], [0, 2])
  })
})
