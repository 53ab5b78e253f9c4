import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { pathsOf } from "../../src/vault/config/installation.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  type CallChanges,
  type TestVault,
} from "../support/open-test-vault.ts"
import { readLedger } from "../support/read-ledger.ts"

const keyed: CallChanges = { idempotencyKey: "the-only-one", purpose: "forward" }

async function open(t: TestContext) {
  const test = await openTestVault({ keys: "on_disk" })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  return { test, token: await test.addClient({ name: "bot", keys: ["mm"] }) }
}

/** What was signed, as the ledger has it once the vault is closed. */
async function requestsOf(test: TestVault) {
  await test.close()
  return readLedger(pathsOf(test.installation).ledgerFile).filter(({ kind }) => kind === "request")
}

describe("one idempotency key", () => {
  it("signs one of 200 orders that come with it at once, whichever it is", async (t) => {
    const { test, token } = await open(t)
    const asks = Array.from({ length: 200 }, (_, index) =>
      test.sign(token, limitOrder({ price: `${60_000 + (index % 4)}` }), keyed),
    )
    const answers = await Promise.all(asks)
    const texts = answers.flatMap((answer) => (answer.kind === "answer" ? [answer.body] : []))
    assert.deepEqual([texts.length, new Set(texts).size], [50, 1])
    const others = answers.filter(({ kind }) => kind === "refused").map(outcomeOf)
    assert.deepEqual([others.length, new Set(others)], [150, new Set(["idempotency_conflict"])])
    assert.equal((await requestsOf(test)).length, 1)
  })

  it("signs no second one across restarts and words of a gate", async (t) => {
    const { test, token } = await open(t)
    const first = await test.sign(token, limitOrder(), keyed)
    assertSigned(first)
    let again = test
    for (const outcome of [
      { kind: "unsent" },
      { kind: "sent" },
      { kind: "unsent", withdrawn: true },
      { kind: "unknown", status: null },
      { kind: "refused", status: 400, code: "10012", again: true },
    ] as const) {
      await again.bots.report({ token, record: first.record, outcome })
      again = await again.reopen()
      t.after(() => again.close())
      const answer = await again.sign(token, limitOrder(), keyed)
      assertSigned(answer)
      assert.equal(answer.body, first.body)
      const other = await again.sign(token, limitOrder({ quantity: "0.2" }), keyed)
      assert.equal(outcomeOf(other), "idempotency_conflict")
    }
    assert.equal((await requestsOf(again)).length, 1)
  })

  it("of another client tells nothing and takes nothing from this one", async (t) => {
    const { test, token } = await open(t)
    const other = await test.addClient({ name: "other", keys: ["mm"] })
    const own = await test.sign(token, limitOrder(), keyed)
    const foreign = await test.sign(other, limitOrder({ quantity: "0.2" }), keyed)
    assertSigned(own)
    assertSigned(foreign)
    assert.notEqual(foreign.record, own.record)
    const found = await test.bots.records({
      ...{ token: other, by: "idempotency_key", value: "the-only-one" },
    })
    assert.ok(found.kind === "answer")
    assert.deepEqual(
      found.records.map(({ id }) => id),
      [foreign.record],
    )
  })

  it("gives no room back in a limit twice, nor after a second sending", async (t) => {
    const policy = `policy: limited
rules: [{name: all, endpoints: [placeOrder]}]
limits: [{name: one, endpoints: [placeOrder], count: requests, window: 1h, max: 1, release: refused}]
`
    const test = await openTestVault({ policies: [policy] })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    const first = await test.sign(token, limitOrder(), keyed)
    assertSigned(first)
    for (const outcome of [
      { kind: "sent" },
      { kind: "sent" },
      { kind: "refused", status: 400, code: "10001" },
    ] as const) {
      await test.bots.report({ token, record: first.record, outcome })
    }
    assertSigned(await test.sign(token, limitOrder(), keyed))
    const next = await test.sign(token, limitOrder(), { ...keyed, idempotencyKey: "next" })
    assert.equal(outcomeOf(next), "limit_exhausted")
  })
})
