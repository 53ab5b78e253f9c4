import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { maxFrameBytes } from "../../../src/link/wire.ts"
import type { Refusal } from "../../../src/contract/refusal.ts"
import { version } from "../../../src/std/version.ts"
import { adminMethods } from "../../../src/vault/admin-methods.ts"
import { refusalView } from "../../../src/vault/status/views.ts"
import { decideAsShown } from "../../support/a-word.ts"
import { alarmsIn } from "../../support/facts.ts"
import { byCount, openLimited } from "../../support/limited-vault.ts"
import { limitOrder, openTestVault, type VaultAsk } from "../../support/open-test-vault.ts"
import { ledgerTime } from "../../support/fake-clock.ts"

describe("the admin's status", () => {
  it("has the limits as listLimits tells them, and the last refusals", async (t) => {
    const { test, bots } = await openLimited(t, { limit: byCount })
    const [token = ""] = bots
    await test.sign(token, limitOrder())
    await test.sign(token, limitOrder({ price: "-1" }))
    const { limits, last_refusals: refusals, pid } = await test.admin.status()
    assert.deepEqual(limits, await test.admin.listLimits())
    assert.equal(limits[0]?.used, "1")
    assert.equal(pid, process.pid)
    assert.deepEqual(
      refusals.map(({ client, operation, code, times }) => [client, operation, code, times]),
      [[test.vault.active().clients[0]?.name, "placeOrder", "invalid_request", 1]],
    )
  })

  it("shows five refusals at most", async (t) => {
    const { test } = await openLimited(t, { limit: byCount })
    const nowMs = test.vault.now()
    for (const seconds of [0, 1, 2, 3, 4, 5]) {
      const refusal = { code: "overloaded", message: `No, ${seconds}.`, data: null } as const
      const entry = { client: "bot0", key: null, operation: null, policy_hash: "", refusal }
      test.vault.ledger.note(entry, ledgerTime(nowMs + seconds * 1_000))
    }
    const { last_refusals: refusals } = await test.admin.status()
    assert.deepEqual(
      refusals.map(({ message }) => message),
      ["No, 5.", "No, 4.", "No, 3.", "No, 2.", "No, 1."],
    )
  })
})

const policy = `policy: mm
rules: [{name: all, endpoints: [placeOrder]}]
limits: [{name: daily, sum: submitted_notional, window: 1h, max: "7000"}]
hold: [{name: large, endpoints: [placeOrder], where: [{pointer: /quantity, in: ["0.6"]}], ttl: 5m}]
`

async function openTrading(t: TestContext, ask: VaultAsk = {}) {
  const test = await openTestVault(ask)
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  return { ...test, token: await test.addClient({ name: "bot", keys: ["mm"] }) }
}

describe("whether it signs, as the admin's status tells it", () => {
  it("signs all, with the vault's time and version, where nothing keeps it from that", async (t) => {
    const { admin, vault } = await openTrading(t)
    const { state, at, version: told } = await admin.status()
    const alarms = alarmsIn(vault)
    const all = { signs: "all", words: "signs what policies allow", reasons: [] }
    assert.deepEqual([state, alarms, told], [all, [], version])
    assert.ok(Math.abs(vault.now() - at) < 10_000)
  })

  it("names what keeps it from that, and the alarm", async (t) => {
    const { admin, vault } = await openTrading(t, { keys: "on_disk" })
    await admin.lock()
    const { state } = await admin.status()
    const alarms = alarmsIn(vault)
    assert.equal(state.words, "signs nothing: The keys are locked: none of them is in memory")
    assert.equal(alarms[0]?.name, "not_signing")
  })
})

describe("what the admin's status counts", () => {
  it("is how limits and budgets stand", async (t) => {
    const settings = "budgets: {cancel_reserve: 10%}\n"
    const test = await openTrading(t, { policies: [policy], settings })
    await test.sign(test.token, limitOrder())
    const { limits, budgets, keys } = await test.admin.status()
    assert.deepEqual(
      limits.map(({ limit, used, max }) => [limit, used, max]),
      [["daily", "6300", "7000"]],
    )
    assert.deepEqual(
      alarmsIn(test.vault).map(({ name }) => name),
      ["limit_nearly_spent"],
    )
    assert.deepEqual(budgets, [
      { scope: "ip", address: null, max: 1_200, used: 1, kept_for_cancels: 120, shares: [] },
      {
        scope: "address",
        address: keys[0]?.address,
        max: 2_400,
        used: 1,
        kept_for_cancels: 0,
        shares: [],
      },
    ])
  })

  it("has the hundred limits with the least room, the fullest first", async (t) => {
    const limits = Array.from(
      { length: 101 },
      (_, n) => `  - {name: l${n}, count: requests, window: 1h, max: "${1_000 - n}"}\n`,
    )
    const many = `policy: mm\nrules: [{name: all, endpoints: [placeOrder]}]\nlimits:\n${limits.join("")}`
    const test = await openTrading(t, { policies: [many] })
    await test.sign(test.token, limitOrder())
    const shown = (await test.admin.status()).limits
    assert.equal((await test.admin.listLimits()).length, 101)
    assert.deepEqual([shown.length, shown[0]?.limit, shown.at(-1)?.limit], [100, "l100", "l1"])
  })

  it("has what waits for a person, until it is decided", async (t) => {
    const test = await openTrading(t, { policies: [policy.replace("7000", "9000000")] })
    await test.sign(test.token, limitOrder({ quantity: "0.6" }))
    const [hold, ...others] = (await test.admin.status()).holds
    assert.deepEqual([hold?.client, hold?.state, others], ["bot", "pending", []])
    assert.match(hold?.body ?? "", /"quantity":"0.6"/)
    await decideAsShown(test, hold?.id ?? "", "refused")
    assert.deepEqual((await test.admin.status()).holds, [])
  })

  it("has the first fifty that wait, with those of their bodies that fit a line of the socket whole", async (t) => {
    const { admin, vault } = await openTrading(t)
    const long = "\u6c34".repeat(20_000)
    const hold = {
      ...{ hold: `hold_${"0".repeat(26)}`, state: "pending", decided_by: null, opened_at: 0 },
      ...{ client: "bot", key: "mm", operation: "adjustIsolatedMargin" },
      ...{ target: `0x${"a".repeat(40)}`, policy: "p".repeat(64), rule: "r".repeat(64) },
      ...{ body_hash: "", worst: "w".repeat(500), expires_at: 1 },
    } as const
    const shownOf = async (bodies: readonly string[]) => {
      const holds = () =>
        bodies.map((body) => ({ ...hold, body }) as ReturnType<typeof vault.ledger.holds>[0])
      const own = adminMethods({ ...vault, ledger: { ...vault.ledger, holds } })
      const { holds: shown } = await own.status()
      assert.ok(Buffer.byteLength(JSON.stringify(shown)) < maxFrameBytes - 64 * 1_024)
      return shown
    }
    assert.equal((await shownOf(Array<string>(51).fill(long))).length, 50)
    // With its quotes a body of these fills the room; the next has none, and what is long takes none of others'.
    const most = "x".repeat(48 * 1_024 - 2)
    const shown = await shownOf([long, `${most}x`, most, "{}"])
    assert.deepEqual(
      shown.map(({ body }) => body),
      ["", "", most, ""],
    )
    assert.deepEqual((await admin.status()).holds, [])
  })

  it("has of each budget what is kept for whoever has a share and a key for it, and what that one used", async (t) => {
    const settings = "budgets: {shares: {bot: 40%, gone: 10%}}\n"
    const test = await openTrading(t, { policies: [policy], settings })
    await test.sign(test.token, limitOrder())
    const { budgets } = await test.admin.status()
    assert.deepEqual(
      budgets.map(({ scope, shares }) => [scope, shares]),
      [
        ["ip", [{ client: "bot", kept: 480, used: 1 }]],
        ["address", [{ client: "bot", kept: 960, used: 1 }]],
      ],
    )
  })

  it("has no budgets where they are off", async (t) => {
    const { admin } = await openTrading(t)
    assert.deepEqual((await admin.status()).budgets, [])
  })

  it("is what was allowed, refused and held, each refusal that shares a record too, and how long signing took", async (t) => {
    const test = await openTrading(t, { policies: [policy.replace("7000", "9000000")] })
    await test.sign(test.token, limitOrder())
    await test.sign(test.token, limitOrder({ quantity: "0.6" }))
    for (let n = 0; n < 3; n += 1) await test.sign(test.token, limitOrder({ price: "-1" }))
    const { decided, signing } = await test.admin.status()
    assert.deepEqual(decided, { allowed: 1, refused: 3, held: 1 })
    assert.equal(signing.counts.length, signing.bounds.length + 1)
    assert.equal(
      signing.counts.reduce((sum, count) => sum + count, 0),
      1,
    )
  })
})

describe("a refusal as the operator sees it", () => {
  const denial = {
    policy: "desk",
    rule: "quote",
    reason: "max_quantity",
    file: null,
    line: null,
    asked: null,
    allowed: null,
  }
  const spent = {
    policy: "desk",
    limit: "daily",
    max: "1",
    used: "1",
    asked: "1",
    room: "0",
    frees_at: null,
    retry_after_ms: null,
  }
  const cases: readonly (readonly [Refusal, string | null, string | null])[] = [
    [{ code: "policy_denied", message: "No.", data: denial }, "max_quantity", "desk/quote"],
    [
      { code: "policy_denied", message: "No.", data: { ...denial, rule: null } },
      "max_quantity",
      "desk",
    ],
    [
      { code: "policy_denied", message: "No.", data: { ...denial, policy: null, rule: null } },
      "max_quantity",
      null,
    ],
    [{ code: "limit_exhausted", message: "No.", data: spent }, null, "desk/daily"],
    [{ code: "overloaded", message: "No.", data: null }, null, null],
  ]
  const recorded = {
    ...({ kind: "refusal", id: "rec_1", at_ms: 5 } as const),
    ...{ client: "bot", key: "mm", operation: null, policy_hash: "" },
  }
  for (const [refusal, reason, by] of cases) {
    it(`tells ${reason ?? refusal.code} by ${by ?? "nobody's rule"}`, () => {
      assert.deepEqual(refusalView({ row: { ...recorded, refusal }, repeats: 2 }), {
        record: "rec_1",
        at: 5,
        client: "bot",
        operation: null,
        code: refusal.code,
        reason,
        by,
        message: "No.",
        times: 3,
      })
    })
  }
})
