import assert from "node:assert/strict"
import { existsSync, readdirSync } from "node:fs"
import { describe, it } from "node:test"

import { openTestVault, type TestVault } from "../../support/open-test-vault.ts"

/** Of what no disk has. */
const settings = "ledger: {min_free: 1048576GiB}\n"

describe("room for a copy of the ledger", () => {
  async function withVault(look: (test: TestVault) => Promise<void>): Promise<void> {
    const test = await openTestVault({ settings })
    try {
      await look(test)
    } finally {
      await test.remove()
    }
  }

  it("is needed besides min_free, or no backup is begun and nothing is left of one", () =>
    withVault(async ({ admin, installation }) => {
      await assert.rejects(admin.copyLedger({}), {
        code: "ledger_unavailable",
        message:
          /are free on the ledger's disk, and a copy beside what ledger\.min_free asks for needs/,
      })
      const left = readdirSync(installation.stateDir).filter((name) => name.startsWith("backup"))
      assert.deepEqual(left, [])
    }))

  it("is enough where nothing is kept free", async () => {
    const test = await openTestVault()
    const { file } = await test.admin.copyLedger({})
    assert.ok(existsSync(file))
    await test.remove()
  })
})
