import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { selfTest } from "../../../../src/vault/status/self-test.ts"
import { openTestVault, type TestVault } from "../../../support/open-test-vault.ts"
import { query } from "../../../support/read-ledger.ts"

const low = { freeBytes: 1, minFreeBytes: 2 }

/** What of the ledger was asked. */
async function asked(test: TestVault, lowDisk: typeof low | undefined): Promise<readonly string[]> {
  const calls: string[] = []
  const { ledger, now, disk, curve } = test.vault
  await selfTest({
    now,
    curve,
    disk: { ...disk, low: lowDisk },
    ledger: {
      ...ledger,
      probe: (nowMs) => (calls.push("probe"), ledger.probe(nowMs)),
      count: () => (calls.push("count"), ledger.count()),
    },
  })
  return calls
}

describe("the vault's self-test", () => {
  it("writes one row to the ledger, however often, and no entry", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const entries = await test.vault.ledger.count()
    await selfTest(test.vault)
    await selfTest(test.vault)
    assert.equal(await test.vault.ledger.count(), entries)
    await test.close()
    const rows = query(pathsOf(test.installation).ledgerFile, "SELECT * FROM probe")
    assert.deepEqual(
      rows.map(({ one, at_ms: atMs }) => [one, typeof atMs]),
      [[1, "number"]],
    )
  })

  it("only asks the ledger for an answer while the disk is nearly full", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    assert.deepEqual(await asked(test, undefined), ["probe"])
    assert.deepEqual(await asked(test, low), ["count"])
  })

  it("fails where the ledger can't be written, with room or without", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.close()
    for (const lowDisk of [undefined, low]) {
      await assert.rejects(asked(test, lowDisk), { code: "ledger_unavailable" })
    }
  })
})
