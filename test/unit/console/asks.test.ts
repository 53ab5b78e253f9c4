import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { asks, maxLineBytes, releaseAsks } from "../../../src/console/asks.ts"
import { noEntries, quietStand, signedRecord } from "../../support/console-look.ts"
import { statusView } from "../../support/status-view.ts"

const long = (length: number) => "\u6c34".repeat(length)
const times = <Each>(count: number, each: Each): readonly Each[] =>
  Array.from({ length: count }, () => each)

/** A look in which everything is as long and as many as an installation or a bot could make it, and more. */
function crowded() {
  const name = long(1_000)
  return {
    ...{ ...quietStand, words: long(5_000), version: name, network: name, policy_hash: name },
    alarms: times(101, { name, fact: name, advice: name, severity: "critical" }),
    freezes: times(101, {
      ...{ scope: "client", name, reason: name, by: name, cancels: true },
      since: Number.MAX_VALUE,
    }),
    holds: times(51, {
      ...{ id: name, client: name, key: name, operation: name },
      ...{ words: long(70_000), expires_at: Number.MAX_VALUE },
    }),
    grants: times(51, {
      ...{ id: name, client: name, key: name, words: long(70_000), until: Number.MAX_VALUE },
    }),
    budgets: times(101, {
      ...{ scope: "address", address: name, max: Number.MAX_VALUE },
      ...{ used: Number.MAX_VALUE, kept_for_cancels: Number.MAX_VALUE },
      shares: times(21, { client: name, kept: Number.MAX_VALUE, used: Number.MAX_VALUE }),
    }),
    limits: times(101, {
      ...{ policy: name, limit: name, for: name, of: name, max: name, used: name },
      ...{ mode: "enforce", per: "account" },
    }),
    guards: times(101, {
      ...{ policy: name, guard: name, account_name: name, kind: name, measure: name },
      ...{ symbol: name, side: name, max: name, measured: name, in_flight: name, room: name },
      ...{
        read_at: Number.MAX_VALUE,
        tripped_at: Number.MAX_VALUE,
        loss_unknown: "equity_changed",
      },
    }),
    keys: times(101, {
      ...{ name, address: name, wallet: name, locked: false, role: "agent" },
      ...{ approval: "approved", expires_at: Number.MAX_VALUE, last_used: Number.MAX_VALUE },
    }),
    signing: { bounds: times(51, Number.MAX_VALUE), counts: times(52, Number.MAX_VALUE) },
  }
}

/** A part of the ledger of which the same is so. */
function crowdedEntries() {
  const name = long(1_000)
  return {
    ...noEntries,
    decisions: times(401, {
      ...{ seq: Number.MAX_VALUE, record: name, at: Number.MAX_VALUE, result: "refused" },
      ...{ client: name, key: name, operation: name, by: name, asked: name, is_paper: true },
      ...{ symbols: times(5, name), code: name, reason: name, message: name },
    }),
    repeats: times(401, { record: name, at: Number.MAX_VALUE, count: Number.MAX_VALUE }),
  }
}

describe("what the console is told", () => {
  it("is what its schema names, and nothing else of a status", () => {
    const given = {
      ...statusView,
      grants: [],
      guards: [],
      where: "",
      may_release: false,
      secret: "s",
      clients: ["bot"],
    }
    const told = asks.look.answer.parse(given)
    assert.deepEqual(Object.keys(told).sort(), Object.keys(quietStand).sort())
  })

  it("is no more of each thing than it has room for", () => {
    const told = asks.look.answer.parse(crowded())
    const lengths = [
      ...[told.alarms, told.freezes, told.holds, told.grants, told.budgets, told.limits],
      ...[told.guards, told.keys, told.signing.bounds, told.signing.counts],
    ].map((list) => list.length)
    assert.deepEqual(lengths, [100, 100, 50, 50, 100, 100, 100, 100, 50, 51])
    assert.equal(told.holds[0]?.words.length, 2_500)
    const { decisions, repeats } = asks.entries.answer.parse(crowdedEntries())
    assert.deepEqual([decisions.length, repeats.length], [200, 200])
    const [decision] = decisions
    const texts = [decision?.message, decision?.asked, decision?.by, decision?.client]
    assert.deepEqual(
      [...texts.map((each) => each?.length), decision?.symbols.length],
      [300, 200, 130, 64, 4],
    )
  })

  it("fits a line of the pipe, whatever an installation has and bots send", () => {
    for (const told of [
      asks.look.answer.parse(crowded()),
      asks.entries.answer.parse(crowdedEntries()),
    ]) {
      const bytes = Buffer.byteLength(JSON.stringify(told))
      assert.ok(bytes < maxLineBytes.answer - 1_024, `${bytes}`)
    }
  })

  it("has a bot's text written out where it hides something", () => {
    const freeze = {
      ...{ scope: "all", name: null, reason: "up\u202ednim", by: "bot", cancels: true, since: 0 },
    } as const
    assert.equal(asks.freeze.answer.parse(freeze).reason, "up\\u202ednim")
    const told = asks.look.answer.parse({ ...quietStand, freezes: [freeze] })
    assert.equal(told.freezes[0]?.reason, "up\\u202ednim")
  })

  it("is nothing where something else was given", () => {
    const { look } = asks
    assert.ok(look.answer.safeParse(quietStand).success)
    for (const wrong of [
      ...[null, {}, { ...quietStand, state: "fine" }, { ...quietStand, at: "now" }],
      { ...quietStand, keys: [{}] },
    ]) {
      assert.ok(!look.answer.safeParse(wrong).success)
    }
    const { entries, record } = asks
    assert.ok(entries.answer.safeParse(noEntries).success)
    assert.ok(!entries.answer.safeParse({ ...noEntries, decisions: [{}] }).success)
    assert.ok(record.answer.safeParse(signedRecord).success)
    assert.ok(!record.answer.safeParse({ ...signedRecord, verdicts: [{}] }).success)
  })
})

describe("what the console's server may ask", () => {
  const id = `rec_${"0".repeat(26)}`
  const hold = `hold_${"0".repeat(26)}`
  const files = "a".repeat(64)
  const grant = { forMs: 86_400_000, times: 1_000, upTo: "0.5" }
  const right = {
    listening: [{ port: 1 }, { port: 65_535 }, { refused: "EADDRINUSE" }],
    look: [{}],
    entries: [{}, { after: 0 }, { before: 1 }],
    record: [{ id, seq: 5 }],
    held: [{ id: hold }],
    weigh: [{ id: hold }],
    decide: [
      { id: hold, decision: "released", typed: "", policy_hash: files },
      { id: hold, decision: "refused", typed: "t".repeat(64), policy_hash: files },
      { id: hold, decision: "released", typed: "", policy_hash: files, grant },
    ],
    freeze: [{ reason: "r" }, { reason: "r".repeat(200) }],
  }
  const wrong = {
    listening: [
      {},
      { port: 0 },
      { port: 65_536 },
      { port: "1" },
      { refused: "no" },
      { port: 1, a: 1 },
    ],
    look: [undefined, null, [], { a: 1 }],
    entries: [
      { after: -1 },
      { after: 1.5 },
      { after: "1" },
      { after: 1, before: 2 },
      { client: "a" },
    ],
    record: [
      ...[{}, { id }, { seq: 5 }, { id, seq: -1 }, { id: "", seq: 5 }, { id: `${id}0`, seq: 5 }],
      ...[
        { id: `${id}\n`, seq: 5 },
        { id, seq: 5, a: 1 },
      ],
    ],
    held: [{}, { id }, { id: `${hold}0` }, { id: `${hold}\n` }, { id: hold, a: 1 }],
    weigh: [{}, { id }, { id: `${hold}0` }, { id: `${hold}\n` }, { id: hold, a: 1 }],
    decide: [
      ...[{}, { id: hold, decision: "released", policy_hash: files }],
      { id: hold, decision: "used", typed: "", policy_hash: files },
      { id, decision: "released", typed: "", policy_hash: files },
      { id: hold, decision: "released", typed: "t".repeat(65), policy_hash: files },
      { id: hold, decision: "released", typed: "", policy_hash: files, by: "operator" },
      { id: hold, decision: "released", typed: "" },
      ...[{ ...grant, times: 0 }, { ...grant, forMs: 86_400_001 }, { times: 1 }].map((terms) => {
        return { id: hold, decision: "released", typed: "", policy_hash: files, grant: terms }
      }),
      { id: hold, decision: "released", typed: "", policy_hash: `${files}a` },
    ],
    freeze: [
      ...[{}, { reason: "" }, { reason: " " }, { reason: "r".repeat(201) }],
      ...[
        { reason: "r", by: "operator" },
        { reason: "r", scope: "key", name: "mm" },
      ],
      { reason: "r", cancels: false },
    ],
  }

  it("is eight things, two of them for a release", () => {
    const names = ["listening", "look", "entries", "record", "held", "weigh", "decide", "freeze"]
    assert.deepEqual(Object.keys(asks), names)
    assert.deepEqual(releaseAsks, ["weigh", "decide"])
  })

  for (const name of [
    ...(["listening", "look", "entries", "record", "held", "weigh", "decide", "freeze"] as const),
  ]) {
    it(`is ${name} with these words and no others`, () => {
      for (const params of right[name]) assert.ok(asks[name].params.safeParse(params).success)
      for (const params of wrong[name]) {
        assert.ok(!asks[name].params.safeParse(params).success, JSON.stringify(params))
      }
    })
  }
})
