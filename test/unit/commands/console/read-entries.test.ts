import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { readEntries } from "../../../../src/commands/console/read-entries.ts"
import type { Admin } from "../../../../src/commands/installation/admin.ts"
import { asks, maxEntries, type Entries } from "../../../../src/console/asks.ts"
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
  const call = ((method: keyof typeof test.admin, params: never) =>
    (test.admin[method] as (params: never) => unknown)(params)) as Admin["call"]
  const read = async (
    span: Parameters<typeof readEntries>[1] = {},
    nowMs: number = test.vault.now(),
  ) => asks.entries.answer.parse(await readEntries({ call }, span, nowMs))
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
  const ledgerOf = (count: number, nowMs: number) => {
    const calls: string[] = []
    const entry = (seq: number) => ({
      ...{ seq, id: String(seq), kind: "act", at: nowMs - (count - seq) * 60_000 },
      ...{ hash: "", row: "", bytes: 0 },
    })
    const call = ((
      method: string,
      { afterSeq, beforeSeq = count + 1, limit }: Readonly<Record<string, number>>,
    ) => {
      calls.push(method)
      if (method === "auditEnds") return Promise.resolve({ seq: count })
      assert.equal(method, "auditPage")
      const all = Array.from({ length: count }, (_, index) => entry(index + 1))
      const wanted =
        afterSeq === undefined
          ? all.filter(({ seq }) => seq < beforeSeq).reverse()
          : all.filter(({ seq }) => seq > afterSeq)
      const entries = wanted.slice(0, limit)
      const next = entries.at(-1)?.seq ?? afterSeq ?? beforeSeq
      return Promise.resolve({ entries, next, is_end: wanted.length < (limit ?? 0) })
    }) as Admin["call"]
    return { call, calls }
  }

  it("is what came last: what came before that is counted", async () => {
    const { call, calls } = ledgerOf(1_000, 0)
    const { first, last, skipped } = await readEntries({ call }, { after: 100 }, 0)
    assert.deepEqual([first, last], [101, 1_000])
    assert.equal(skipped, 1_000 - 100 - maxEntries)
    assert.deepEqual(calls, ["auditEnds", "auditPage"])
  })

  it("skips nothing where one page holds all", async () => {
    const { call } = ledgerOf(1_000, 0)
    const { last, skipped } = await readEntries({ call }, { after: 1_000 - maxEntries }, 0)
    assert.deepEqual([last, skipped], [1_000, 0])
    const one = await readEntries({ call }, { after: 999 - maxEntries }, 0)
    assert.deepEqual([one.last, one.skipped], [1_000, 1])
    const none = await readEntries({ call }, { after: 1_000 }, 0)
    assert.deepEqual([none.last, none.skipped], [1_000, 0])
  })

  it("ends a thousand entries back where five minutes are fewer", async () => {
    const { call } = ledgerOf(3_000, 0)
    const page = await readEntries({ call }, { before: 2_100 }, 0)
    assert.deepEqual([page.first, page.last, page.is_end], [2_001, 2_099, true])
    const end = await readEntries({ call }, { before: 2_001 }, 0)
    assert.deepEqual([end.decisions, end.is_end], [[], true])
    // All of this ledger is younger.
    const young = await readEntries({ call }, { before: 2_100 }, -3_000 * 60_000 + 300_000)
    assert.deepEqual([young.last - young.first, young.is_end], [maxEntries - 1, false])
  })
})
