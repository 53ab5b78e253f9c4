import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { adminParams } from "../../../../src/link/calls/methods.ts"
import { maxFrameBytes } from "../../../../src/link/wire.ts"
import { decisionView } from "../../../../src/vault/status/views.ts"
import { makeRecordId } from "../../../../src/vault/ledger/records/record-id.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"

const policy = `policy: mm
rules:
  - {name: quote, endpoints: [placeOrder], symbols: [BTC-PERP]}
  - {name: cancel, endpoints: [cancelOrder]}
hold: [{name: large, endpoints: [placeOrder], where: [{pointer: /quantity, in: ["0.6"]}], ttl: 5m}]
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

describe("the admin's list of decisions", () => {
  it("says what was decided of whom, by which rule and why, the newest first", async (t) => {
    const test = await openTrading(t)
    await test.sign(test.token, limitOrder())
    await test.sign(test.token, { order_id: "7" }, { path: cancelPath, key: "mm" })
    await test.sign(test.token, limitOrder({ symbol_id: 2 }))
    await test.sign(test.token, limitOrder({ quantity: "0.6" }))
    await test.sign(test.token, "no JSON")
    const { recorded, decisions } = await test.admin.auditDecisions()
    assert.equal(recorded, 5)
    assert.deepEqual(
      decisions.map(({ result, key, operation, by, reason }) => [
        ...[result, key, operation, by, reason],
      ]),
      [
        ["refused", null, "placeOrder", null, "invalid_json"],
        ["held", null, "placeOrder", null, "approval_required"],
        ["refused", null, "placeOrder", "mm/quote", "symbol_not_allowed"],
        ["allowed", "mm", "cancelOrder", "mm/cancel", null],
        ["allowed", "mm", "placeOrder", "mm/quote", null],
      ],
    )
    for (const { client, message, result, times } of decisions) {
      assert.deepEqual([client, times], ["bot", 1])
      assert.equal(message === null, result === "allowed")
    }
    const at = decisions.map((each) => each.at)
    assert.deepEqual(
      at,
      at.toSorted((a, b) => b - a),
    )
  })

  it("has no body, whatever a bot sent", async (t) => {
    const test = await openTrading(t)
    await test.sign(test.token, limitOrder({ price: "63123" }))
    await test.sign(test.token, limitOrder({ symbol_id: 2, price: "63123" }))
    const { decisions } = await test.admin.auditDecisions()
    assert.equal(decisions.length, 2)
    assert.ok(!JSON.stringify(decisions).includes("63123"))
  })

  it("fits a line of the socket when 200 refusals say as much as they can", () => {
    const name = "n".repeat(64)
    const [message, longest] = [240, 241].map((length) => "\u6c34".repeat(length))
    const refusal = { code: "overloaded", message: longest ?? "", data: null } as const
    const view = decisionView({
      ...{ seq: Number.MAX_SAFE_INTEGER, id: makeRecordId(0), atMs: Number.MAX_SAFE_INTEGER },
      ...{ client: name, key: name, operation: "adjustIsolatedMargin", rule: null, refusal },
      repeats: Number.MAX_SAFE_INTEGER - 1,
    })
    assert.equal(view.message, message)
    const all = Array.from({ length: 200 }, () => ({ ...view, by: `${name}/${name}` }))
    assert.ok(Buffer.byteLength(JSON.stringify(all)) < maxFrameBytes - 1_024)
  })
})

describe("a record as the admin is shown it", () => {
  it("has the body that was signed, and what became of it", async (t) => {
    const test = await openTrading(t)
    await test.sign(test.token, limitOrder({ price: "63123" }))
    const [decided] = (await test.admin.auditDecisions()).decisions
    const shown = await test.admin.auditRecord({ id: decided?.record ?? "" })
    assert.deepEqual([shown?.state, shown?.client], ["signed", "bot"])
    assert.match(shown?.body ?? "", /"price":"63123"/)
  })

  it("has none for a refusal, whose body isn't recorded", async (t) => {
    const test = await openTrading(t)
    await test.sign(test.token, limitOrder({ symbol_id: 2, price: "63123" }))
    const [decided] = (await test.admin.auditDecisions()).decisions
    const shown = await test.admin.auditRecord({ id: decided?.record ?? "" })
    assert.deepEqual([shown?.state, shown?.body], ["refused_here", null])
    assert.equal(shown?.refusal?.code, "policy_denied")
    await test.close()
  })

  it("is none where there is none", async (t) => {
    const { admin } = await openTrading(t)
    assert.equal(await admin.auditRecord({ id: "rec_1" }), null)
    assert.ok(!adminParams.auditRecord.safeParse({ id: "r".repeat(65) }).success)
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
