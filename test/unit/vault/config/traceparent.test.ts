import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { assertSigned, limitOrder, openTestVault } from "../../../support/open-test-vault.ts"
import { readLedger } from "../../../support/read-ledger.ts"

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

describe("the record of a request", () => {
  it("has the traceparent that it came with, and none where it came without", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    const traced = await test.sign(token, limitOrder(), { traceparent })
    const plain = await test.sign(token, limitOrder())
    assertSigned(traced)
    assertSigned(plain)
    await test.close()
    const entries = readLedger(pathsOf(test.installation).ledgerFile)
    const rowOf = (record: string) => entries.find(({ row }) => row["id"] === record)?.row
    assert.equal(rowOf(traced.record)?.["traceparent"], traceparent)
    const row = rowOf(plain.record)
    assert.ok(row !== undefined && !("traceparent" in row))
  })
})
