import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
  type VaultAsk,
} from "../support/open-test-vault.ts"

const policy = `policy: all
rules: [{name: all, endpoints: [placeOrder, placeBatch, modifyOrder, modifyBatch, cancelOrder]}]
`
const spentLimit = `limits:
  - {name: cap, sum: submitted_quantity, window: 1h, max: "0.1"}
`
const reducing = limitOrder({ flags: ["reduce_only"] })
const item = { ...reducing, order_id: "1" }
type Ask = { readonly path: string; readonly body: unknown }

const modifies: readonly Ask[] = [
  { path: "/v1/trade/orders/modify", body: item },
  { path: "/v1/trade/orders/batch/modify", body: { orders: [item] } },
]
const waysOut: readonly Ask[] = [
  { path: cancelPath, body: { order_id: "1" } },
  { path: "/v1/trade/orders", body: reducing },
  { path: "/v1/trade/orders/batch", body: { orders: [reducing] } },
]

/** A venue whose modifies apply flags, by the operator's word. */
function venueWith(word: string): string {
  const profile = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
  return profile.replaceAll("order_id: /order_id}", `order_id: /order_id${word}}`)
}

type Opened = { readonly test: TestVault; readonly token: string }

async function opened(t: TestContext, ask: VaultAsk = {}): Promise<Opened> {
  const test = await openTestVault({ policies: [policy], venue: venueWith(""), ...ask })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  return { test, token: await test.addClient({ name: "bot", keys: ["mm"] }) }
}

async function outcomes({ test, token }: Opened, asks: readonly Ask[]): Promise<string[]> {
  const answers: string[] = []
  for (const { path, body } of asks) answers.push(outcomeOf(await test.sign(token, body, { path })))
  return answers
}

const signed = ["signed", "signed", "signed"]

describe("a bot that says reduce_only of an order that it modifies", () => {
  it("gets nothing through a freeze, while cancels and reduce-only orders stay open", async (t) => {
    const bot = await opened(t)
    await bot.test.admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: true })
    assert.deepEqual(await outcomes(bot, modifies), ["frozen", "frozen"])
    assert.deepEqual(await outcomes(bot, waysOut), signed)
  })

  it("gets nothing past a limit that is spent", async (t) => {
    const bot = await opened(t, { policies: [policy + spentLimit] })
    assert.equal(outcomeOf(await bot.test.sign(bot.token, limitOrder())), "signed")
    assert.deepEqual(await outcomes(bot, modifies), ["limit_exhausted", "limit_exhausted"])
    assert.deepEqual(await outcomes(bot, waysOut), signed)
  })

  it("gets nothing while the disk is low", async (t) => {
    const bot = await opened(t, { settings: "ledger: {min_free: 1048576GiB}\n" })
    assert.deepEqual(await outcomes(bot, modifies), ["disk_low", "disk_low"])
    assert.deepEqual(await outcomes(bot, waysOut), signed)
  })

  it("gets nothing while the clock is far off the venue's", async (t) => {
    const bot = await opened(t, { settings: "max_venue_offset: 1s\n" })
    bot.test.vault.venueClock.tell({ leastMs: 5_000, mostMs: 5_000 })
    assert.deepEqual(await outcomes(bot, modifies), ["clock_unsafe", "clock_unsafe"])
    assert.deepEqual(await outcomes(bot, waysOut), signed)
  })

  it("gets them where the operator wrote that the venue applies flags", async (t) => {
    const bot = await opened(t, { venue: venueWith(", applies_flags: true") })
    await bot.test.admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: true })
    assert.deepEqual(await outcomes(bot, modifies), ["signed", "signed"])
    const opening = { ...item, flags: [] }
    assert.deepEqual(await outcomes(bot, [{ path: "/v1/trade/orders/modify", body: opening }]), [
      "frozen",
    ])
  })
})
