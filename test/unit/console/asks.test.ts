import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { asks, maxLineBytes } from "../../../src/console/asks.ts"
import { quietLook } from "../../support/console-look.ts"
import { statusView } from "../../support/status-view.ts"

const long = (length: number) => "\u6c34".repeat(length)
const times = <Each>(count: number, each: Each): readonly Each[] =>
  Array.from({ length: count }, () => each)

/** A look in which everything is as long and as many as an installation or a bot could make it, and more. */
function crowded() {
  const name = long(1_000)
  return {
    ...{ ...quietLook, words: long(5_000), version: name, network: name, policy_hash: name },
    alarms: times(101, { name, fact: name, advice: name, severity: "critical" }),
    freezes: times(101, {
      ...{ scope: "client", name, reason: name, by: name, cancels: true },
      since: Number.MAX_VALUE,
    }),
    holds: times(51, {
      ...{ id: name, client: name, key: name, operation: name, policy: name, rule: name },
      ...{ body: long(70_000), worst_case: name, expires_at: Number.MAX_VALUE },
    }),
    budgets: times(101, {
      ...{ scope: "address", address: name, max: Number.MAX_VALUE },
      ...{ used: Number.MAX_VALUE, kept_for_cancels: Number.MAX_VALUE },
    }),
    limits: times(101, {
      ...{ policy: name, limit: name, for: name, of: name, max: name, used: name },
      ...{ mode: "enforce", per: "account" },
    }),
    keys: times(101, {
      ...{ name, address: name, wallet: name, locked: false, role: "agent" },
      ...{ approval: "approved", expires_at: Number.MAX_VALUE, last_used: Number.MAX_VALUE },
    }),
    signing: { bounds: times(51, Number.MAX_VALUE), counts: times(52, Number.MAX_VALUE) },
    decisions: times(201, {
      ...{ seq: Number.MAX_VALUE, record: name, at: Number.MAX_VALUE, times: Number.MAX_VALUE },
      ...{ result: "refused", client: name, key: name, operation: name, by: name },
      ...{ reason: name, message: name },
    }),
  }
}

describe("what the console is told", () => {
  it("is what its schema names, and nothing else of a status", () => {
    const given = { ...statusView, recorded: 0, decisions: [], secret: "s", clients: ["bot"] }
    const told = asks.look.answer.parse(given)
    assert.deepEqual(Object.keys(told).sort(), Object.keys(quietLook).sort())
  })

  it("is no more of each thing than it has room for", () => {
    const told = asks.look.answer.parse(crowded())
    const lengths = [
      ...[told.alarms, told.freezes, told.holds, told.budgets, told.limits, told.keys],
      ...[told.signing.bounds, told.signing.counts, told.decisions],
    ].map((list) => list.length)
    assert.deepEqual(lengths, [100, 100, 50, 100, 100, 100, 50, 51, 200])
    assert.equal(told.holds[0]?.body.length, 500)
    assert.equal(told.decisions[0]?.message?.length, 300)
  })

  it("fits a line of the pipe, whatever an installation has and bots send", () => {
    const bytes = Buffer.byteLength(JSON.stringify(asks.look.answer.parse(crowded())))
    assert.ok(bytes < maxLineBytes.answer - 1_024, `${bytes}`)
  })

  it("has a bot's text written out where it hides something", () => {
    const freeze = {
      ...{ scope: "all", name: null, reason: "up\u202ednim", by: "bot", cancels: true, since: 0 },
    } as const
    assert.equal(asks.freeze.answer.parse(freeze).reason, "up\\u202ednim")
    const told = asks.look.answer.parse({ ...quietLook, freezes: [freeze] })
    assert.equal(told.freezes[0]?.reason, "up\\u202ednim")
  })

  it("is nothing where something else was given", () => {
    const { look } = asks
    assert.ok(look.answer.safeParse(quietLook).success)
    for (const wrong of [
      ...[null, {}, { ...quietLook, state: "fine" }, { ...quietLook, at: "now" }],
      { ...quietLook, decisions: [{}] },
    ]) {
      assert.ok(!look.answer.safeParse(wrong).success)
    }
  })
})

describe("what the console's server may ask", () => {
  const id = `rec_${"0".repeat(26)}`
  const right = {
    listening: [{ port: 1 }, { port: 65_535 }, { refused: "EADDRINUSE" }],
    look: [{}],
    record: [{ id }],
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
    record: [{}, { id: "" }, { id: `${id}0` }, { id: `${id}\n` }, { id, a: 1 }],
    freeze: [
      ...[{}, { reason: "" }, { reason: " " }, { reason: "r".repeat(201) }],
      ...[
        { reason: "r", by: "operator" },
        { reason: "r", scope: "key", name: "mm" },
      ],
      { reason: "r", cancels: false },
    ],
  }

  it("is four things", () => {
    assert.deepEqual(Object.keys(asks), ["listening", "look", "record", "freeze"])
  })

  for (const name of ["listening", "look", "record", "freeze"] as const) {
    it(`is ${name} with these words and no others`, () => {
      for (const params of right[name]) assert.ok(asks[name].params.safeParse(params).success)
      for (const params of wrong[name]) {
        assert.ok(!asks[name].params.safeParse(params).success, JSON.stringify(params))
      }
    })
  }
})
