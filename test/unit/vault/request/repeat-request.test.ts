import { after, before, beforeEach, describe, it, type TestContext } from "node:test"

import { recoverAddress } from "ethers"

import type { Outcome } from "../../../../src/link/calls/both-ways.ts"
import { reload } from "../../../../src/vault/operator/files-in-force.ts"
import { settleRecord } from "../../../../src/vault/request/settle-record.ts"
import { signRequest } from "../../../../src/vault/request/sign-request.ts"
import { decideAsShown } from "../../../support/a-word.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import { byCount, limitedPolicy } from "../../../support/limited-vault.ts"
import {
  approval,
  approvePath,
  assertSigned,
  callOf,
  cancelPath,
  limitOrder,
  openTestVault,
  venueWithOpenCancels,
  outcomeOf,
  permissivePolicy,
  writePolicies,
  type CallChanges,
  type SignedAnswer,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"

import assert from "node:assert/strict"
import { recordOf } from "../../../support/ledger-ask.ts"
import { asRequest } from "../../../../src/vault/ledger/found-records.ts"

const forward: CallChanges = { purpose: "forward" }
const keyed: CallChanges = { idempotencyKey: "k-1" }
const kept = { body: Buffer.from('{"code":"0"}').toString("base64"), type: "application/json" }
const accepted: Outcome = { kind: "accepted", status: 200, code: "0", answer: kept }

async function openWithBot(t: TestContext, ask: VaultAsk = {}) {
  const clock = fakeClock()
  const test = await openTestVault({ ...ask, clock })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  const sign = (changes: CallChanges = {}, body: unknown = limitOrder()) =>
    test.sign(token, body, { ...keyed, ...changes })
  const first = async (changes: CallChanges = {}, body?: unknown): Promise<SignedAnswer> => {
    const answer = await sign(changes, body)
    assertSigned(answer)
    assert.equal(answer.repeat, "first")
    return answer
  }
  const passUntil = (nowMs: number): void => clock.pass(nowMs - clock.nowMs())
  return { test, token, sign, first, passUntil }
}

describe("a repeat", () => {
  it("gets the very bytes of the first answer, in the time that they are good", async (t) => {
    const { sign, first, passUntil } = await openWithBot(t)
    const { record, body, expiresAfter } = await first()
    passUntil(expiresAfter)
    const again = await sign()
    assertSigned(again)
    assert.deepEqual([again.record, again.body, again.repeat], [record, body, "perhaps_sent"])
    passUntil(expiresAfter + 1)
    const late = await sign()
    assert.ok(late.kind === "refused")
    assert.equal(late.refusal.code, "idempotency_expired")
    assert.deepEqual(late.refusal.data, { record, state: "expired_unresolved" })
  })

  it("may write the same value in another way: order, white space and validity don't matter", async (t) => {
    const { sign, first } = await openWithBot(t)
    const { body } = await first()
    const turned = Object.fromEntries(Object.entries(limitOrder()).reverse())
    const again = await sign({ expiresIn: "1000" }, JSON.stringify(turned, null, 2))
    assertSigned(again)
    assert.equal(again.body, body)
  })

  it("counts in no limit and takes no nonce", async (t) => {
    const { test, sign, first } = await openWithBot(t, { policies: [limitedPolicy(byCount)] })
    await first()
    const before = await test.vault.ledger.count()
    for (let count = 0; count < 20; count++) assertSigned(await sign())
    assert.equal(await test.vault.ledger.count(), before)
    const [use] = await test.admin.listLimits()
    assert.equal(use?.used, "1")
    for (let count = 2; count <= 10; count++) await sign({ idempotencyKey: `k-${count}` })
    assert.equal(outcomeOf(await sign({ idempotencyKey: "k-11" })), "limit_exhausted")
    assertSigned(await sign())
  })

  it("outlives a restart", async (t) => {
    const { test, token, first } = await openWithBot(t, { keys: "on_disk" })
    const { body } = await first()
    const again = await test.reopen()
    t.after(() => again.close())
    const answer = await again.sign(token, limitOrder(), keyed)
    assertSigned(answer)
    assert.equal(answer.body, body)
  })

  it("of 50 at once is of one request", async (t) => {
    const { test, sign } = await openWithBot(t)
    const answers = await Promise.all(Array.from({ length: 50 }, () => sign()))
    const bodies = answers.map((answer) => {
      assertSigned(answer)
      return answer.body
    })
    assert.equal(new Set(bodies).size, 1)
    const found = await test.bots.records({
      token: await tokenOfOther(test),
      by: "idempotency_key",
      value: "k-1",
    })
    assert.deepEqual(found, { kind: "answer", records: [] }, "another client's is unknown")
  })

  it("binds nothing that was refused", async (t) => {
    const { sign } = await openWithBot(t)
    assert.equal(outcomeOf(await sign({}, limitOrder({ price: "0" }))), "invalid_request")
    assert.equal(outcomeOf(await sign({}, limitOrder())), "signed")
  })
})

async function tokenOfOther(test: TestVault): Promise<string> {
  return test.addClient({ name: "other", keys: ["mm"] })
}

describe("a key that stands for another request", () => {
  let test: TestVault
  let token: string
  let count = 0
  before(async () => {
    test = await openTestVault()
    await test.addKey({ name: "main", role: "wallet" })
    const wallet = test.vault.active().keys.get("main")
    await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    await test.addKey({ name: "second", role: "agent", wallet: "main" })
    for (const name of ["mm", "second"]) {
      await test.admin.setTargets({ name, targets: [wallet?.address ?? ""] })
    }
    token = await test.addClient({ name: "bot", keys: ["mm", "second", "main"], allowTypeB: true })
  })
  after(() => test.remove())
  beforeEach(() => (count += 1))

  for (const [what, changes, body] of [
    ["another body", {}, limitOrder({ quantity: "0.2" })],
    ["another way to write a number", {}, limitOrder({ quantity: "0.10" })],
    ["a field more", {}, limitOrder({ client_order_id: "q-1" })],
    ["another key", { key: "second" }, limitOrder()],
    ["another purpose", { purpose: "forward" }, limitOrder()],
    ["another path", { path: cancelPath }, { order_id: "1" }],
  ] as const) {
    it(`is refused for ${what}`, async () => {
      const idempotencyKey = `k-${count}`
      const first = await test.sign(token, limitOrder(), { idempotencyKey })
      assertSigned(first)
      const before = await test.vault.ledger.count()
      const other = await test.sign(token, body, { ...changes, idempotencyKey })
      assert.ok(other.kind === "refused")
      assert.equal(other.refusal.code, "idempotency_conflict")
      assert.deepEqual(other.refusal.data, { record: first.record })
      assert.ok((await test.vault.ledger.count()) <= before + 1)
      assertSigned(await test.sign(token, limitOrder(), { idempotencyKey }))
    })
  }

  it("is refused for an account operation of the same name, and repeats one", async () => {
    const { keys } = test.vault.active()
    const ask = approval(keys.get("mm")?.address ?? "", keys.get("main")?.address ?? "")
    const asked = { idempotencyKey: "b", path: approvePath, key: "main" }
    const first = await test.sign(token, ask, asked)
    assertSigned(first)
    const again = await test.sign(token, ask, asked)
    assertSigned(again)
    assert.equal(again.body, first.body)
    const other = await test.sign(token, { ...ask, valid_days: 31 }, asked)
    assert.equal(outcomeOf(other), "idempotency_conflict")
  })

  it("is free for another client", async () => {
    const other = await test.addClient({ name: "other", keys: ["mm"] })
    const idempotencyKey = "k-of-both"
    const first = await test.sign(token, limitOrder(), { idempotencyKey })
    const second = await test.sign(other, limitOrder(), { idempotencyKey })
    assertSigned(first)
    assertSigned(second)
    assert.notEqual(first.record, second.record)
  })
})

describe("what is judged anew on a repeat", () => {
  it("is policy: what it denies by now isn't released", async (t) => {
    const { test, sign, first } = await openWithBot(t)
    await first()
    const closed = "policy: closed\nrules: [{name: none, endpoints: [revokeAgent]}]\n"
    await writePolicies(test.installation, [closed])
    await reload(test.vault)
    assert.equal(outcomeOf(await sign()), "policy_denied")
    await writePolicies(test.installation, [permissivePolicy])
    await reload(test.vault)
    assertSigned(await sign())
  })

  it("is the lock", async (t) => {
    const { test, sign, first } = await openWithBot(t, { keys: "on_disk" })
    await first()
    await test.vault.lock("test")
    assert.equal(outcomeOf(await sign()), "locked")
  })

  it("is whether the key has ended and the client is revoked", async (t) => {
    const { test, sign, first } = await openWithBot(t)
    const { record } = await first()
    await test.vault.act({ act: "agent_revoked", name: "mm", record })
    assert.equal(outcomeOf(await sign()), "agent_revoked")
    await test.admin.revokeClient({ name: "bot" })
    assert.equal(outcomeOf(await sign()), "unauthorized")
  })

  it("is what the signature is made from: another reading of the venue is another request", async (t) => {
    const { test, token, first } = await openWithBot(t)
    await first()
    const set = test.vault.active()
    for (const profile of [
      {
        ...set.profile,
        canonicalForm: { ...set.profile.canonicalForm, sort: "top_level" as const },
      },
      { ...set.profile, domain: { ...set.profile.domain, version: "2" } },
    ]) {
      const vault = { ...test.vault, active: () => ({ ...set, profile }) }
      const answer = await signRequest(callOf(token, limitOrder(), keyed), vault)
      assert.equal(outcomeOf(answer), "idempotency_conflict")
    }
  })

  it("isn't a hold whose release the first one used, but is one that came since", async (t) => {
    const held = `policy: held
rules: [{name: all, endpoints: [placeOrder]}]
hold: [{name: large, endpoints: [placeOrder], ttl: 5m}]
`
    const { test, sign } = await openWithBot(t, { policies: [held] })
    assert.equal(outcomeOf(await sign()), "approval_required")
    const [hold] = await test.admin.listHolds()
    await decideAsShown(test, hold?.id ?? "")
    const first = await sign()
    assertSigned(first)
    const again = await sign()
    assertSigned(again)
    assert.equal(again.body, first.body)

    await writePolicies(test.installation, [permissivePolicy])
    await reload(test.vault)
    assertSigned(await sign({ idempotencyKey: "k-2" }, limitOrder({ price: "62000" })))
    await writePolicies(test.installation, [held])
    await reload(test.vault)
    const later = await sign({ idempotencyKey: "k-2" }, limitOrder({ price: "62000" }))
    assert.equal(outcomeOf(later), "approval_required")
    assert.equal((await test.admin.listHolds()).length, 1, "no hold is opened for it")
  })
})

describe("a repeat of what the venue put off", () => {
  const refusal = { kind: "refused", status: 429, code: "10029", answer: kept } as const

  async function heard(t: TestContext, told: Outcome) {
    const opened = await openWithBot(t)
    const { test } = opened
    const set = test.vault.active()
    const profile = { ...set.profile, notProcessedCodes: ["90503"] }
    const vault = { ...test.vault, active: () => ({ ...set, profile }) }
    const { record, body, expiresAfter } = await opened.first(forward)
    const settle = async (outcome: Outcome) => {
      const known = asRequest(await vault.ledger.record(record))
      await settleRecord(known, outcome, vault)
      const { state, outcome: said } = (await recordOf(vault.ledger, record, vault.now())) ?? {}
      return { state, said }
    }
    await settle({ kind: "sent" })
    return { ...opened, record, body, expiresAfter, settle, stand: await settle(told) }
  }

  for (const [status, code, isPutOff] of [
    [429, "10029", true],
    [429, "any", true],
    [503, "90503", true],
    [200, "90503", true],
    [400, "90504", false],
    [428, "10029", false],
    [430, "10029", false],
  ] as const) {
    it(`${isPutOff ? "may be sent, as one that wasn't" : "gets the answer"} after ${status} ${code}`, async (t) => {
      const { sign, body, stand } = await heard(t, { ...refusal, status, code })
      const state = isPutOff ? "signed" : "refused"
      assert.deepEqual(stand, { state, said: { status, code, order: null } })
      const again = await sign(forward)
      if (!isPutOff) {
        assert.equal(again.kind, "answered")
        return
      }
      assertSigned(again)
      assert.deepEqual([again.body, again.repeat], [body, "unsent"])
    })
  }

  it("is accepted in the end, or put off again and again, as the venue says of the last sending", async (t) => {
    const { settle, sign } = await heard(t, refusal)
    for (const told of [refusal, refusal, accepted]) {
      assertSigned(await sign(forward))
      assert.equal((await settle({ kind: "sent" })).state, "sent")
      await settle(told)
    }
    assert.deepEqual(await settle(refusal), {
      state: "accepted",
      said: { status: 200, code: "0", order: null },
    })
    assert.equal((await sign(forward)).kind, "answered")
  })

  it("stays in doubt where an earlier sending is", async (t) => {
    const { settle, sign, stand } = await heard(t, { kind: "unknown", status: null })
    assert.equal(stand.state, "unknown")
    await settle({ kind: "sent" })
    assert.equal((await settle({ ...refusal, again: true })).state, "unknown")
    assert.equal((await settle(refusal)).state, "unknown")
    const again = await sign(forward)
    assertSigned(again)
    assert.equal(again.repeat, "perhaps_sent")
  })

  it("keeps its room, for it may be accepted yet, and its nonce", async (t) => {
    const policies = [limitedPolicy(byCount)]
    const { test, token, first } = await openWithBot(t, { policies })
    const { record } = await first(forward)
    for (const outcome of [{ kind: "sent" }, refusal] as const) {
      await test.bots.report({ token, record, outcome })
    }
    const [use] = await test.admin.listLimits()
    assert.equal(use?.used, "1")
  })

  it("is told once it has expired why, and that a new key may be used", async (t) => {
    const { sign, record, expiresAfter, passUntil } = await heard(t, refusal)
    passUntil(expiresAfter)
    assertSigned(await sign(forward))
    passUntil(expiresAfter + 1)
    const late = await sign(forward)
    assert.ok(late.kind === "refused" && late.refusal.code === "idempotency_expired")
    const venue = { status: 429, code: "10029" }
    assert.deepEqual(late.refusal.data, { record, state: "signed", venue })
    assert.match(late.refusal.message, /for its pace.*under a new key/)
  })

  it("is over where nothing can ask for it again: a request without a key", async (t) => {
    const { test, token } = await openWithBot(t)
    const answer = await test.sign(token, limitOrder(), forward)
    assertSigned(answer)
    for (const outcome of [{ kind: "sent" }, refusal] as const) {
      await test.bots.report({ token, record: answer.record, outcome })
    }
    const found = await recordOf(test.vault.ledger, answer.record, test.vault.now())
    assert.equal(found?.state, "refused")
  })
})

describe("a repeat whose answer is known", () => {
  async function answered(t: TestContext, outcome: Outcome = accepted, order = limitOrder()) {
    const opened = await openWithBot(t)
    const { record, expiresAfter, body } = await opened.first(forward, order)
    await opened.test.bots.report({ token: opened.token, record, outcome: { kind: "sent" } })
    await opened.test.bots.report({ token: opened.token, record, outcome })
    return { ...opened, record, expiresAfter, body }
  }

  it("gets it, also after its request has expired and whatever policy says by now", async (t) => {
    const { test, sign, record, expiresAfter, passUntil } = await answered(t)
    const expected = { kind: "answered", record, answer: { ...kept, status: 200 } }
    assert.deepEqual(await sign(forward), expected)
    await test.vault.lock("test").catch(() => undefined) // keys in memory alone stay
    passUntil(expiresAfter + 1)
    assert.deepEqual(await sign(forward), expected)
    const other = await sign(forward, limitOrder({ quantity: "0.2" }))
    assert.equal(outcomeOf(other), "idempotency_conflict")
  })

  it("is told the state where the answer was too long to be kept", async (t) => {
    const unkept: Outcome = { kind: "accepted", status: 200, code: "0" }
    const order = limitOrder({ client_order_id: "q-1" })
    const { sign, record, body } = await answered(t, unkept, order)
    const answer = await sign(forward, order)
    assert.ok(answer.kind === "refused")
    assert.equal(answer.refusal.code, "already_accepted")
    const { nonce, expires_after, signature, signer_address } = JSON.parse(body) as {
      readonly [name: string]: unknown
      readonly signature: { readonly r: string; readonly s: string; readonly v: 27 | 28 }
    }
    const { signing_hash, ...others } = answer.refusal.data
    assert.deepEqual(others, { record, nonce, expires_after, client_order_id: "q-1" })
    assert.equal(recoverAddress(signing_hash, signature), signer_address)
    assert.match(answer.refusal.message, /isn't kept here/)
  })

  it("is told the state where the refusal was too long to be kept", async (t) => {
    const { sign, record } = await answered(t, { kind: "refused", status: 400, code: "10001" })
    const answer = await sign(forward)
    assert.ok(answer.kind === "refused" && answer.refusal.code === "idempotency_expired")
    assert.deepEqual(answer.refusal.data, { record, state: "refused" })
  })

  it("is signed again while the outcome is unknown, and no longer once it has expired", async (t) => {
    const { sign, expiresAfter, passUntil } = await answered(t, { kind: "unknown", status: null })
    const again = await sign(forward)
    assertSigned(again)
    assert.equal(again.repeat, "perhaps_sent")
    passUntil(expiresAfter + 1)
    const late = await sign(forward)
    assert.ok(late.kind === "refused" && late.refusal.code === "idempotency_expired")
    assert.equal(late.refusal.data.state, "unknown")
  })

  it("is accepted when a nonce that was sent before is refused as used, where its code is known", async (t) => {
    const { test, first } = await openWithBot(t)
    const { record } = await first(forward)
    const set = test.vault.active()
    const profile = { ...set.profile, duplicateNonceCode: "10012" }
    const vault = { ...test.vault, active: () => ({ ...set, profile }) }
    const stateAfter = async (code: string, again?: true): Promise<string | undefined> => {
      const known = asRequest(await vault.ledger.record(record))
      await settleRecord(known, { kind: "refused", status: 400, code, again }, vault)
      return (await recordOf(vault.ledger, record, vault.now()))?.state
    }
    assert.equal(await stateAfter("10001", true), "unknown")
    assert.equal(await stateAfter("10012"), "unknown")
    assert.equal(await stateAfter("10012", true), "accepted")
  })

  it("knows that nothing left where the gate said so", async (t) => {
    const { sign, first, test, token } = await openWithBot(t)
    const { record } = await first(forward)
    await test.bots.report({ token, record, outcome: { kind: "unsent" } })
    const again = await sign(forward)
    assertSigned(again)
    assert.equal(again.repeat, "unsent")
  })

  it("is kept of requests with a key alone", async (t) => {
    const { test, token } = await openWithBot(t)
    const answer = await test.sign(token, limitOrder(), forward)
    assertSigned(answer)
    assert.equal(answer.repeat, undefined)
    await test.bots.report({ token, record: answer.record, outcome: accepted })
    const page = await recordOf(test.vault.ledger, answer.record, test.vault.now())
    assert.deepEqual([page?.state, page?.idempotency_key], ["accepted", null])
  })
})

describe("a client whose orders are known by their client_order_id", () => {
  async function open(t: TestContext) {
    const test = await openTestVault({ venue: venueWithOpenCancels() })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const ask = { name: "bot", keys: ["mm"], idempotencyBy: "client_order_id" } as const
    const token = await test.addClient(ask)
    return { test, token, order: limitOrder({ client_order_id: "q-1" }) }
  }

  it("gets one order of the same bytes, and no other with that id", async (t) => {
    const { test, token, order } = await open(t)
    const first = await test.sign(token, order)
    const again = await test.sign(token, order)
    assertSigned(first)
    assertSigned(again)
    assert.equal(again.body, first.body)
    const other = await test.sign(token, { ...order, quantity: "0.2" })
    assert.equal(outcomeOf(other), "idempotency_conflict")
    assert.equal(test.vault.active().clients[0]?.idempotency_by, "client_order_id")
  })

  it("of 50 at once gets one", async (t) => {
    const { test, token, order } = await open(t)
    const answers = await Promise.all(Array.from({ length: 50 }, () => test.sign(token, order)))
    assert.equal(new Set(answers.map((answer) => answer.record)).size, 1)
  })

  it("may still send the header, which is another key than the same word as an id", async (t) => {
    const { test, token, order } = await open(t)
    const byId = await test.sign(token, order)
    const byHeader = await test.sign(token, order, { idempotencyKey: "q-1" })
    assertSigned(byId)
    assertSigned(byHeader)
    assert.notEqual(byHeader.record, byId.record)
  })

  it("sends orders without an id, and other requests, as often as it likes", async (t) => {
    const { test, token } = await open(t)
    for (const body of [limitOrder(), limitOrder()]) assertSigned(await test.sign(token, body))
    const cancel = { client_order_id: "q-1" }
    for (let count = 0; count < 2; count++) {
      const answer = await test.sign(token, cancel, { path: cancelPath })
      assertSigned(answer)
      assert.equal(answer.repeat, undefined)
    }
  })
})

describe("looking for one's own records", () => {
  it("finds them by key and by order", async (t) => {
    const { test, token, first, sign } = await openWithBot(t)
    const { record } = await first()
    const order = await sign({ idempotencyKey: "k-2" }, limitOrder({ client_order_id: "q-1" }))
    const found = await test.bots.records({ token, by: "idempotency_key", value: "k-1" })
    assert.ok(found.kind === "answer")
    assert.deepEqual(
      found.records.map(({ id, idempotency_key: key }) => [id, key]),
      [[record, "k-1"]],
    )
    const byOrder = await test.bots.records({ token, by: "client_order_id", value: "q-1" })
    assert.ok(byOrder.kind === "answer")
    assert.deepEqual(
      byOrder.records.map(({ id, client_order_id: id2 }) => [id, id2]),
      [[order.record, "q-1"]],
    )
  })

  it("needs a token", async (t) => {
    const { test } = await openWithBot(t)
    const ask = { token: "cs_x", by: "idempotency_key", value: "k-1" } as const
    assert.equal(outcomeOf(await test.bots.records(ask)), "unauthorized")
  })
})
