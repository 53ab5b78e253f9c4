import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { readEntries } from "../../../../src/commands/console/read-entries.ts"
import { asks, maxEntries, type Entries } from "../../../../src/console/asks.ts"
import { emptyLedger } from "../../../../src/audit/open-ledger.ts"
import { adminOf } from "../../../support/admin-of.ts"
import { cancelPath, limitOrder, openTestVault } from "../../../support/open-test-vault.ts"

const policy = `policy: mm
rules:
  - {name: quote, endpoints: [placeOrder], symbols: [BTC-PERP]}
  - {name: cancel, endpoints: [cancelOrder]}
hold: [{name: large, endpoints: [placeOrder], where: [{pointer: /quantity, in: ["0.6"]}], ttl: 5m}]
`

async function openTrading(t: TestContext) {
  const test = await openTestVault({ policies: [policy] })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  const read = async (
    span: Parameters<typeof readEntries>[1] = {},
    nowMs: number = test.vault.now(),
  ) => asks.entries.answer.parse(await readEntries(adminOf(test), span, nowMs))
  const order = (changes = {}) => test.sign(token, limitOrder(changes))
  return { ...test, token, order, read }
}

const resultsOf = ({ decisions }: Entries) => decisions.map(({ result }) => result)

describe("what the console is told of the ledger", () => {
  it("is what was decided, in words where a body is recorded, the newest first", async (t) => {
    const test = await openTrading(t)
    await test.order()
    await test.sign(test.token, { order_id: "7" }, { path: cancelPath, key: "mm" })
    await test.order({ symbol_id: 2 })
    await test.order({ quantity: "0.6" })
    await test.sign(test.token, "no JSON")
    const { decisions } = await test.read()
    assert.deepEqual(
      decisions.map(({ result, key, asked, by, code, reason }) => [
        ...[result, key, asked, by, code, reason],
      ]),
      [
        ["refused", null, null, null, "invalid_json", "invalid_json"],
        [
          "held",
          null,
          "buy 0.6 BTC-PERP at 63000, limit",
          null,
          "approval_required",
          "approval_required",
        ],
        ["refused", null, null, "mm/quote", "policy_denied", "symbol_not_allowed"],
        ["allowed", "mm", "cancel order 7", "mm/cancel", null, null],
        ["allowed", "mm", "buy 0.1 BTC-PERP at 63000, limit", "mm/quote", null, null],
      ],
    )
    for (const { client, message, result } of decisions) {
      assert.equal(client, "bot")
      assert.equal(message === null, result === "allowed")
    }
  })

  it("has the symbols of what was signed, and those that a refusal names", async (t) => {
    const test = await openTrading(t)
    await test.order()
    await test.order({ symbol_id: 2 })
    const [refused, allowed] = (await test.read()).decisions
    assert.deepEqual(allowed?.symbols, ["BTC-PERP"])
    assert.ok(refused?.symbols.includes("ETH-PERP"), refused?.message ?? "")
  })

  it("goes on after what is known, and before it", async (t) => {
    const test = await openTrading(t)
    await test.order()
    const one = await test.read()
    assert.deepEqual(resultsOf(one), ["allowed"])
    await test.order({ symbol_id: 2 })
    const two = await test.read({ after: one.last })
    assert.deepEqual([resultsOf(two), two.first, two.skipped], [["refused"], one.last + 1, 0])
    const none = await test.read({ after: two.last })
    assert.deepEqual([none.decisions, none.last], [[], two.last])
    const before = await test.read({ before: two.first })
    assert.deepEqual([resultsOf(before), before.last], [["allowed"], one.last])
    assert.ok(before.is_end)
  })

  it("counts refusals that came again for the record of the first", async (t) => {
    const test = await openTrading(t)
    await test.order({ symbol_id: 2 })
    await test.order({ symbol_id: 2 })
    await test.order({ symbol_id: 2 })
    await test.admin.auditCheckpoint()
    const { decisions, repeats } = await test.read()
    const [refused, ...others] = decisions
    assert.deepEqual(others, [])
    assert.deepEqual(
      repeats.map(({ record, count }) => [record, count]),
      [[refused?.record, 2]],
    )
  })

  it("reaches five minutes back, or further where that isn't much", async (t) => {
    const test = await openTrading(t)
    await test.order()
    const muchLater = test.vault.now() + 3_600_000
    assert.deepEqual(resultsOf(await test.read({}, muchLater)), ["allowed"])
  })
})

describe("how much the console asks of the ledger at once", () => {
  /** A ledger of so many entries, each of an act but the last, a minute apart. */
  function ledgerOf(t: TestContext, count: number, nowMs: number) {
    const ledger = emptyLedger()
    t.after(() => ledger.close())
    const add = ledger.prepare("INSERT INTO entries VALUES (?, ?, 'act', ?, '{}', x'')")
    for (let seq = 1; seq <= count; seq++) {
      add.run(seq, String(seq), nowMs - (count - seq) * 60_000)
    }
    const admin: Parameters<typeof readEntries>[0] = {
      call: () => assert.fail("nothing is asked where nothing was decided"),
      readLedger: async (use) => use(ledger),
    }
    return (span: Parameters<typeof readEntries>[1], atMs = 0) => readEntries(admin, span, atMs)
  }

  it("is what came last: what came before that is counted", async (t) => {
    const read = ledgerOf(t, 1_000, 0)
    const { first, last, skipped } = await read({ after: 100 })
    assert.deepEqual([first, last], [101, 1_000])
    assert.equal(skipped, 1_000 - 100 - maxEntries)
  })

  it("skips nothing where one page holds all", async (t) => {
    const read = ledgerOf(t, 1_000, 0)
    const { last, skipped } = await read({ after: 1_000 - maxEntries })
    assert.deepEqual([last, skipped], [1_000, 0])
    const one = await read({ after: 999 - maxEntries })
    assert.deepEqual([one.last, one.skipped], [1_000, 1])
    const none = await read({ after: 1_000 })
    assert.deepEqual([none.last, none.skipped], [1_000, 0])
  })

  it("ends a thousand entries back where five minutes are fewer", async (t) => {
    const read = ledgerOf(t, 3_000, 0)
    const page = await read({ before: 2_100 })
    assert.deepEqual([page.first, page.last, page.is_end], [2_001, 2_099, true])
    const end = await read({ before: 2_001 })
    assert.deepEqual([end.decisions, end.is_end], [[], true])
    // All of this ledger is younger.
    const young = await read({ before: 2_100 }, -3_000 * 60_000 + 300_000)
    assert.deepEqual([young.last - young.first, young.is_end], [maxEntries - 1, false])
  })
})
