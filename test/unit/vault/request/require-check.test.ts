import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { Refusal } from "../../../../src/contract/refusal.ts"
import type { BotResults } from "../../../../src/link/calls/methods.ts"
import { askBatch, inBatch, resultsOf } from "../../../support/batch.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import {
  callOf,
  cancelPath,
  checkOf,
  limitOrder,
  openTestVault,
  ordersPath,
  outcomeOf,
  type CallChanges,
  type TestVault,
} from "../../../support/open-test-vault.ts"

/** Allows orders and cancels, with more lines of the file. */
const policy = (...lines: readonly string[]) =>
  ["policy: own", ...lines, "rules: [{name: all, endpoints: [placeOrder, cancelOrder]}]"].join("\n")

const required = policy("require_check: 30s")
const reducing = limitOrder({ flags: ["reduce_only"] })

async function openWithBot(t: TestContext, policies: readonly string[] = [required]) {
  const clock = fakeClock()
  const test = await openTestVault({ policies, clock, keys: "on_disk" })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  await test.addKey({ name: "mm2", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm", "mm2"] })
  return { test, token, clock }
}

/** The record of a check of this. */
async function recorded(
  { bots }: TestVault,
  token: string,
  body: object = limitOrder(),
): Promise<string> {
  const checked = await bots.check({ ...checkOf(callOf(token, body)), shadow: true })
  assert.ok(checked.kind === "answer" && checked.record !== null)
  return checked.record
}

/** What `/check` says of a call that names a check. */
async function saidOf(
  { bots }: TestVault,
  token: string,
  { body = limitOrder(), ...changes }: Omit<CallChanges, "body"> & { readonly body?: object },
): Promise<Refusal | null> {
  const checked = await bots.check(checkOf(callOf(token, body, changes)))
  assert.ok(checked.kind === "answer")
  return checked.report.refusal
}

function refusalOf(answer: BotResults["sign"]): Refusal {
  assert.ok(answer.kind === "refused", outcomeOf(answer))
  return answer.refusal
}

describe("require_check", () => {
  it("refuses what opens without a check, and tells how to make one", async (t) => {
    const { test, token } = await openWithBot(t)
    const refusal = refusalOf(await test.sign(token, limitOrder()))
    assert.equal(refusal.code, "check_required")
    assert.deepEqual(refusal.data, {
      policy: "own",
      file: "policies/0.yaml",
      line: 2,
      within_ms: 30_000,
    })
    assert.match(refusal.message, /Countersign-Shadow: 1, .* Countersign-Check: /)
    assert.deepEqual(await saidOf(test, token, {}), refusal)
  })

  it("asks nothing of cancels and of what can only reduce", async (t) => {
    const { test, token } = await openWithBot(t)
    const cancel = await test.sign(token, { order_id: "1" }, { path: cancelPath })
    assert.equal(outcomeOf(cancel), "signed")
    assert.equal(outcomeOf(await test.sign(token, reducing)), "signed")
  })

  it("signs by a check that is as old as it allows, and not by one that is a millisecond older", async (t) => {
    const { test, token, clock } = await openWithBot(t)
    const first = await recorded(test, token)
    const second = await recorded(test, token)
    clock.pass(30_000)
    assert.equal(await saidOf(test, token, { check: first }), null)
    assert.equal(outcomeOf(await test.sign(token, limitOrder(), { check: first })), "signed")
    clock.pass(1)
    const refusal = refusalOf(await test.sign(token, limitOrder(), { check: second }))
    assert.equal(refusal.code, "check_expired")
    assert.deepEqual(refusal.data, { age_ms: 30_001, within_ms: 30_000 })
    assert.deepEqual(await saidOf(test, token, { check: second }), refusal)
  })

  it("goes by the least time of the files that apply", async (t) => {
    const other = "policy: other\nrequire_check: 10s"
    const { test, token, clock } = await openWithBot(t, [required, other])
    const check = await recorded(test, token)
    clock.pass(10_001)
    const refusal = refusalOf(await test.sign(token, limitOrder(), { check }))
    assert.deepEqual(refusal.data, { age_ms: 10_001, within_ms: 10_000 })
  })

  it("takes a check that a policy refused: what is signed is judged anew", async (t) => {
    const { test, token } = await openWithBot(t)
    const check = await recorded(test, token, limitOrder({ quantity: "0.2" }))
    await test.admin.freeze({ scope: "client", name: "bot", reason: "r", cancels: true })
    const answer = await test.sign(token, limitOrder({ quantity: "0.2" }), { check })
    assert.equal(outcomeOf(answer), "frozen")
  })

  it("is satisfied by a recorded check of itself, and by no other check", async (t) => {
    const { test, token } = await openWithBot(t)
    const call = checkOf(callOf(token, limitOrder()))
    const checked = await test.bots.check({ ...call, shadow: true })
    assert.ok(checked.kind === "answer")
    assert.equal(checked.report.refusal, null)
  })

  it("counts the check as an idempotency key", async (t) => {
    const lines = policy("require_idempotency: true", "require_check: 30s")
    const { test, token } = await openWithBot(t, [lines])
    const check = await recorded(test, token)
    assert.equal(outcomeOf(await test.sign(token, limitOrder(), { check })), "signed")
  })
})

describe("a check that is named", () => {
  it("is of the same client, with or without require_check", async (t) => {
    for (const file of [required, policy()]) {
      const { test, token } = await openWithBot(t, [file])
      const check = await recorded(test, token)
      const other = await test.addClient({ name: "other", keys: ["mm"] })
      for (const [whose, named] of [
        [other, check],
        [token, "rec_01M7YJVYGBYE7TZE72SKK8WQAY"],
        [token, "nothing"],
      ] as const) {
        const refusal = refusalOf(await test.sign(whose, limitOrder(), { check: named }))
        assert.equal(refusal.code, "check_unknown")
        assert.deepEqual(await saidOf(test, whose, { check: named }), refusal)
      }
    }
  })

  it("is no request's and no refusal's record", async (t) => {
    const { test, token } = await openWithBot(t, [policy()])
    const signed = await test.sign(token, limitOrder())
    const refused = await test.sign(token, limitOrder(), { key: "nobody" })
    for (const answer of [signed, refused]) {
      assert.ok(answer.record !== null)
      const { code } = refusalOf(await test.sign(token, limitOrder(), { check: answer.record }))
      assert.equal(code, "check_unknown")
    }
  })

  it("is of the same key, operation, target and body, and says which of them isn't", async (t) => {
    const { test, token } = await openWithBot(t, [policy()])
    const check = await recorded(test, token)
    const target = `0x${"11".repeat(20)}`
    await test.admin.setTargets({ name: "mm", targets: [target] })
    for (const [body, changes, differs] of [
      [limitOrder({ quantity: "0.10" }), {}, ["body"]],
      [limitOrder(), { key: "mm2" }, ["key"]],
      [{ ...limitOrder(), target_address: target }, {}, ["target"]],
      [{ order_id: "1" }, { path: cancelPath }, ["operation", "body"]],
    ] as const) {
      const refusal = refusalOf(await test.sign(token, body, { check, ...changes }))
      assert.equal(refusal.code, "check_mismatch")
      assert.deepEqual(refusal.data, { differs })
      assert.deepEqual(await saidOf(test, token, { check, body, ...changes }), refusal)
    }
    const { symbol_id: symbol, ...rest } = limitOrder()
    const reordered = `{ "quantity": "0.1", ${JSON.stringify({ ...rest, symbol_id: symbol }).slice(1)}`
    const same = reordered.replace(/,"quantity":"0.1"/, "")
    assert.equal(outcomeOf(await test.sign(token, same, { check })), "signed")
  })

  it("signs once: the same again is the same record, over a restart", async (t) => {
    const { test, token } = await openWithBot(t)
    const check = await recorded(test, token)
    const first = await test.sign(token, limitOrder(), { check })
    assert.ok(first.kind === "answer")
    assert.equal(first.repeat, "first")
    const again = await test.reopen()
    t.after(() => again.close())
    const repeated = await again.sign(token, limitOrder(), { check })
    assert.ok(repeated.kind === "answer")
    assert.deepEqual([repeated.record, repeated.body], [first.record, first.body])
    assert.equal(await saidOf(again, token, { check }), null)
    const forwarded = await again.sign(token, limitOrder(), { check, purpose: "forward" })
    assert.equal(outcomeOf(forwarded), "idempotency_conflict")
  })

  it("signs the same again while the body is good, however old the check is by then", async (t) => {
    const { test, token, clock } = await openWithBot(t, [policy("require_check: 1s")])
    const check = await recorded(test, token)
    assert.equal(outcomeOf(await test.sign(token, limitOrder(), { check })), "signed")
    clock.pass(10_000)
    assert.equal(await saidOf(test, token, { check }), null)
    assert.equal(outcomeOf(await test.sign(token, limitOrder(), { check })), "signed")
    clock.pass(10_000)
    const late = refusalOf(await test.sign(token, limitOrder(), { check }))
    assert.equal(late.code, "idempotency_expired")
    assert.deepEqual(await saidOf(test, token, { check }), late)
  })

  it("signs nothing more once its key has ended, a day later", async (t) => {
    const { test, token, clock } = await openWithBot(t, [policy()])
    const check = await recorded(test, token)
    assert.equal(outcomeOf(await test.sign(token, limitOrder(), { check })), "signed")
    clock.pass(86_400_001)
    assert.equal(outcomeOf(await test.sign(token, limitOrder(), { check })), "check_unknown")
  })

  it("is refused to another body under the key, as any key is", async (t) => {
    const { test, token } = await openWithBot(t)
    const check = await recorded(test, token)
    await test.sign(token, limitOrder(), { check })
    const body = limitOrder({ quantity: "0.2" })
    const refusal = refusalOf(await test.sign(token, body, { check }))
    assert.equal(refusal.code, "idempotency_conflict")
    assert.deepEqual(await saidOf(test, token, { check, body }), refusal)
  })

  it("signs once of two that come at the same time", async (t) => {
    const { test, token } = await openWithBot(t)
    const check = await recorded(test, token)
    const [one, other] = await Promise.all([
      test.sign(token, limitOrder(), { check }),
      test.sign(token, limitOrder(), { check }),
    ])
    assert.ok(one.kind === "answer" && other.kind === "answer")
    assert.equal(one.record, other.record)
  })

  it("is each request's own in a batch, and once even there", async (t) => {
    const { test, token } = await openWithBot(t)
    const [check, unused] = [await recorded(test, token), await recorded(test, token)]
    const asked = [
      inBatch(limitOrder(), { check }),
      inBatch(limitOrder(), { check }),
      inBatch(),
      inBatch(limitOrder(), { check: unused, idempotency_key: "k" }),
    ]
    const [first, second, ...others] = resultsOf(await askBatch(test, token, asked))
    assert.ok(first?.kind === "answer" && second?.kind === "answer")
    assert.equal(first.record, second.record)
    assert.deepEqual(others.map(outcomeOf), ["check_required", "invalid_request"])
  })

  it("is the key of a client whose orders are known by client_order_id", async (t) => {
    const { test } = await openWithBot(t)
    const ask = { name: "named", keys: ["mm"], idempotencyBy: "client_order_id" } as const
    const token = await test.addClient(ask)
    const body = limitOrder({ client_order_id: "q-1" })
    const [one, other] = [await recorded(test, token, body), await recorded(test, token, body)]
    const first = await test.sign(token, body, { check: one, path: ordersPath })
    const second = await test.sign(token, body, { check: other })
    assert.ok(first.kind === "answer" && second.kind === "answer")
    assert.notEqual(first.record, second.record)
  })
})
