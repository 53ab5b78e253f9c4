import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { readWholeRecord } from "../../../../src/audit/read-entries.ts"
import { adminOf, entriesOf } from "../../../support/admin-of.ts"
import {
  limitOrder,
  openTestVault,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"

const policy = `policy: mm
rules: [{name: quote, endpoints: [placeOrder], symbols: [BTC-PERP]}]
`

async function openTrading(
  t: TestContext,
  ask: VaultAsk = { policies: [policy] },
): Promise<TestVault & { readonly token: string }> {
  const test = await openTestVault(ask)
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  return { ...test, token: await test.addClient({ name: "bot", keys: ["mm"] }) }
}

/** The last record of a kind, as the console shows it. */
async function lastShown(test: TestVault, kind: "request" | "refusal") {
  const { id } = (await entriesOf(test, { kind })).at(-1) ?? { id: "" }
  return shownRecord(test, id)
}

function shownRecord(test: TestVault, id: string) {
  const nowMs = test.vault.now()
  return adminOf(test).readLedger((ledger) => readWholeRecord(ledger, id, nowMs))
}

describe("a record as the admin is shown it", () => {
  it("has the body that was signed, and what became of it", async (t) => {
    const test = await openTrading(t)
    await test.sign(test.token, limitOrder({ price: "63123" }))
    const shown = await lastShown(test, "request")
    assert.deepEqual([shown?.state, shown?.client], ["signed", "bot"])
    assert.match(shown?.body ?? "", /"price":"63123"/)
  })

  it("has none for a refusal, whose body isn't recorded", async (t) => {
    const test = await openTrading(t)
    await test.sign(test.token, limitOrder({ symbol_id: 2, price: "63123" }))
    const shown = await lastShown(test, "refusal")
    assert.deepEqual([shown?.state, shown?.body], ["refused_here", null])
    assert.equal(shown?.refusal?.code, "policy_denied")
    await test.close()
  })

  it("is none where there is none", async (t) => {
    assert.equal(await shownRecord(await openTrading(t), "rec_1"), null)
  })
})

describe("the admin's list of symbols", () => {
  it("names them by their ids, and how a market order's quantity is meant", async (t) => {
    const { admin } = await openTrading(t)
    const { names, default_market_order_type: byDefault } = await admin.listSymbols()
    assert.equal(names["1"], "BTC-PERP")
    assert.equal(byDefault, null)
  })
})
