import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { AdminParams } from "../../../src/link/calls/methods.ts"
import { pathsOf } from "../../../src/vault/config/installation.ts"
import { reload } from "../../../src/vault/operator/files-in-force.ts"
import { fakeClock } from "../../support/fake-clock.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  writePolicies,
  type CallChanges,
  type TestVault,
  type VaultAsk,
} from "../../support/open-test-vault.ts"
import { readLedger } from "../../support/read-ledger.ts"

const policy = (large = "", lines = "") => `policy: held
rules: [{name: all, endpoints: [placeOrder, placeBatch, modifyOrder, cancelOrder]}]
hold:
  - {name: large, endpoints: [placeOrder, placeBatch, modifyOrder], over_quantity: "0.1"${large}}
${lines}`

type Grant = NonNullable<AdminParams["decideHold"]["grant"]>

const terms: Grant = { forMs: 60_000, times: 3, upTo: "1" }

const order = (changes: Parameters<typeof limitOrder>[0] = {}) =>
  limitOrder({ quantity: "0.2", ...changes })

async function openGranting(
  t: TestContext,
  { files = policy(), ...ask }: { readonly files?: string } & Pick<VaultAsk, "keys"> = {},
) {
  const clock = fakeClock()
  const time = ask.keys === undefined ? { clock } : {} // a restart has the real clock
  const test = await openTestVault({ policies: [files], ...time, ...ask })
  t.after(() => test.remove())
  const { address } = await test.addKey({ name: "mm", role: "agent" })
  await test.addKey({ name: "second", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm", "second"] })
  const other = await test.addClient({ name: "other", keys: ["mm"] })
  const ask1 = (body: object = order(), changes: CallChanges = {}) =>
    test.sign(changes.token ?? token, body, changes)
  /** Holds an order, and grants it. */
  const grant = async (
    asked: Partial<Grant> = {},
    body: object = order(),
    of: TestVault = test,
  ) => {
    const id = holdOf(await of.sign(token, body))
    await decide(of, id, { ...terms, ...asked })
    return id
  }
  return { test, token, other, address, clock, ask: ask1, grant }
}

function decide({ admin, vault }: TestVault, id: string, grant: Grant) {
  const policy_hash = vault.active().policyHash
  return admin.decideHold({ id, decision: "released", policy_hash, grant })
}

function holdOf(answer: Awaited<ReturnType<TestVault["sign"]>>): string {
  assert.ok(answer.kind === "refused", "it was signed")
  assert.equal(answer.refusal.code, "approval_required")
  return (answer.refusal.data as { hold: string }).hold
}

async function ends({ admin }: TestVault): Promise<readonly (string | null)[]> {
  return (await admin.listGrants()).map(({ ended }) => ended)
}

describe("a grant", () => {
  it("lets the held request and others like it be signed, as often as it says, itself among them", async (t) => {
    const { test, ask, grant } = await openGranting(t)
    const id = await grant({ times: 3 })
    assert.equal((await test.admin.listHolds())[0]?.state, "granted")
    assertSigned(await ask())
    assertSigned(await ask(order({ price: "62000", quantity: "0.3", client_order_id: "a" })))
    assertSigned(await ask())
    assert.deepEqual(await ends(test), ["times"])
    assert.notEqual(holdOf(await ask()), id)
    await test.close()
    const rows = readLedger(pathsOf(test.installation).ledgerFile)
    assert.deepEqual(
      rows
        .filter(({ kind }) => kind === "request")
        .map(({ row }) => [row["grant"], row["release"]]),
      [
        [{ hold: id, times_left: 2, quantity_left: "0.8" }, undefined],
        [{ hold: id, times_left: 1, quantity_left: "0.5" }, undefined],
        [{ hold: id, times_left: 0, quantity_left: "0.3" }, undefined],
      ],
    )
  })

  it("bounds the sum of quantities to the last digit, and keeps what a larger one leaves for a smaller", async (t) => {
    const { test, ask, grant } = await openGranting(t)
    await grant({ upTo: "0.5", times: 10 })
    assertSigned(await ask())
    holdOf(await ask(order({ quantity: "0.30000001" })))
    assertSigned(await ask(order({ quantity: "0.3" })))
    assert.deepEqual(await ends(test), ["quantity"])
    holdOf(await ask(order({ quantity: "0.10000001" })))
  })

  for (const [leftMs, says] of [
    [1, "is used until just before its time is over"],
    [0, "ends when its time is over"],
  ] as const) {
    it(says, async (t) => {
      const { test, ask, grant, clock } = await openGranting(t)
      await grant()
      clock.pass(terms.forMs - leftMs)
      const answer = await ask()
      if (leftMs > 0) assertSigned(answer)
      else holdOf(answer)
      assert.deepEqual(await ends(test), [leftMs > 0 ? null : "time"])
    })
  }

  for (const [what, body, changes] of [
    ["another symbol", order({ symbol_id: 2 }), {}],
    ["another side", order({ is_buy: false }), {}],
    [
      "a market order",
      order({
        order_type: "market",
        price: undefined,
        slippage: "0.01",
        market_order_type: "base",
      }),
      {},
    ],
    ["another time in force", order({ time_in_force: "ioc" }), {}],
    ["a reduce-only order", order({ flags: ["reduce_only"] }), {}],
    ["another key", order(), { key: "second" }],
    ["another client", order(), { token: "other" }],
    ["another target", order({ target_address: "own" }), {}],
    ["a batch", { orders: [order()] }, { path: "/v1/trade/orders/batch" }],
  ] as const satisfies readonly (readonly [string, object, CallChanges])[]) {
    it(`is of no use to ${what}`, async (t) => {
      const { test, other, address, ask, grant } = await openGranting(t)
      await grant()
      const sent = "target_address" in body ? { ...body, target_address: address } : body
      holdOf(await ask(sent, "token" in changes ? { token: other } : changes))
      assert.deepEqual(
        (await test.admin.listGrants()).map((each) => each.times_left),
        [3],
      )
      assertSigned(await ask())
    })
  }

  for (const [what, body, path] of [
    ["a batch", { orders: [order()] }, "/v1/trade/orders/batch"],
    ["a change of an order", { ...order(), order_id: "1" }, "/v1/trade/orders/modify"],
    [
      "an order with a condition",
      order({
        algo_order_type: "conditional",
        conditional: { trigger_price: "1", trigger_by: "mark_price" },
      }),
      undefined,
    ],
  ] as const) {
    it(`isn't given for ${what}, which says why and still waits`, async (t) => {
      const { test, ask } = await openGranting(t)
      const id = holdOf(await ask(body, path === undefined ? {} : { path }))
      await assert.rejects(decide(test, id, terms), {
        code: "usage",
        message: /only released once: only a single order without condition and legs/,
      })
      assert.deepEqual(await test.admin.listGrants(), [])
      assert.equal((await test.admin.listHolds())[0]?.state, "pending")
    })
  }

  for (const [what, files] of [
    ["the entry forbids it", policy(", grants: false")],
    [
      "another entry holds it too",
      policy("", `  - {name: each, endpoints: [placeOrder], ttl: 20m}\n`),
    ],
  ] as const) {
    it(`isn't given where ${what}`, async (t) => {
      const { test, ask } = await openGranting(t, { files })
      const id = holdOf(await ask())
      const message = /held\/large says grants: false, or another entry holds it too/
      await assert.rejects(decide(test, id, terms), { code: "usage", message })
    })
  }

  it("lifts no other entry that holds a later request as well", async (t) => {
    const more = `  - {name: huge, endpoints: [placeOrder], over_quantity: "0.3", ttl: 20m}\n`
    const { ask, grant } = await openGranting(t, { files: policy("", more) })
    await grant()
    holdOf(await ask(order({ quantity: "0.4" })))
    assertSigned(await ask(order({ quantity: "0.3" })))
  })

  it("isn't given for less than the held request asks, and for just that it is", async (t) => {
    const { test, ask } = await openGranting(t)
    const id = holdOf(await ask())
    for (const upTo of ["0.19999", "-1", "much"]) {
      const message = /--up-to must be a decimal, at least what this request asks: 0.2/
      await assert.rejects(decide(test, id, { ...terms, upTo }), { code: "usage", message })
    }
    await decide(test, id, { ...terms, upTo: "0.2" })
    assertSigned(await ask())
  })

  it("comes too late for a hold that was decided or has expired", async (t) => {
    const { test, ask, clock } = await openGranting(t)
    const id = holdOf(await ask())
    await decide(test, id, terms)
    const late = { code: "usage", message: /^Too late: this hold is granted already/ }
    await assert.rejects(decide(test, id, terms), late)
    const next = holdOf(await ask(order({ is_buy: false })))
    clock.pass(15 * 60_000)
    const expired = { code: "usage", message: /^Too late: this hold is expired already/ }
    await assert.rejects(decide(test, next, terms), expired)
  })

  it("gives the last use to one of a hundred that ask at once", async (t) => {
    const { test, ask, grant } = await openGranting(t)
    await grant({ times: 1, upTo: "100" })
    const asks = Array.from({ length: 100 }, (_, place) =>
      ask(order({ client_order_id: `${place}` })),
    )
    const signed = (await Promise.all(asks)).filter(({ kind }) => kind === "answer")
    assert.equal(signed.length, 1)
    assert.deepEqual(await ends(test), ["times"])
  })

  it("lifts the hold alone: a deny, a spent limit and a frozen key refuse as ever, and use nothing of it", async (t) => {
    const limits =
      "limits: [{name: few, endpoints: [placeOrder], count: requests, window: 1h, max: 1}]\n"
    const { test, ask, grant } = await openGranting(t, { files: policy("", limits) })
    await grant()
    assertSigned(await ask())
    assert.equal(outcomeOf(await ask()), "limit_exhausted")
    assert.equal((await test.admin.listGrants())[0]?.times_left, 2)
  })

  it("is what it was after a restart, and what is checked is what is signed", async (t) => {
    const { test, token, grant } = await openGranting(t, { keys: "on_disk" })
    await grant({ times: 2 })
    assertSigned(await test.sign(token, order()))
    const before = await test.admin.listGrants()
    const again = await test.reopen()
    t.after(() => again.remove())
    assert.deepEqual(await again.admin.listGrants(), before)
    const refusal = () => {
      const checked = again.check(token, order())
      assert.ok(checked.kind === "answer")
      return checked.report.refusal?.code ?? null
    }
    assert.equal(refusal(), null)
    assertSigned(await again.sign(token, order()))
    assert.equal(refusal(), "approval_required")
    holdOf(await again.sign(token, order()))
  })
})

describe("a grant ends for good", () => {
  const cases: Readonly<Record<string, (test: TestVault, id: string) => unknown>> = {
    grant_ended: ({ admin }, id) => admin.endGrant({ id }),
    client_token_set: ({ admin }) => admin.rotateToken({ name: "bot" }),
    client_revoked: ({ admin }) => admin.revokeClient({ name: "bot" }),
    agent_revoked: ({ vault }) => vault.act({ act: "agent_revoked", name: "mm", record: "rec_0" }),
    key_removed: ({ vault }) => vault.act({ act: "key_removed", name: "mm" }),
    key_replaced: ({ vault }) => vault.act({ act: "key_replaced", from: "mm", to: "second" }),
    restore_accepted: ({ vault }) =>
      vault.act({ act: "restore_accepted", ledger: "0".repeat(32), signers: [] }),
  }
  for (const [act, happens] of Object.entries(cases)) {
    it(`with ${act}, which is told`, async (t) => {
      const { test, grant } = await openGranting(t)
      const id = await grant()
      await happens(test, id)
      assert.deepEqual(await ends(test), [act])
      const late = { code: "usage", message: new RegExp(`^Too late: .*\\(${act}\\)`) }
      await assert.rejects(test.admin.endGrant({ id }), late)
    })
  }

  for (const [scope, name, isEnd] of [
    ["all", null, true],
    ["client", "bot", true],
    ["key", "mm", true],
    ["client", "other", false],
    ["key", "second", false],
  ] as const) {
    it(`${isEnd ? "with" : "but not with"} a freeze of ${scope} ${name ?? ""}`, async (t) => {
      const { test, ask, grant } = await openGranting(t)
      await grant()
      await test.admin.freeze({ scope, name, reason: "a test", cancels: true })
      assert.deepEqual(await ends(test), [isEnd ? "frozen" : null])
      await test.admin.thaw({ freezes: [...test.vault.active().freezes] })
      const answer = await ask()
      if (isEnd) holdOf(answer)
      else assertSigned(answer)
    })
  }

  it("with other files, and doesn't come back with the first ones", async (t) => {
    const { test, ask, grant } = await openGranting(t)
    await grant()
    await reload(test.vault)
    assert.deepEqual(await ends(test), [null], "the same files end nothing")
    for (const files of [`${policy()}# changed\n`, policy()]) {
      await writePolicies(test.installation, [files])
      await reload(test.vault)
      assert.deepEqual(await ends(test), ["set_activated"])
    }
    holdOf(await ask())
  })

  it("and not with what is done to others", async (t) => {
    const { test, ask, grant } = await openGranting(t)
    await grant()
    await test.admin.rotateToken({ name: "other" })
    await test.admin.revokeClient({ name: "other" })
    await test.vault.act({ act: "agent_revoked", name: "second", record: "rec_0" })
    assert.deepEqual(await ends(test), [null])
    assertSigned(await ask())
  })

  it("and is unknown where there was none", async (t) => {
    const { test } = await openGranting(t)
    await assert.rejects(test.admin.endGrant({ id: "hold_0" }), { code: "name_unknown" })
  })
})

describe("grants", () => {
  it("stay known once they ended, the last fifty beside those that are open", async (t) => {
    const { test, grant } = await openGranting(t)
    const open = await grant()
    const ids: string[] = []
    for (let n = 0; n < 52; n += 1) {
      const id = await grant({}, order({ is_buy: false, price: `${70_000 + n}` }))
      ids.unshift(id)
      if (n < 51) await test.admin.endGrant({ id })
    }
    const [last, ...ended] = ids
    assert.deepEqual(
      (await test.admin.listGrants()).map(({ id }) => id),
      [last, ...ended.slice(0, 50), open],
    )
  })

  it("are open up to a hundred at a time", async (t) => {
    const { test, ask, grant, clock } = await openGranting(t)
    // Each asks for more than the grants before it allow.
    const quantities = Array.from({ length: 100 }, (_, place) => `0.${200 + place}`)
    for (const quantity of quantities) {
      clock.pass(100) // so many holds a second are opened
      await grant({ upTo: quantity }, order({ quantity }))
    }
    const id = holdOf(await ask(order({ is_buy: false })))
    const full = { code: "usage", message: /There are 100 open grants already; end some first/ }
    await assert.rejects(decide(test, id, terms), full)
    const [last] = await test.admin.listGrants()
    assert.ok(last)
    await test.admin.endGrant({ id: last.id })
    await decide(test, id, terms)
  })
})
