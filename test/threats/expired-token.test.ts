import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import {
  assertSigned,
  cancelPath,
  limitOrder,
  openTestVault,
  ordersPath,
  outcomeOf,
  type TestVault,
  type VaultAsk,
} from "../support/open-test-vault.ts"
import { decideAsShown } from "../support/a-word.ts"
import { setClock } from "../support/set-clock.ts"
import { recordOf } from "../support/ledger-ask.ts"

const lifeMs = 5_000
const hourMs = 3_600_000
const rights = ["prices", "account", "freeze", "heartbeat", "metrics"] as const
const cancel = { symbol_id: 1, order_id: "1" }

async function opened(t: TestContext, keys: VaultAsk["keys"] = "in_memory", policies?: string[]) {
  const clock = setClock(t)
  const test = await openTestVault({ keys, ...(policies !== undefined && { policies }) })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const client = { name: "bot", keys: ["mm"], rights, expiresInMs: lifeMs }
  return { clock, test, token: await test.addClient(client) }
}

const base64 = (body: unknown): string => Buffer.from(JSON.stringify(body)).toString("base64")

/** Every call of the bot socket that takes a token, but for the gate's own reports. */
function callsOf(test: TestVault, token: string, record: string) {
  const { bots } = test
  const order = { path: ordersPath, body: base64(limitOrder()) }
  const prices = { prices: [{ symbol: "BTC-PERP", price: "64000" }] }
  return {
    sign: () => test.sign(token, limitOrder()),
    cancel: () => test.sign(token, cancel, { path: cancelPath }),
    batch: () => bots.signBatch({ token, body: base64({ requests: [order] }) }),
    check: () => bots.check({ token, ...order }),
    shadow: () => bots.check({ token, ...order, shadow: true }),
    read: () => bots.read({ token, path: "/v1/market/tickers" }),
    budget: () => bots.readBudgetSpent({ token }),
    prices: () => bots.prices({ token, body: base64(prices) }),
    beginAccount: () => bots.beginAccount({ token, body: base64({ account: "main" }) }),
    account: () =>
      bots.account({
        token,
        body: base64({ ticket: "t1", reading: { orders: [], positions: [] } }),
      }),
    freeze: () => bots.freeze({ token, body: base64({ reason: "a test" }) }),
    heartbeat: () => bots.heartbeat({ token, body: base64({}) }),
    metrics: () => bots.metrics({ token }),
    limits: () => bots.limits({ token }),
    whoami: () => bots.whoami({ token }),
    record: () => bots.record({ token, id: record }),
    records: () => bots.records({ token, by: "client_order_id", value: "q-1" }),
  }
}

async function outcomes(test: TestVault, token: string, record: string) {
  const told: Record<string, string> = {}
  for (const [name, call] of Object.entries(callsOf(test, token, record))) {
    told[name] = outcomeOf(await call())
  }
  return told
}

describe("a token that has expired", () => {
  it("does nothing any more, not even cancel, read, feed prices or freeze", async (t) => {
    const { clock, test, token } = await opened(t)
    const signed = await test.sign(token, limitOrder())
    assertSigned(signed)
    clock.step(lifeMs)
    const told = await outcomes(test, token, signed.record)
    assert.deepEqual([...new Set(Object.values(told))], ["token_expired"], JSON.stringify(told))
    assert.deepEqual(test.vault.active().freezes, [])
    assert.equal(test.vault.active().prices.size, 0)
  })

  it("was good for each of these a moment before", async (t) => {
    const { clock, test, token } = await opened(t)
    const signed = await test.sign(token, limitOrder())
    assertSigned(signed)
    clock.step(lifeMs - 1_000)
    const told = await outcomes(test, token, signed.record)
    assert.deepEqual(
      Object.entries(told).filter(([, code]) => code === "token_expired"),
      [],
    )
    assert.equal(told["sign"], "signed")
  })

  it("is told apart by nobody who doesn't show it", async (t) => {
    const { clock, test } = await opened(t)
    clock.step(lifeMs)
    assert.equal(outcomeOf(await test.sign("cs_guess", limitOrder())), "unauthorized")
  })

  it("doesn't come back when the clock is set back, nor over a restart", async (t) => {
    const { clock, test, token } = await opened(t, "on_disk")
    const neighbour = await test.addClient({ name: "neighbour", keys: ["mm"] })
    clock.step(lifeMs)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "token_expired")
    clock.step(-hourMs)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "token_expired")
    assertSigned(await test.sign(neighbour, limitOrder())) // a commit keeps the time
    const again = await test.reopen()
    t.after(() => again.close())
    assert.equal(outcomeOf(await again.sign(token, limitOrder())), "token_expired")
  })

  it("is good again once an operator renews it, also over a restart", async (t) => {
    const { clock, test, token } = await opened(t, "on_disk")
    clock.step(lifeMs)
    await test.admin.setClient({ name: "bot", expiresInMs: lifeMs })
    assertSigned(await test.sign(token, limitOrder()))
    const again = await test.reopen()
    t.after(() => again.close())
    assertSigned(await again.sign(token, limitOrder()))
    clock.step(lifeMs)
    assert.equal(outcomeOf(await again.sign(token, limitOrder())), "token_expired")
  })

  it("uses no release that a person gave meanwhile; its successor does, once", async (t) => {
    const policy = `policy: held
rules: [{name: all, endpoints: [placeOrder]}]
hold: [{name: large, endpoints: [placeOrder]}]
`
    const { clock, test, token } = await opened(t, "on_disk", [policy])
    const held = await test.sign(token, limitOrder())
    assert.ok(held.kind === "refused" && held.refusal.code === "approval_required")
    clock.step(lifeMs)
    await decideAsShown(test, held.refusal.data.hold ?? "")
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "token_expired")
    const again = await test.reopen()
    t.after(() => again.close())
    await again.admin.setClient({ name: "bot", expiresInMs: lifeMs })
    const { token: successor } = await again.admin.rotateToken({ name: "bot" })
    assert.equal(outcomeOf(await again.sign(token, limitOrder())), "unauthorized")
    assertSigned(await again.sign(successor, limitOrder()))
    assert.equal(outcomeOf(await again.sign(successor, limitOrder())), "approval_required")
  })

  it("lets the gate say what became of what was signed before", async (t) => {
    const { clock, test, token } = await opened(t)
    const signed = await test.sign(token, limitOrder(), { purpose: "forward" })
    assertSigned(signed)
    clock.step(lifeMs)
    const outcome = { kind: "accepted", status: 200, code: "0" } as const
    const { record } = signed
    assert.equal((await test.bots.report({ token, record, outcome })).kind, "answer")
    const stored = await recordOf(test.vault.ledger, record, test.vault.now())
    assert.equal(stored?.state, "accepted")
    const guess = await test.bots.report({ token: "cs_guess", record, outcome })
    assert.ok(guess.kind === "refused" && guess.refusal.code === "unauthorized")
  })
})
