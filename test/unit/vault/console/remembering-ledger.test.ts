import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { limitOrder, openTestVault, type TestVault } from "../../../support/open-test-vault.ts"

async function openRefusing(
  t: TestContext,
  settings?: string,
): Promise<() => Promise<readonly string[]>> {
  const policies = ["policy: cancels\nrules: [{name: all, endpoints: [cancelOrder]}]\n"]
  const test: TestVault = await openTestVault({
    policies,
    ...(settings !== undefined && { settings }),
  })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  return async () => {
    await test.sign(token, limitOrder())
    await test.sign(token, limitOrder())
    const { decisions } = test.vault.decisions.after(undefined, test.vault.active().profile)
    return decisions.map(({ record }) => record)
  }
}

describe("what is refused", () => {
  it("is remembered each time, though alike ones within a second share a record", async (t) => {
    const refuseTwice = await openRefusing(t)
    const records = await refuseTwice()
    assert.equal(records.length, 2)
    for (const record of records) assert.match(record, /^rec_/)
  })

  it("is remembered without a record where the disk has no room for one", async (t) => {
    const refuseTwice = await openRefusing(t, "ledger: {min_free: 1000000GiB}\n")
    assert.deepEqual(await refuseTwice(), ["", ""])
  })
})
