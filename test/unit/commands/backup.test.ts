import assert from "node:assert/strict"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import { copyTo } from "../../../src/commands/backup.ts"
import { adminOf } from "../../support/admin-of.ts"
import { openTestVault, type TestVault } from "../../support/open-test-vault.ts"

/** Of what no disk has. */
const settings = "ledger: {min_free: 1048576GiB}\n"

describe("room for a copy of the ledger", () => {
  async function withVault(
    ask: Parameters<typeof openTestVault>[0],
    look: (test: TestVault, to: string) => Promise<void>,
  ): Promise<void> {
    const test = await openTestVault(ask)
    try {
      await look(test, join(test.installation.stateDir, "kept.db"))
    } finally {
      await test.remove()
    }
  }

  it("is needed besides min_free, or no backup is begun and nothing is left of one", () =>
    withVault({ settings }, async (test, to) => {
      await assert.rejects(copyTo(to, test.installation, adminOf(test)), {
        code: "ledger_unavailable",
        message:
          /are free on the ledger's disk, and a copy beside what ledger\.min_free asks for needs/,
      })
      const { stateDir } = test.installation
      assert.deepEqual(
        readdirSync(stateDir).filter((name) => /^backup|^kept/.test(name)),
        [],
      )
    }))

  it("is enough where nothing is kept free", () =>
    withVault({}, async (test, to) => {
      const { head_seq: seq } = await copyTo(to, test.installation, adminOf(test))
      assert.equal(seq + 1, await test.vault.ledger.count(), "and then it was recorded")
      assert.equal(statSync(to).mode & 0o777, 0o600)
    }))
})
