import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { thawAsShown } from "../../../support/a-word.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
} from "../../../support/open-test-vault.ts"

const cancel = { order_id: "1" }

/** More than any disk has. */
const asksForAll = "ledger: {min_free: 1048576GiB}\n"

type Low = { readonly test: TestVault; readonly token: string }

async function openLow(t: TestContext, policies?: readonly string[]): Promise<Low> {
  const test = await openTestVault({ settings: asksForAll, ...(policies && { policies }) })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const rights = ["freeze", "prices"] as const
  return { test, token: await test.addClient({ name: "bot", keys: ["mm"], rights }) }
}

const entries = async ({ vault }: TestVault) => (await vault.ledger.audit.ends()).seq

describe("a disk that is nearly full", () => {
  it("has an order refused with the numbers and what to do, and without a record", async (t) => {
    const { test, token } = await openLow(t)
    const before = await entries(test)
    const answer = await test.sign(token, limitOrder())
    assert.ok(answer.kind === "refused" && answer.refusal.code === "disk_low")
    const { message, data } = answer.refusal
    assert.match(message, /MiB are free|GiB are free/)
    assert.match(message, /ledger\.min_free asks for 1048576 GiB; .* until an operator makes room/)
    assert.equal(data.min_free_bytes, 2 ** 50)
    assert.ok((data.free_bytes ?? 0) > 0)
    assert.equal(answer.record, null)
    assert.equal(await entries(test), before)
  })

  it("has cancels and reduce-only orders on perpetuals signed and recorded", async (t) => {
    const { test, token } = await openLow(t)
    const before = await entries(test)
    const path = { path: cancelPath }
    const cancelled = await test.sign(token, cancel, path)
    assert.equal(outcomeOf(cancelled), "signed")
    assert.equal(
      outcomeOf(await test.sign(token, limitOrder({ flags: ["reduce_only"] }))),
      "signed",
    )
    assert.equal(await entries(test), before + 2)
  })

  it("counts refusals of any kind in place of recording them", async (t) => {
    const { test, token } = await openLow(t, [
      "policy: orders\nrules: [{name: orders, endpoints: [placeOrder]}]\n",
    ])
    const before = await entries(test)
    const denied = await test.sign(token, cancel, { path: cancelPath })
    assert.equal(outcomeOf(denied), "policy_denied")
    assert.equal(denied.kind === "refused" && denied.record, null)
    assert.equal(outcomeOf(await test.sign(token, "no json")), "invalid_json")
    assert.equal(await entries(test), before)
    assert.equal(test.vault.disk.takeLeftOut(), 2)
  })

  it("is told by a check, which as a shadow records nothing", async (t) => {
    const { test, token } = await openLow(t)
    const before = await entries(test)
    for (const shadow of [undefined, true]) {
      const body = Buffer.from(JSON.stringify(limitOrder())).toString("base64")
      const call = { token, path: "/v1/trade/orders", body, shadow }
      const checked = await test.bots.check(call)
      assert.ok(checked.kind === "answer")
      assert.equal(checked.report.would_sign, false)
      assert.equal(checked.report.refusal?.code, "disk_low")
      assert.equal(checked.record, null)
    }
    assert.equal(await entries(test), before)
  })

  it("has freezes, prices and operators' acts recorded", async (t) => {
    const { test, token } = await openLow(t)
    const before = await entries(test)
    const body = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64")
    const prices = body({ prices: [{ symbol: "BTC-PERP", value: "63000" }] })
    assert.equal(outcomeOf(await test.bots.prices({ token, body: prices })), "signed")
    const scope = body({ scope: "all", reason: "a test" })
    assert.equal(outcomeOf(await test.bots.freeze({ token, body: scope })), "signed")
    await thawAsShown(test, { scope: "all", name: null })
    assert.equal(await entries(test), before + 3)
  })

  it("is a reason in status, and the vault goes on with what reduces risk", async (t) => {
    const { test } = await openLow(t)
    const { state } = await test.admin.status()
    assert.match(state.reasons[0]?.message ?? "", /min_free asks for /)
    assert.match(state.reasons[0]?.fix ?? "", /^make room on the disk/)
    assert.deepEqual(await test.bots.health(), { signs: "reduce_only", reasons: ["disk_low"] })
  })

  it("is over once countersign.yaml asks for less and is loaded anew", async (t) => {
    const { test, token } = await openLow(t)
    const files = {
      ...test.vault.active(),
      config: { ...test.vault.active().config, minFreeBytes: 0 },
    }
    await test.vault.adopt(files)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "signed")
  })
})
