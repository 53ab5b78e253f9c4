import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { BotResults } from "../../../../src/link/calls/methods.ts"
import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  permissivePolicy,
  type TestVault,
} from "../../../support/open-test-vault.ts"
import { recordOf } from "../../../support/ledger-ask.ts"

const ticker = "/v1/market/ticker"
const blocks = "/v1/explorer/transactions"
const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
const readAll = "policy: readers\nreads: [/v1/**]\n"
/** Leaves everyone but `other` 60 of the IP budget. */
const tight = "budgets: {shares: {other: 90%}, cancel_reserve: 5%}\n"

type Ask = {
  readonly settings?: string
  readonly policies?: readonly string[]
  readonly venue?: string
}

type Readers = {
  readonly test: TestVault
  readonly bot: string
  readonly other: string
  /** What the vault says of a read by `bot`. */
  readonly read: (path: string, key?: string) => Promise<BotResults["read"]>
}

async function open(t: TestContext, ask: Ask = {}): Promise<Readers> {
  const policies = [permissivePolicy, ...(ask.policies ?? [readAll])]
  const test = await openTestVault({ settings: "budgets: {}\n", venue, ...ask, policies })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  await test.addKey({ name: "far", role: "agent" })
  const bot = await test.addClient({ name: "bot", keys: ["mm"] })
  const other = await test.addClient({ name: "other", keys: ["mm", "far"] })
  const read: Readers["read"] = (path, key) => test.bots.read({ token: bot, path, key })
  return { test, bot, other, read }
}

function told(answer: BotResults["read"]): string | number {
  return answer.kind === "answer" ? answer.weight : answer.refusal.code
}

async function usedOfIp({ test, bot }: Readers): Promise<number | undefined> {
  const shown = await test.bots.limits({ token: bot })
  assert.ok(shown.kind === "answer")
  return shown.budgets.find(({ scope }) => scope === "ip")?.used
}

describe("a read", () => {
  it("weighs 2 against the IP budget, one of the explorer 40, and nothing else", async (t) => {
    const readers = await open(t)
    const { test, bot, read } = readers
    for (const path of [ticker, "/v1/trade/open-orders", "/v1/account/balances"]) {
      assert.equal(told(await read(path)), 2)
    }
    assert.equal(told(await read(blocks)), 40)
    const shown = await test.bots.limits({ token: bot })
    assert.ok(shown.kind === "answer")
    assert.deepEqual(
      shown.budgets.map(({ scope, used, own }) => [scope, used, own]),
      [
        ["ip", 46, 46],
        ["address", 0, 0],
      ],
    )
  })

  it("needs a policy that allows its path, and is recorded where none does, as of no operation", async (t) => {
    const { test, read } = await open(t, { policies: ["policy: p\nreads: [/v1/market/*]\n"] })
    assert.equal(told(await read(ticker)), 2)
    const path = "/v1/trade/orders" // a write has it too
    const denied = await read(path)
    assert.ok(denied.kind === "refused" && denied.refusal.code === "policy_denied")
    const { reason, asked } = denied.refusal.data
    assert.deepEqual([reason, asked], ["read_not_allowed", "GET /v1/trade/orders"])
    const stored = await recordOf(test.vault.ledger, denied.record ?? "", ledgerTime(Date.now()))
    assert.deepEqual([stored?.state, stored?.operation], ["refused_here", null])
    assert.equal(told(await read("/v1/market/../trade/orders")), "policy_denied")
    assert.equal(told(await read("/v1//market/ticker")), "policy_denied")
  })

  it("is denied where no policy speaks of reads", async (t) => {
    const { read } = await open(t, { policies: [] })
    assert.equal(told(await read(ticker)), "policy_denied")
  })

  it("may name one of the client's keys, which a policy can be for", async (t) => {
    const ofKey = "policy: of-far\napplies_to: {keys: [far]}\nreads: [/v1/**]\n"
    const { test, other, read } = await open(t, { policies: [ofKey] })
    const byOther = (key?: string) => test.bots.read({ token: other, path: ticker, key })
    assert.equal(told(await byOther("far")), 2)
    assert.equal(told(await byOther("mm")), "policy_denied")
    assert.equal(told(await byOther()), "policy_denied")
    const refused = await read(ticker, "far")
    assert.equal(told(refused), "key_not_allowed")
    assert.ok(refused.kind === "refused" && refused.record !== null)
  })

  it("of a path in no group is refused with the line to add, once policy allows it", async (t) => {
    const silent = venue.replace(/^reads:\n(?: .*\n)+/m, "")
    const { read } = await open(t, { venue: silent })
    const refused = await read(ticker)
    assert.ok(refused.kind === "refused" && refused.refusal.code === "read_group_undisclosed")
    assert.deepEqual(refused.refusal.data, {
      path: ticker,
      add_line: 'reads: {<market, trade, account or explorer>: ["/v1/market/ticker"]}',
    })
    assert.ok(refused.record !== null)
    const { read: denied } = await open(t, { venue: silent, policies: [] })
    assert.equal(told(await denied(ticker)), "policy_denied")
  })

  it("needs a token of somebody", async (t) => {
    const { test } = await open(t)
    const token = `cs_${"x".repeat(43)}`
    const nobody = await test.bots.read({ token, path: ticker })
    assert.equal(told(nobody), "unauthorized")
    assert.equal(outcomeOf(await test.bots.readBudgetSpent({ token })), "unauthorized")
  })

  it("goes on under a freeze that leaves not even cancels open", async (t) => {
    const { test, read } = await open(t)
    await test.admin.freeze({ scope: "all", name: null, reason: "a test", cancels: false })
    assert.equal(told(await read(ticker)), 2)
  })
})

describe("a reader and the IP budget", () => {
  it("gets what nobody is promised, and is then told when to come back, without a record", async (t) => {
    const { read } = await open(t, { settings: tight })
    for (let count = 0; count < 10; count += 1) assert.equal(told(await read(ticker)), 2)
    assert.equal(told(await read(blocks)), 40)
    const refused = await read(ticker)
    assert.ok(refused.kind === "refused" && refused.refusal.code === "ip_budget_exhausted")
    const { used, kept, asked, retry_after_ms: waitMs } = refused.refusal.data
    assert.deepEqual([used, kept, asked], [60, 1_140, 2])
    assert.ok(waitMs !== null && waitMs > 0 && waitMs <= 60_500)
    assert.equal(refused.record, null)
  })

  it("leaves others their share, and cancels what is kept for them", async (t) => {
    const { test, bot, other, read } = await open(t, { settings: tight })
    while (told(await read(ticker)) === 2);
    assert.equal(outcomeOf(await test.sign(bot, limitOrder())), "ip_budget_exhausted")
    assert.equal(outcomeOf(await test.sign(other, limitOrder())), "signed")
    const cancel = await test.sign(bot, { order_id: "1" }, { path: cancelPath })
    assert.equal(outcomeOf(cancel), "signed")
  })

  it("isn't told of a budget that is off", async (t) => {
    const { test, bot, read } = await open(t, { settings: "budgets: {ip: off}\n" })
    for (let count = 0; count < 40; count += 1) assert.equal(told(await read(blocks)), 0)
    assert.equal(outcomeOf(await test.bots.readBudgetSpent({ token: bot })), "signed")
    assert.equal(told(await read(ticker)), 0)
  })

  it("finds it spent once the venue has said so, and so does all but what reduces risk", async (t) => {
    const readers = await open(t)
    const { test, bot, other, read } = readers
    assert.equal(told(await read(ticker)), 2)
    await test.bots.readBudgetSpent({ token: bot })
    assert.equal(await usedOfIp(readers), 1_200)
    assert.equal(told(await read(ticker)), "ip_budget_exhausted")
    assert.equal(outcomeOf(await test.sign(other, limitOrder())), "ip_budget_exhausted")
    const cancel = await test.sign(bot, { order_id: "1" }, { path: cancelPath })
    assert.equal(outcomeOf(cancel), "signed")
  })
})
