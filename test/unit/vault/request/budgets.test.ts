import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { Outcome } from "../../../../src/link/calls/both-ways.ts"
import { sandboxPanic, sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { settleRecord } from "../../../../src/vault/request/settle-record.ts"
import { termsOf } from "../../../../src/vault/request/spending.ts"
import { warningsOf } from "../../../../src/vault/status/warnings.ts"
import { elsewhere } from "../../../support/agent-keys.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import {
  approval,
  approvePath,
  assertSigned,
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  permissivePolicy,
  type CallChanges,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"
import { recordOf } from "../../../support/ledger-ask.ts"
import { asRequest } from "../../../../src/vault/ledger/found-records.ts"

/** Leaves everyone but `other` 60 requests of the IP budget, and of an address that `other` has a key for 240. */
const tight = "budgets: {shares: {other: 90%}, cancel_reserve: 5%}\n"
const byAddress = "budgets: {ip: off, shares: {other: 90%}}\n"
const byIp = "budgets: {address: off, shares: {other: 90%}}\n"
const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() }).replace(sandboxPanic, "")
const batchPath = "/v1/trade/orders/batch"
const hundredOrders = {
  orders: Array.from({ length: 100 }, () => limitOrder({ quantity: "0.01" })),
}
const cancel = { order_id: "1" }
const reducing = limitOrder({ flags: ["reduce_only"] })
const asCancel: CallChanges = { path: cancelPath }

type Bots = {
  readonly test: TestVault
  /** Their tokens: `other` may use the keys of `bot`. */
  readonly bot: string
  readonly other: string
}

async function open(t: TestContext, settings: string, ask: VaultAsk = {}): Promise<Bots> {
  const test = await openTestVault({ settings, venue, ...ask })
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet" })
  await test.addKey({ name: "mm", role: "agent", wallet: "main" })
  const keys = ["mm", "main"]
  const bot = await test.addClient({ name: "bot", keys, allowTypeB: true })
  const other = await test.addClient({ name: "other", keys, allowTypeB: true })
  return { test, bot, other }
}

/** How many of so many, asked for at once, are signed. */
async function signedOf(count: number, ask: () => ReturnType<TestVault["sign"]>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, ask))
  const kinds = new Set(answers.map(outcomeOf))
  assert.ok(
    [...kinds].every((kind) => ["signed", "10029", "ip_budget_exhausted"].includes(kind)),
    [...kinds].join(),
  )
  return answers.filter((answer) => outcomeOf(answer) === "signed").length
}

async function spend({ test, bot }: Bots): Promise<void> {
  assert.equal(await signedOf(61, () => test.sign(bot, limitOrder())), 60)
}

describe("a part of the IP budget", () => {
  it("is all that its host signs, with its shares and its reserve within it", async (t) => {
    const settings = "budgets: {address: off, ip: 5%, shares: {other: 50%}, cancel_reserve: 10%}\n"
    const { test, bot, other } = await open(t, settings)
    assert.equal(await signedOf(60, () => test.sign(bot, limitOrder())), 24)
    assert.equal(await signedOf(60, () => test.sign(other, limitOrder())), 30)
    assert.equal(await signedOf(6, () => test.sign(bot, cancel, asCancel)), 6)
    const limits = await test.bots.limits({ token: bot })
    assert.ok(limits.kind === "answer")
    const [ip] = limits.budgets
    assert.deepEqual([ip?.scope, ip?.max, ip?.used, ip?.left], ["ip", 60, 60, 0])
  })
})

describe("the venue's rate budgets", () => {
  it("let through exactly what there is room for of what comes at once, and record the rest", async (t) => {
    const bots = await open(t, tight)
    const { test, bot } = bots
    assert.equal(await signedOf(200, () => test.sign(bot, limitOrder())), 60)
    const refused = await test.sign(bot, limitOrder())
    assert.ok(refused.kind === "refused" && refused.refusal.code === "ip_budget_exhausted")
    const { data, message } = refused.refusal
    assert.match(message, /^Rate limit exceeded: the IP budget/)
    assert.deepEqual([data.scope, data.max, data.used, data.kept], ["ip", 1_200, 60, 1_140])
    assert.ok((data.retry_after_ms ?? 0) > 0)
    const stored = await recordOf(test.vault.ledger, refused.record ?? "", ledgerTime(Date.now()))
    assert.equal(stored?.refusal?.code, "ip_budget_exhausted")
  })

  it("keep a client's share for it, but not from what reduces risk", async (t) => {
    const bots = await open(t, tight)
    const { test, bot, other } = bots
    await spend(bots)
    assert.equal(await signedOf(61, () => test.sign(bot, cancel, asCancel)), 61)
    assert.equal(await signedOf(61, () => test.sign(bot, reducing)), 61)
    assert.equal(await signedOf(100, () => test.sign(other, limitOrder())), 100)
  })

  it("let each client reduce risk past a spent IP budget", async (t) => {
    const { test, bot, other } = await open(t, "budgets: {address: off}\n")
    const terms = termsOf("ip", undefined, test.vault.active())
    const [mm] = test.vault.active().keys.values()
    assert.ok(mm)
    const spending = { client: "bot", address: mm.address, addressWeight: 1, ipWeight: 1 }
    const kind = { lane: "cancel", terms: { address: undefined, ip: terms } } as const
    for (let count = 0; count < 1_200; count += 1) {
      test.vault.ledger.budgets.count({ ...spending, ...kind })
    }
    assert.equal(outcomeOf(await test.sign(other, cancel, asCancel)), "signed")
    assert.equal(outcomeOf(await test.sign(bot, reducing)), "signed")
    assert.equal(outcomeOf(await test.sign(other, limitOrder())), "ip_budget_exhausted")
  })

  it("weigh a batch by its items, for the address that it is for", async (t) => {
    const bots = await open(t, byAddress)
    const { test, bot } = bots
    await test.admin.setTargets({ name: "mm", targets: [elsewhere.address] })
    const batch = (body: object) => test.sign(bot, body, { path: batchPath })
    assert.equal(await signedOf(30, () => batch(hundredOrders)), 21) // of 11 each
    assert.equal(await signedOf(12, () => test.sign(bot, limitOrder())), 9)
    const targeted = { ...hundredOrders, target_address: elsewhere.address }
    assert.equal(await signedOf(30, () => batch(targeted)), 21)
  })

  it("weigh an account operation for its signer", async (t) => {
    const { test, bot } = await open(t, byAddress)
    const { keys } = test.vault.active()
    const [agent, wallet] = [keys.get("mm")?.address ?? "", keys.get("main")?.address ?? ""]
    const approve = () =>
      test.sign(bot, approval(agent, wallet), { path: approvePath, key: "main" })
    assert.equal(await signedOf(8, approve), 6) // of 40 each
    assert.equal(outcomeOf(await test.sign(bot, limitOrder())), "signed")
  })

  it("let a cancel of a spent address through", async (t) => {
    const { test, bot } = await open(t, byAddress)
    await signedOf(22, () => test.sign(bot, hundredOrders, { path: batchPath }))
    await signedOf(9, () => test.sign(bot, limitOrder()))
    assert.equal(outcomeOf(await test.sign(bot, limitOrder())), "10029")
    assert.equal(outcomeOf(await test.sign(bot, cancel, asCancel)), "signed")
  })

  it("leave the next cancel of a spent address to a client that was refused one", async (t) => {
    const bots = await open(t, "budgets: {ip: off}\n")
    const { test, bot, other } = bots
    await fill(bots, "address")
    assert.equal(outcomeOf(await test.sign(bot, cancel, asCancel)), "signed")
    const [ofOther, ofBot] = [
      await test.sign(other, cancel, asCancel),
      await test.sign(bot, cancel, asCancel),
    ].map((answer) => {
      assert.ok(answer.kind === "refused" && answer.refusal.code === "10029")
      return answer.refusal.data.retry_after_ms ?? 0
    })
    assert.ok(ofBot! > ofOther!, "it comes after the other, though it asked at the same time")
  })

  it("promise nothing of an address to a client that has no key for it, nor anything to nobody", async (t) => {
    const test = await openTestVault({ settings: byAddress, venue })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    await test.addKey({ name: "far", role: "agent" })
    const bot = await test.addClient({ name: "bot", keys: ["mm"] })
    const batch = () => test.sign(bot, hundredOrders, { path: batchPath })
    assert.equal(await signedOf(22, batch), 22)
    await test.addClient({ name: "other", keys: ["far"] })
    assert.equal(await signedOf(22, batch), 22)
  })

  it("aren't asked where they are off", async (t) => {
    const { test, bot } = await open(t, "budgets: {address: off, ip: off, shares: {other: 90%}}\n")
    assert.equal(await signedOf(70, () => test.sign(bot, hundredOrders, { path: batchPath })), 70)
  })

  it("count a signature that is given out again and again once, and refuse it where there is no room", async (t) => {
    const { test, bot } = await open(t, byIp)
    const ask = (idempotencyKey: string) => test.sign(bot, limitOrder(), { idempotencyKey })
    assertSigned(await ask("k-1"))
    assertSigned(await ask("k-2"))
    assert.equal(await signedOf(60, () => ask("k-1")), 60)
    assert.equal(await signedOf(58, () => test.sign(bot, limitOrder())), 57)
    assert.equal(outcomeOf(await ask("k-2")), "ip_budget_exhausted")
    assert.equal(outcomeOf(await ask("k-1")), "signed")
  })

  it("don't stop the answer to a repeat that is known", async (t) => {
    const bots = await open(t, byIp)
    const { test, bot } = bots
    const again: CallChanges = { idempotencyKey: "k-1", purpose: "forward" }
    const first = await test.sign(bot, limitOrder(), again)
    assertSigned(first)
    const record = asRequest(await test.vault.ledger.record(first.record))
    const answer = { body: Buffer.from('{"code":"0"}').toString("base64") }
    await settleRecord(record, { kind: "accepted", status: 200, code: "0", answer }, test.vault)
    assert.equal(await signedOf(60, () => test.sign(bot, limitOrder())), 59)
    assert.equal(outcomeOf(await test.sign(bot, limitOrder(), again)), "answered")
  })

  it("are told by a check, which counts nothing", async (t) => {
    const bots = await open(t, tight)
    const { test, bot } = bots
    for (let count = 0; count < 100; count += 1) test.check(bot, limitOrder())
    await spend(bots)
    const checked = test.check(bot, limitOrder())
    assert.ok(checked.kind === "answer")
    assert.deepEqual(
      [checked.report.would_sign, checked.report.refusal?.code],
      [false, "ip_budget_exhausted"],
    )
    const ofCancel = test.check(bot, cancel, asCancel)
    assert.ok(ofCancel.kind === "answer" && ofCancel.report.would_sign)
  })

  it("take nothing for what policy refuses, and no nonce for what they refuse", async (t) => {
    const policies = [permissivePolicy, "policy: no\ndeny: [{name: sells, sides: [sell]}]\n"]
    const bots = await open(t, tight, { policies })
    const { test, bot } = bots
    for (let count = 0; count < 70; count += 1) await test.sign(bot, limitOrder({ is_buy: false }))
    await spend(bots)
    const address = test.vault.active().keys.get("mm")?.address
    assert.ok(address)
    const last = test.vault.ledger.lastNonce(address)
    await signedOf(10, () => test.sign(bot, limitOrder()))
    assert.equal(test.vault.ledger.lastNonce(address), last)
  })

  it("are counted from the ledger after a restart", async (t) => {
    const { test, bot } = await open(t, tight, { keys: "on_disk" })
    assert.equal(await signedOf(59, () => test.sign(bot, limitOrder())), 59)
    const again = await test.reopen()
    t.after(() => again.close())
    assert.equal(await signedOf(2, () => again.sign(bot, limitOrder())), 1)
    const shown = await again.bots.limits({ token: bot })
    assert.ok(shown.kind === "answer")
    assert.deepEqual(
      shown.budgets.map(({ used }) => used),
      [60, 60, 0],
    )
  })

  it("are shown to each client, with what it may still send", async (t) => {
    const bots = await open(t, tight)
    const { test, bot, other } = bots
    await test.sign(bot, limitOrder())
    await test.sign(other, hundredOrders, { path: batchPath })
    const { keys } = test.vault.active()
    const shown = await test.bots.limits({ token: bot })
    assert.ok(shown.kind === "answer")
    const address = { scope: "address", max: 2_400 } as const
    assert.deepEqual(shown.budgets, [
      { scope: "ip", address: null, max: 1_200, used: 2, own: 1, left: 59 },
      { ...address, address: keys.get("mm")?.address, used: 12, own: 1, left: 239 },
      { ...address, address: keys.get("main")?.address, used: 0, own: 0, left: 240 },
    ])
    const off = await open(t, "budgets: {ip: off, address: off}\n")
    const nothing = await off.test.bots.limits({ token: off.bot })
    assert.ok(nothing.kind === "answer")
    assert.deepEqual(nothing.budgets, [])
  })
})

describe("what no rate budget stops", () => {
  it("is a panic's cancels, which are counted", async (t) => {
    const lines = "panic: [{operation: cancelAll, body: '{}'}]\n"
    const bots = await open(t, tight, { venue: venue + lines })
    const { test, bot } = bots
    await fill(bots, "ip", "address")
    await test.sign(bot, cancel, asCancel) // takes the reserve, which the panic needs none of
    const { requests, unsigned } = await test.admin.panic({ reason: "a test" })
    assert.deepEqual([requests.length, unsigned], [1, []])
    const shown = await test.bots.limits({ token: bot })
    assert.ok(shown.kind === "answer")
    assert.equal(shown.budgets[0]?.used, 1_202)
  })

  it("is what the operator asks for, which is counted", async (t) => {
    const bots = await open(t, tight)
    const { test, bot } = bots
    await fill(bots, "ip")
    const { body } = await test.admin.revokeAgent({ agent: "mm" })
    assert.match(body, /signature/)
    const shown = await test.bots.limits({ token: bot })
    assert.ok(shown.kind === "answer")
    const used = shown.budgets.map((each) => each.used)
    assert.deepEqual(used, [1_201, 1, 40])
  })
})

/** Has the venue refuse an order for spent budgets, as the gate tells it. */
async function fill({ test, bot }: Bots, ...budgets: readonly ("address" | "ip")[]): Promise<void> {
  const signed = await test.sign(bot, limitOrder(), { purpose: "forward" })
  assertSigned(signed)
  for (const spent of budgets) {
    const outcome: Outcome = { kind: "refused", status: 429, code: "10029", spent }
    await test.bots.report({ token: bot, record: signed.record, outcome })
  }
}

describe("a budget that the venue says is spent", () => {
  it("is spent here too, the IP's for all and an address's for that address", async (t) => {
    const ofIp = await open(t, "budgets: {}\n")
    await fill(ofIp, "ip")
    assert.equal(outcomeOf(await ofIp.test.sign(ofIp.other, limitOrder())), "ip_budget_exhausted")
    assert.equal(outcomeOf(await ofIp.test.sign(ofIp.bot, cancel, asCancel)), "signed")
    assert.equal(outcomeOf(await ofIp.test.sign(ofIp.other, reducing)), "signed")

    const ofAddress = await open(t, "budgets: {}\n")
    const { test, other } = ofAddress
    await test.admin.setTargets({ name: "mm", targets: [elsewhere.address] })
    await fill(ofAddress, "address")
    assert.equal(outcomeOf(await test.sign(other, limitOrder())), "10029")
    assert.equal(outcomeOf(await test.sign(other, cancel, asCancel)), "signed")
    const elsewhereToo = limitOrder({ target_address: elsewhere.address })
    assert.equal(outcomeOf(await test.sign(other, elsewhereToo)), "signed")
  })

  it("is that of the target where the request had one", async (t) => {
    const { test, bot } = await open(t, "budgets: {}\n")
    await test.admin.setTargets({ name: "mm", targets: [elsewhere.address] })
    const targeted = limitOrder({ target_address: elsewhere.address })
    const signed = await test.sign(bot, targeted, { purpose: "forward" })
    assertSigned(signed)
    const outcome: Outcome = { kind: "refused", status: 429, code: "10029", spent: "address" }
    await test.bots.report({ token: bot, record: signed.record, outcome })
    assert.equal(outcomeOf(await test.sign(bot, targeted)), "10029")
    assert.equal(outcomeOf(await test.sign(bot, limitOrder())), "signed")
  })

  it("stops nothing where it is off, and no other refusal spends it", async (t) => {
    const off = await open(t, "budgets: {address: off, ip: off}\n")
    await fill(off, "ip")
    assert.equal(outcomeOf(await off.test.sign(off.bot, limitOrder())), "signed")

    const { test, bot } = await open(t, "budgets: {}\n")
    const signed = await test.sign(bot, limitOrder(), { purpose: "forward" })
    assertSigned(signed)
    const outcome: Outcome = { kind: "refused", status: 429, code: "10029" }
    await test.bots.report({ token: bot, record: signed.record, outcome })
    assert.equal(outcomeOf(await test.sign(bot, limitOrder())), "signed")
  })
})

describe("a share of a client that isn't there", () => {
  it("is warned of, and of one that was revoked, and no more once it is there", async (t) => {
    const test = await openTestVault({ settings: byIp, venue })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const warned = () =>
      warningsOf(test.vault.active(), Date.now())
        .map(({ message }) => message)
        .join()
    assert.match(warned(), /a share for other, and there is no such client/)
    await test.addClient({ name: "other", keys: ["mm"] })
    assert.doesNotMatch(warned(), /share/)
    await test.admin.revokeClient({ name: "other" })
    assert.match(warned(), /a share for other/)
  })
})
