import { describe, it, type TestContext } from "node:test"

import { adminMethods } from "../../../src/vault/admin-methods.ts"
import { pathsOf } from "../../../src/vault/config/installation.ts"
import { reload } from "../../../src/vault/operator/files-in-force.ts"
import type { Vault } from "../../../src/vault/vault.ts"
import { decideAsShown } from "../../support/a-word.ts"
import { fakeClock, ledgerTime } from "../../support/fake-clock.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  readBody,
  writePolicies,
  type CallChanges,
  type TestVault,
  type VaultAsk,
} from "../../support/open-test-vault.ts"
import { readLedger } from "../../support/read-ledger.ts"

import assert from "node:assert/strict"

function policyWith(lines = ""): string {
  return `policy: held
rules: [{name: all, endpoints: [placeOrder, placeBatch, cancelOrder, cancelAll]}]
hold:
  - {name: large, endpoints: [placeOrder, placeBatch], ttl: 5s}
${lines}`
}

type Waiting = {
  readonly test: TestVault
  readonly token: string
  /** The token of another client of the same key. */
  readonly other: string
  readonly address: string
  /** Asks for an order that is held. */
  readonly ask: (changes?: CallChanges, body?: object) => ReturnType<TestVault["sign"]>
}

async function openHolding(
  t: TestContext,
  { lines = "", ...ask }: { readonly lines?: string } & Pick<VaultAsk, "keys" | "clock"> = {},
): Promise<Waiting> {
  const test = await openTestVault({ policies: [policyWith(lines)], ...ask })
  t.after(() => test.remove())
  const { address } = await test.addKey({ name: "mm", role: "agent" })
  await test.addKey({ name: "second", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm", "second"] })
  const other = await test.addClient({ name: "other", keys: ["mm"] })
  return {
    test,
    token,
    other,
    address,
    ask: (changes = {}, body = limitOrder()) => test.sign(changes.token ?? token, body, changes),
  }
}

/** The hold that a refusal tells of. */
function holdOf(answer: Awaited<ReturnType<TestVault["sign"]>>): string {
  assert.ok(answer.kind === "refused", "it was signed")
  assert.equal(answer.refusal.code, "approval_required")
  return (answer.refusal.data as { hold: string }).hold
}

async function states({ admin }: TestVault): Promise<readonly string[]> {
  return (await admin.listHolds()).map(({ state }) => state)
}

describe("a held request", () => {
  it("is answered with its hold and when that ends", async (t) => {
    const { test, ask } = await openHolding(t)
    const before = test.vault.now()
    const answer = await ask()
    const id = holdOf(answer)
    assert.match(id, /^hold_[0-9A-Z]{26}$/)
    assert.ok(answer.kind === "refused")
    const { expires_at: expiresAt, ...others } = answer.refusal.data as Record<string, unknown>
    assert.deepEqual(others, { hold: id })
    assert.ok(Number(expiresAt) >= before + 5_000)
    assert.equal(
      answer.refusal.message,
      `A person must release this request (held/large, policies/0.yaml:4): countersign held release ${id}. Then send it again.`,
    )
  })

  it("opens no second hold when it is asked again, alone or many at once", async (t) => {
    const { test, ask } = await openHolding(t)
    const id = holdOf(await ask())
    const again = await Promise.all(Array.from({ length: 50 }, () => ask()))
    assert.deepEqual(new Set(again.map(holdOf)), new Set([id]))
    assert.deepEqual(await states(test), ["pending"])
  })

  it("is shown with its decoded body and what it can cost at worst", async (t) => {
    const { test, ask } = await openHolding(t)
    const body = {
      quantity: "0.10",
      symbol_id: 1,
      order_type: "limit",
      price: "63000",
      is_buy: true,
    }
    const id = holdOf(await ask({}, body))
    const [hold] = await test.admin.listHolds()
    assert.deepEqual(hold, {
      ...{ id, state: "pending", client: "bot", key: "mm", operation: "placeOrder", target: null },
      ...{ policy: "held", rule: "large" },
      body: '{"is_buy":true,"order_type":"limit","price":"63000","quantity":"0.10","symbol_id":1}',
      shape: { kind: "order" },
      worst_case: "one order, up to 6300 USD",
      expires_at: hold?.expires_at,
    })
  })

  for (const [what, changes, says] of [
    ["a sell is worth the reference", { is_buy: false, price: "1" }, "one order, up to 6400 USD"],
    [
      "a market order is worth its slippage",
      { price: undefined, order_type: "market", market_order_type: "base", slippage: "0.01" },
      "one order, up to 6464 USD",
    ],
    [
      "one of an unknown symbol can't be sized",
      { symbol_id: 99, is_buy: false },
      "one order, more than 0 quote units: 1 can't be sized",
    ],
  ] as const) {
    it(`shows that ${what}`, async (t) => {
      const { test, ask } = await openHolding(t)
      holdOf(await ask({}, limitOrder(changes)))
      assert.equal((await test.admin.listHolds())[0]?.worst_case, says)
    })
  }

  it("shows the sum of a batch", async (t) => {
    const { test, ask } = await openHolding(t)
    const orders = [limitOrder(), limitOrder({ price: "10", quantity: "2" })]
    holdOf(await ask({ path: "/v1/trade/orders/batch" }, { orders }))
    const [hold] = await test.admin.listHolds()
    assert.equal(hold?.worst_case, "2 orders, up to 6320 USD")
  })

  it("isn't opened for what no hold matches, or what policy denies anyway", async (t) => {
    const { test, ask } = await openHolding(t, {
      lines: "deny: [{name: no, symbols: [ETH-PERP]}]\n",
    })
    assertSigned(await ask({ path: "/v1/trade/orders/cancel" }, { order_id: "1" }))
    assert.equal(outcomeOf(await ask({}, limitOrder({ symbol_id: 2 }))), "policy_denied")
    assert.deepEqual(await test.admin.listHolds(), [])
  })

  it("isn't opened by checking, which says that it would be held", async (t) => {
    const { test, token } = await openHolding(t)
    const checked = test.check(token, limitOrder())
    assert.ok(checked.kind === "answer")
    assert.equal(checked.report.would_sign, false)
    assert.equal(checked.report.refusal?.code, "approval_required")
    assert.deepEqual(
      checked.report.verdicts.map(({ verdict }) => verdict),
      ["allows", "holds"],
    )
    assert.deepEqual(await test.admin.listHolds(), [])
  })
})

describe("a release", () => {
  it("lets the very same request be signed once, with a nonce of that moment, then it is held anew", async (t) => {
    const { test, token, ask } = await openHolding(t)
    const first = holdOf(await ask())
    const released = await decideAsShown(test, first)
    assert.deepEqual([released.id, released.state], [first, "released"])
    const checked = test.check(token, limitOrder())
    assert.ok(checked.kind === "answer" && checked.report.would_sign)

    const releasedAtMs = test.vault.now()
    const signed = await ask()
    assertSigned(signed)
    assert.ok(Number(readBody(signed)["nonce"]) >= releasedAtMs)
    const second = holdOf(await ask())
    assert.notEqual(second, first)
    assert.deepEqual(await states(test), ["pending", "used"])

    await test.close()
    const rows = readLedger(pathsOf(test.installation).ledgerFile)
    const requests = rows.filter(({ kind }) => kind === "request")
    assert.deepEqual(
      requests.map(({ row }) => row["release"]),
      [first],
    )
  })

  it("is used by one of many that ask at once", async (t) => {
    const { test, ask } = await openHolding(t)
    await decideAsShown(test, holdOf(await ask()))
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask()))
    assert.equal(answers.filter(({ kind }) => kind === "answer").length, 1)
    assert.deepEqual(await states(test), ["pending", "used"])
  })

  it("is for the request whose body reads the same, however it is written", async (t) => {
    const { test, token, ask } = await openHolding(t)
    await decideAsShown(test, holdOf(await ask()))
    const reversed = Object.fromEntries(Object.entries(limitOrder()).reverse())
    assertSigned(await test.sign(token, JSON.stringify(reversed, null, 2)))
    assert.deepEqual(await states(test), ["used"])
  })

  for (const [what, differing] of [
    ["another body", { body: limitOrder({ quantity: "0.10" }) }],
    ["a body with more in it", { body: limitOrder({ client_order_id: "a" }) }],
    ["another key", { changes: { key: "second" } }],
    ["another client", { changes: { token: "other" } }],
    ["another target", { body: limitOrder({ target_address: "own" }) }],
    [
      "another operation",
      { changes: { path: "/v1/trade/orders/batch" }, body: { orders: [limitOrder()] } },
    ],
  ] as const satisfies readonly (readonly [string, Differing])[]) {
    it(`is of no use to ${what}`, async (t) => {
      const { test, token, other, address, ask } = await openHolding(t)
      const id = holdOf(await ask())
      await decideAsShown(test, id)
      const { changes = {}, body = limitOrder() }: Differing = differing
      const sent = "target_address" in body ? { ...body, target_address: address } : body
      const asks = { ...changes, token: changes.token === "other" ? other : token }
      assert.notEqual(holdOf(await ask(asks, sent)), id)
      assert.deepEqual(await states(test), ["pending", "released"])
      assertSigned(await ask())
    })
  }

  it("is used up for good, also after a restart", async (t) => {
    const { test, token, ask } = await openHolding(t, { keys: "on_disk" })
    await decideAsShown(test, holdOf(await ask()))
    const again = await test.reopen()
    t.after(() => again.remove())
    assertSigned(await again.sign(token, limitOrder()))
    const third = await again.reopen()
    t.after(() => third.remove())
    holdOf(await third.sign(token, limitOrder()))
    assert.deepEqual(await states(third), ["pending", "used"])
  })

  it("isn't given twice, nor to a hold that isn't there", async (t) => {
    const { test, ask } = await openHolding(t)
    const id = holdOf(await ask())
    const release = (hold: string) => decideAsShown(test, hold)
    await release(id)
    await assert.rejects(release(id), { code: "usage", message: /is released already/ })
    await assert.rejects(release("hold_0"), { code: "name_unknown" })
  })

  for (const { beforeEndMs, says } of [
    { beforeEndMs: 1, says: "can be used until just before the hold ends" },
    { beforeEndMs: 0, says: "ends when the hold does" },
  ]) {
    it(says, async (t) => {
      const clock = fakeClock()
      const { test, ask } = await openHolding(t, { clock })
      const first = await ask()
      const id = holdOf(first)
      assert.ok(first.kind === "refused")
      await decideAsShown(test, id)
      const { expires_at: endMs } = first.refusal.data as { expires_at: number }
      clock.pass(endMs - beforeEndMs - clock.nowMs())
      const answer = await ask()
      if (beforeEndMs > 0) assertSigned(answer)
      else assert.notEqual(holdOf(answer), id)
    })
  }

  it("doesn't keep a hold pending that nobody decided in time", async (t) => {
    const { test, ask } = await openHolding(t)
    const first = await ask()
    assert.ok(first.kind === "refused")
    const { expires_at: endMs } = first.refusal.data as { expires_at: number }
    const stateAt = (nowMs: number) => test.vault.ledger.holds(ledgerTime(nowMs))[0]?.state
    assert.deepEqual([stateAt(endMs - 1), stateAt(endMs)], ["pending", "expired"])
    const late = adminMethods(at(test, endMs))
    const decided = decideAsShown({ ...test, admin: late }, holdOf(first))
    await assert.rejects(decided, { code: "usage", message: /is expired already/ })
  })
})

describe("a hold that a person refuses", () => {
  it("ends, and the request is held anew when it comes again", async (t) => {
    const { test, ask } = await openHolding(t)
    const id = holdOf(await ask())
    const refused = await decideAsShown(test, id, "refused")
    assert.equal(refused.state, "refused")
    assert.notEqual(holdOf(await ask()), id)
    const release = decideAsShown(test, id)
    await assert.rejects(release, { code: "usage", message: /is refused already/ })
  })
})

describe("a released request", () => {
  it("is refused by a deny that was added meanwhile, and signed once it is gone", async (t) => {
    const { test, ask } = await openHolding(t)
    await decideAsShown(test, holdOf(await ask()))
    await writePolicies(test.installation, [policyWith("deny: [{name: no, symbols: [1]}]\n")])
    await reload(test.vault)
    assert.equal(outcomeOf(await ask()), "policy_denied")
    await writePolicies(test.installation, [policyWith()])
    await reload(test.vault)
    assertSigned(await ask())
  })

  it("is refused by a rule that no longer allows it, and by a revoked agent", async (t) => {
    const { test, ask } = await openHolding(t)
    await decideAsShown(test, holdOf(await ask()))
    const rules = "policy: none\nrules: [{name: out, endpoints: [cancelOrder]}]\n"
    await writePolicies(test.installation, [rules])
    await reload(test.vault)
    assert.equal(outcomeOf(await ask()), "policy_denied")
    await writePolicies(test.installation, [policyWith()])
    await reload(test.vault)
    await test.vault.act({ act: "agent_revoked", name: "mm", record: "rec_0" })
    assert.equal(outcomeOf(await ask()), "agent_revoked")
  })

  it("counts in limits, and keeps its release when one has no room", async (t) => {
    const limit = "{name: few, endpoints: [placeOrder], count: requests, window: 2s, max: 1}"
    const clock = fakeClock()
    const { test, ask } = await openHolding(t, { lines: `limits: [${limit}]\n`, clock })
    const other = limitOrder({ client_order_id: "other" })
    for (const body of [limitOrder(), other]) {
      await decideAsShown(test, holdOf(await ask({}, body)))
    }
    assertSigned(await ask())
    const spent = await ask({}, other)
    assert.equal(outcomeOf(spent), "limit_exhausted")
    assert.equal((await test.admin.listLimits())[0]?.used, "1")
    assert.deepEqual(await states(test), ["released", "used"])
    clock.pass(2_000)
    assertSigned(await ask({}, other))
  })
})

type Differing = {
  readonly changes?: { readonly key?: string; readonly token?: string; readonly path?: string }
  readonly body?: Readonly<Record<string, unknown>>
}

/** The vault, its time standing at `nowMs`. */
function at({ vault }: TestVault, nowMs: number): Vault {
  return { ...vault, now: () => ledgerTime(nowMs) }
}
