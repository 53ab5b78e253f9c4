import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"

import { pathsOf } from "../../src/vault/config/installation.ts"
import { makeToken } from "../../src/vault/request/authorize.ts"
import { limitOrder, openTestVault, outcomeOf } from "../support/open-test-vault.ts"
import { readLedger } from "../support/read-ledger.ts"

describe("tokens that are guessed", () => {
  it("are throttled and recorded nowhere, while a right one is served", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })

    const codes = new Set<string>()
    for (let count = 0; count < 1000; count++) {
      codes.add(outcomeOf(await test.sign(makeToken(), limitOrder())))
    }
    assert.deepEqual([...codes], ["unauthorized", "too_many_bad_tokens"])
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "signed")

    await test.close()
    const file = pathsOf(test.installation).ledgerFile
    assert.deepEqual(
      readLedger(file).map(({ kind }) => kind),
      ["act", "act", "request", "checkpoint"],
    )
    assert.equal(readFileSync(file).includes(token), false)
  })
})
