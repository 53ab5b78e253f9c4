import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  type TestVault,
} from "../../../support/open-test-vault.ts"

const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
const cancel = { order_id: "1" }

type Bot = { readonly test: TestVault; readonly token: string }

async function open(t: TestContext, settings: string): Promise<Bot> {
  const test = await openTestVault({ settings, venue })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  await test.addClient({ name: "other", keys: ["mm"] })
  return { test, token }
}

describe("an answer about a signature", () => {
  it("tells what is left of the budgets that the request spends", async (t) => {
    const bot = await open(t, "budgets: {shares: {other: 50%}}\n")
    const answer = await bot.test.sign(bot.token, limitOrder())
    assert.deepEqual(
      answer.rateLimits?.map(({ scope, max, left }) => ({ scope, max, left })),
      [
        { scope: "address", max: 2_400, left: 1_199 },
        { scope: "ip", max: 1_200, left: 539 },
      ],
    )
    for (const { freesInMs } of answer.rateLimits) {
      assert.ok(freesInMs !== null && freesInMs > 0 && freesInMs <= 60_500)
    }
    const unread = await bot.test.sign(bot.token, "{")
    assert.deepEqual(
      unread.rateLimits?.map(({ scope }) => scope),
      ["ip"],
    )
    assert.equal((await bot.test.sign(`cs_${"x".repeat(43)}`, limitOrder())).rateLimits, undefined)
  })

  it("tells of none that is off", async (t) => {
    const byIp = await open(t, "budgets: {address: off}\n")
    const one = await byIp.test.sign(byIp.token, cancel, { path: cancelPath })
    assert.deepEqual(
      one.rateLimits?.map(({ scope }) => scope),
      ["ip"],
    )
    const off = await open(t, "budgets: {ip: off, address: off}\n")
    assert.equal((await off.test.sign(off.token, limitOrder())).rateLimits, undefined)
  })
})
