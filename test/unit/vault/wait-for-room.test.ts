import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { describe, it, type TestContext } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { pathsOf } from "../../../src/vault/installation.ts"
import { budgetMax } from "../../../src/vault/ledger/budget.ts"
import type { Spending } from "../../../src/vault/ledger/budgets.ts"
import {
  assertSigned,
  callOf,
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  permissivePolicy,
  writePolicies,
  type CallChanges,
  type TestVault,
} from "../../support/open-test-vault.ts"
import { until } from "../../support/process-tree.ts"
import { nothingKept } from "../../support/spending.ts"

const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
const cancel = { order_id: "1" }
const reducing = limitOrder({ flags: ["reduce_only"] })

type Bot = { readonly test: TestVault; readonly token: string; readonly other: string }

/** A vault whose IP budget was used up long ago, but for what is free again in half a minute at the earliest. */
async function open(t: TestContext, settings = "budgets: {address: off}\n"): Promise<Bot> {
  const test = await openTestVault({ settings, venue })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  const other = await test.addClient({ name: "other", keys: ["mm"] })
  return { test, token, other }
}

function spend({ test }: Bot, weight: number, agoMs: number): void {
  const spending: Spending = {
    ...{ client: "past", address: undefined, addressWeight: 0, ipWeight: weight },
    ...{ isCancel: false, reducesRisk: false, terms: { ip: nothingKept, address: undefined } },
  }
  test.vault.ledger.budgets.countEarlier(spending, agoMs)
}

/** Leaves no room of the IP budget for some 30 s, and no way past it for some 1.1 s. */
async function spendAll(bot: Bot): Promise<void> {
  spend(bot, budgetMax.ip, 32_000)
  assertSigned(await bot.test.sign(bot.token, reducing))
}

function ask({ test, token }: Bot, body: unknown, changes: CallChanges = {}) {
  const wait = { id: randomUUID(), ms: 30_000 }
  return test.bots.sign(callOf(token, body, { wait, ...changes }))
}

async function waiting({ test }: Bot, count: number): Promise<void> {
  await until(() => (test.vault.waiting.size() === count ? true : undefined), `${count} calls wait`)
}

describe("a call that waits for room", () => {
  it("is signed once there is, where one without the header is refused", async (t) => {
    const bot = await open(t)
    await spendAll(bot)
    const first = ask(bot, reducing)
    const second = bot.test.sign(bot.token, reducing)
    assert.equal(outcomeOf(await second), "ip_budget_exhausted")
    assertSigned(await first)
    await waiting(bot, 0)
  })

  it("is refused at once without the header, or where its bound is too short", async (t) => {
    const bot = await open(t)
    spend(bot, budgetMax.ip, 0)
    const none = await bot.test.bots.sign(callOf(bot.token, limitOrder()))
    assert.equal(outcomeOf(none), "ip_budget_exhausted")
    const late = await ask(bot, limitOrder())
    assert.ok(late.kind === "refused" && late.refusal.code === "ip_budget_exhausted")
    const kept = await bot.test.vault.ledger.record(late.record ?? "", Date.now())
    assert.equal(kept?.state, "refused_here")
  })

  it("is given up at its bound with the refusal of then, recorded once", async (t) => {
    const bot = await open(t)
    spend(bot, budgetMax.ip, 60_400) // room in 100 ms
    const asked = ask(bot, limitOrder(), { wait: { id: randomUUID(), ms: 1_500 } })
    spend(bot, budgetMax.ip, 0)
    const answer = await asked
    assert.ok(answer.kind === "refused" && answer.refusal.code === "ip_budget_exhausted")
    assert.ok(Number(answer.refusal.data.retry_after_ms) > 50_000, "it is told of the latest")
    assert.equal((await bot.test.vault.ledger.recentRefusals(10)).length, 1)
  })

  it("is refused at once when what it may do has changed", async (t) => {
    const changes: readonly (readonly [string, (bot: Bot) => Promise<unknown>])[] = [
      [
        "frozen",
        ({ test }) =>
          test.admin.freeze({ scope: "client", name: "bot", reason: "a test", cancels: true }),
      ],
      ["unauthorized", ({ test }) => test.admin.revokeClient({ name: "bot" })],
      [
        "policy_denied",
        async ({ test }) => {
          const deny = "policy: no\ndeny: [{name: buys, sides: [buy]}]\n"
          await writePolicies(test.installation, [permissivePolicy, deny])
          await test.admin.reload()
        },
      ],
    ]
    for (const [outcome, change] of changes) {
      const bot = await open(t)
      spend(bot, budgetMax.ip, 32_000)
      const asked = ask(bot, limitOrder())
      await waiting(bot, 1)
      await change(bot)
      assert.equal(outcomeOf(await asked), outcome)
    }
  })

  it("goes on where a reload turns the budget off", async (t) => {
    const bot = await open(t)
    spend(bot, budgetMax.ip, 32_000)
    const asked = ask(bot, limitOrder())
    await waiting(bot, 1)
    const { configFile } = pathsOf(bot.test.installation)
    const text = await readFile(configFile, "utf8")
    await writeFile(configFile, text.replace("{address: off}", "{address: off, ip: off}"))
    await bot.test.admin.reload()
    assertSigned(await asked)
  })

  it("is neither signed nor recorded when it is abandoned, and only by its own token", async (t) => {
    const bot = await open(t)
    spend(bot, budgetMax.ip, 32_000)
    const id = randomUUID()
    const asked = ask(bot, limitOrder(), { wait: { id, ms: 30_000 } })
    await waiting(bot, 1)
    const before = await bot.test.vault.ledger.count()
    const { bots } = bot.test
    assert.deepEqual(await bots.abandonWait({ token: bot.other, id }), { abandoned: false })
    assert.deepEqual(await bots.abandonWait({ token: bot.token, id }), { abandoned: true })
    const answer = await asked
    assert.ok(answer.kind === "refused" && answer.record === null)
    assert.equal(await bot.test.vault.ledger.count(), before)
    await waiting(bot, 0)
  })

  it("gets the same signature as one before it with the same idempotency key", async (t) => {
    const bot = await open(t)
    await spendAll(bot)
    const asked = ["k", "k"].map((idempotencyKey) => ask(bot, reducing, { idempotencyKey }))
    const [first, second] = await Promise.all(asked)
    assert.ok(first && second)
    assertSigned(first)
    assertSigned(second)
    assert.deepEqual([first.repeat, second.repeat], ["first", "perhaps_sent"])
    assert.equal(first.body, second.body)
  })

  it("doesn't keep a vault from closing", async (t) => {
    const bot = await open(t)
    spend(bot, budgetMax.ip, 32_000)
    const asked = ask(bot, limitOrder()).then(outcomeOf, (error: unknown) => error)
    await waiting(bot, 1)
    await bot.test.close()
    assert.ok(await asked)
  })

  it("waits for no limit", async (t) => {
    const bot = await open(t)
    const limited = `${permissivePolicy}limits: [{name: one, endpoints: [placeOrder], count: requests, window: 1m, max: "1"}]\n`
    await writePolicies(bot.test.installation, [limited])
    await bot.test.admin.reload()
    assertSigned(await ask(bot, limitOrder()))
    assert.equal(outcomeOf(await ask(bot, limitOrder())), "limit_exhausted")
  })
})

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
    const byIp = await open(t)
    const one = await byIp.test.sign(byIp.token, cancel, { path: cancelPath })
    assert.deepEqual(
      one.rateLimits?.map(({ scope }) => scope),
      ["ip"],
    )
    const off = await open(t, "budgets: {ip: off, address: off}\n")
    assert.equal((await off.test.sign(off.token, limitOrder())).rateLimits, undefined)
  })
})
