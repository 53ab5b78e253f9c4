import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { BotResults } from "../../../../src/link/calls/methods.ts"
import { reload } from "../../../../src/vault/operator/files-in-force.ts"
import { askBatch, inBatch, resultsOf } from "../../../support/batch.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  writePolicies,
  type CallChanges,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"

/** Allows orders and cancels, with more lines of the file. */
const policy = (...lines: readonly string[]) =>
  ["policy: own", ...lines, "rules: [{name: all, endpoints: [placeOrder, cancelOrder]}]"].join("\n")

/** The reason of a denial, or else the outcome. */
function reasonOf(answer: BotResults["sign"]): string {
  const isDenied = answer.kind === "refused" && answer.refusal.code === "policy_denied"
  return isDenied ? answer.refusal.data.reason : outcomeOf(answer)
}

async function openWithBot(t: TestContext, ask: VaultAsk) {
  const test = await openTestVault(ask)
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  return { test, token }
}

describe("require_idempotency", () => {
  const policies = [policy("require_idempotency: true")]

  it("signs what has a key, a cancel too, and nothing without", async (t) => {
    const { test, token } = await openWithBot(t, { policies })
    const cancel = [{ order_id: "1" }, { path: cancelPath }] as const
    for (const [body, changes] of [[limitOrder(), {}] as const, cancel]) {
      const ask = async (more: CallChanges) =>
        outcomeOf(await test.sign(token, body, { ...changes, ...more }))
      assert.equal(await ask({}), "policy_denied")
      assert.equal(await ask({ idempotencyKey: `k-${Object.keys(changes).length}` }), "signed")
    }
  })

  it("asks for the key of each request of a batch", async (t) => {
    const { test, token } = await openWithBot(t, { policies })
    const requests = [inBatch(), inBatch(limitOrder(), { idempotency_key: "k-1" })]
    const answers = resultsOf(await askBatch(test, token, requests))
    assert.deepEqual(answers.map(reasonOf), ["idempotency_key_required", "signed"])
  })

  it("is told by /check of the same call alike", async (t) => {
    const { test, token } = await openWithBot(t, { policies })
    const reasonOf = (changes: CallChanges) => {
      const checked = test.check(token, limitOrder(), changes)
      assert.equal(checked.kind, "answer")
      const { refusal } = checked.report
      return refusal?.code === "policy_denied" ? refusal.data.reason : refusal
    }
    assert.equal(reasonOf({}), "idempotency_key_required")
    assert.equal(reasonOf({ idempotencyKey: "k" }), null)
  })

  it("takes the client_order_id of a client whose orders are known by it", async (t) => {
    const { test } = await openWithBot(t, { policies })
    const named = { name: "named", keys: ["mm"], idempotencyBy: "client_order_id" } as const
    const token = await test.addClient(named)
    const outcome = async (changes: Record<string, unknown>) =>
      outcomeOf(await test.sign(token, limitOrder(changes)))
    assert.equal(await outcome({ client_order_id: "q-1" }), "signed")
    assert.equal(await outcome({}), "policy_denied")
  })
})

describe("repeat_within", () => {
  const policies = [policy("repeat_within: 5s")]

  async function openAt(t: TestContext) {
    const clock = fakeClock()
    const { test, token } = await openWithBot(t, { policies, clock })
    const ask = async (changes: Record<string, unknown> = {}, call: CallChanges = {}) =>
      reasonOf(await test.sign(token, limitOrder(changes), call))
    return { clock, test, token, ask }
  }

  it("refuses the same body until just before its time is over, and signs it then", async (t) => {
    const { clock, ask } = await openAt(t)
    assert.equal(await ask(), "signed")
    clock.pass(4_999)
    assert.equal(await ask(), "repeated_within")
    clock.pass(1)
    assert.equal(await ask(), "signed", "a refusal begins nothing anew")
    assert.equal(await ask(), "repeated_within")
  })

  it("says what to do, and where it is written", async (t) => {
    const { test, token } = await openAt(t)
    await test.sign(token, limitOrder())
    const again = await test.sign(token, limitOrder())
    assert.ok(again.kind === "refused")
    assert.equal(
      again.refusal.message,
      "Refused by policy: repeated_within (own/repeat_within, policies/0.yaml:2); the same was signed for this client and key a moment ago. If a second one is meant, send it with an Idempotency-Key.",
    )
    const checked = test.check(token, limitOrder())
    assert.ok(checked.kind === "answer")
    assert.deepEqual(checked.report.refusal, again.refusal)
  })

  it("leaves the client_order_id and the order of keys out, and takes any other change for another order", async (t) => {
    const { test, token, ask } = await openAt(t)
    assert.equal(await ask({ client_order_id: "q-1" }), "signed")
    assert.equal(await ask({ client_order_id: "q-2" }), "repeated_within")
    assert.equal(await ask(), "repeated_within")
    const turned = Object.fromEntries(Object.entries(limitOrder()).reverse())
    assert.equal(reasonOf(await test.sign(token, turned)), "repeated_within")
    assert.equal(await ask({ price: "62000" }), "signed")
  })

  it("takes the same body with an idempotency key, and remembers that one too", async (t) => {
    const { ask } = await openAt(t)
    assert.equal(await ask({}, { idempotencyKey: "k-1" }), "signed")
    assert.equal(await ask(), "repeated_within")
    assert.equal(await ask({}, { idempotencyKey: "k-2" }), "signed")
    assert.equal(
      await ask({}, { idempotencyKey: "k-1" }),
      "signed",
      "a repeat of a key is no second",
    )
  })

  it("lets cancels come again", async (t) => {
    const { test, token } = await openAt(t)
    const cancel = () => test.sign(token, { order_id: "1" }, { path: cancelPath })
    assert.deepEqual([reasonOf(await cancel()), reasonOf(await cancel())], ["signed", "signed"])
  })

  it("is for each client and each key by itself", async (t) => {
    const { test, ask } = await openAt(t)
    await test.addKey({ name: "other", role: "agent" })
    const second = await test.addClient({ name: "second", keys: ["mm", "other"] })
    assert.equal(await ask(), "signed")
    for (const key of ["mm", "other"]) {
      assert.equal(reasonOf(await test.sign(second, limitOrder(), { key })), "signed", key)
      assert.equal(reasonOf(await test.sign(second, limitOrder(), { key })), "repeated_within", key)
    }
  })

  it("remembers nothing of what was refused", async (t) => {
    const { test, ask } = await openAt(t)
    await writePolicies(test.installation, [
      `${policies[0] ?? ""}\ndeny: [{name: no, sides: [buy]}]`,
    ])
    await reload(test.vault)
    assert.equal(await ask(), "denied_by_rule")
    await writePolicies(test.installation, policies)
    await reload(test.vault)
    assert.equal(await ask(), "signed")
  })

  it("holds among requests of one batch, and among requests that come at once", async (t) => {
    const { test, token } = await openAt(t)
    const answers = await Promise.all([1, 2, 3].map(() => test.sign(token, limitOrder())))
    assert.deepEqual(answers.map(reasonOf).sort(), ["repeated_within", "repeated_within", "signed"])
    const other = limitOrder({ price: "61999" })
    const batch = await askBatch(test, token, [inBatch(other), inBatch(other)])
    assert.deepEqual(resultsOf(batch).map(reasonOf), ["signed", "repeated_within"])
  })

  it("holds over a restart, and from a reload on for what was signed before it", async (t) => {
    const open = await openTestVault({ policies: [policy()], keys: "on_disk" })
    t.after(() => open.remove())
    await open.addKey({ name: "mm", role: "agent" })
    const token = await open.addClient({ name: "bot", keys: ["mm"] })
    assert.equal(reasonOf(await open.sign(token, limitOrder())), "signed")
    assert.equal(reasonOf(await open.sign(token, limitOrder())), "signed")
    await writePolicies(open.installation, [policy("repeat_within: 1m")])
    await reload(open.vault)
    assert.equal(reasonOf(await open.sign(token, limitOrder())), "repeated_within")
    const again = await open.reopen()
    t.after(() => again.close())
    assert.equal(reasonOf(await again.sign(token, limitOrder())), "repeated_within")
    assert.equal(reasonOf(await again.sign(token, limitOrder({ price: "61000" }))), "signed")
  })
})
