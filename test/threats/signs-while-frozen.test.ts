import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { adminParams, botParams } from "../../src/link/calls/methods.ts"
import { decideAsShown, thawAsShown } from "../support/a-word.ts"
import { cancelPath, limitOrder, openTestVault, outcomeOf } from "../support/open-test-vault.ts"

const everything = { scope: "all", name: null, reason: "a drill" } as const

describe("a bot, or a gate that has its token, while something is frozen", () => {
  it("gets no signature for anything that it signed before: a repeat releases nothing", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    for (const purpose of ["return", "forward"] as const) {
      const keyed = { idempotencyKey: `k-${purpose}`, purpose }
      assert.equal(outcomeOf(await test.sign(token, limitOrder(), keyed)), "signed")
      assert.equal(outcomeOf(await test.sign(token, limitOrder(), keyed)), "signed")
      await test.admin.freeze({ ...everything, cancels: true })
      assert.equal(outcomeOf(await test.sign(token, limitOrder(), keyed)), "frozen", purpose)
      await thawAsShown(test, { scope: "all", name: null })
    }
  })

  it("gets none with a person's release either, and the release isn't used up", async (t) => {
    const policy = `policy: held
rules: [{name: all, endpoints: [placeOrder]}]
hold: [{name: every, endpoints: [placeOrder]}]
`
    const test = await openTestVault({ policies: [policy] })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "approval_required")
    const [hold] = await test.admin.listHolds()
    await decideAsShown(test, hold?.id ?? "")
    await test.admin.freeze({ ...everything, cancels: true })
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "frozen")
    await thawAsShown(test, { scope: "all", name: null })
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "signed")
  })

  it("gets no order through as what reduces risk: only what can't open anything stays open", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    await test.admin.freeze({ ...everything, cancels: true })
    const leg = { tpsl_mode: "partial", tp_trigger_price: "70000", tp_trigger_by: "last_price" }
    const reducing = { flags: ["reduce_only"] }
    for (const body of [
      limitOrder(),
      limitOrder({ flags: ["post_only"], time_in_force: "gtc" }),
      limitOrder({ algo_order_type: "attached_tpsl", tpsl: { ...leg, tp_order_type: "market" } }),
      limitOrder({ ...reducing, symbol_id: 999 }),
    ]) {
      assert.equal(outcomeOf(await test.sign(token, body)), "frozen", JSON.stringify(body))
    }
    const batch = { orders: [limitOrder(reducing), limitOrder()] }
    const path = "/v1/trade/orders/batch"
    assert.equal(outcomeOf(await test.sign(token, batch, { path })), "frozen")
    assert.equal(outcomeOf(await test.sign(token, limitOrder(reducing))), "signed")
    const cancel = await test.sign(token, { order_id: "1" }, { path: cancelPath })
    assert.equal(outcomeOf(cancel), "signed")
  })

  it("has no call that ends a freeze, and none that makes it milder", async (t) => {
    assert.ok("thaw" in adminParams)
    assert.equal("thaw" in botParams, false)
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({
      name: "bot",
      keys: ["mm"],
      rights: ["freeze", "heartbeat"],
    })
    await test.admin.freeze({ ...everything, cancels: false })
    const body = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64")
    await test.bots.freeze({ token, body: body({ scope: "all", reason: "milder" }) })
    await test.bots.heartbeat({ token, body: body({}) })
    const cancel = await test.sign(token, { order_id: "1" }, { path: cancelPath })
    assert.equal(outcomeOf(cancel), "frozen")
  })
})
