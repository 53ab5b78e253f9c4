import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { parse, stringify } from "yaml"

import type { BotParams, BotResults } from "../../../../src/link/calls/methods.ts"
import { unknownOutcome } from "../../../../src/link/alarms.ts"
import { maxFrameBytes } from "../../../../src/link/wire.ts"
import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { lookAtAlarms, noteAlarm } from "../../../../src/vault/status/alarm-log.ts"
import { maxAlarms } from "../../../../src/vault/status/alarms.ts"
import { thawAsShown } from "../../../support/a-word.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import { assertSigned, limitOrder, openTestVault } from "../../../support/open-test-vault.ts"

const notify = 'notify: {webhook: "https://hooks.example/a-token"}\n'
const nothingTold: BotParams["alarms"] = { over: {}, said: "[]" }

async function open(t: TestContext, settings = notify) {
  const test = await openTestVault({ settings })
  t.after(() => test.remove())
  const { admin, bots, vault } = test
  return {
    ...test,
    ask: (told = nothingTold) => bots.alarms(told),
    look: () => {
      lookAtAlarms(vault)
    },
    freeze: () => admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: true }),
    thaw: () => thawAsShown(test),
  }
}

const words = ({ kept }: BotResults["alarms"]): readonly string[] =>
  kept.map(({ name, subject, stands }) => `${name} ${subject} ${stands ? "stands" : "is over"}`)

/** What a gate says that told all of it. */
const allTold = ({ kept }: BotResults["alarms"]): BotParams["alarms"] => ({
  said: "[]",
  over: Object.fromEntries(kept.map(({ name, subject, at }) => [`${name} ${subject}`, at])),
})

describe("what the vault keeps for the gate", () => {
  it("is what came and went while the gate was away, until the gate has told of it", async (t) => {
    const { ask, look, freeze, thaw } = await open(t)
    await freeze()
    look()
    await thaw()
    look()
    const told = await ask()
    assert.deepEqual(words(told), ["frozen all is over"])
    assert.deepEqual(
      words(await ask()),
      ["frozen all is over"],
      "a gate that was killed asks again",
    )
    assert.deepEqual(words(await ask(allTold(told))), [])
  })

  it("is since when it is so, and when it was over, however often somebody looks", async (t) => {
    const { ask, look, freeze, thaw, vault } = await open(t)
    await freeze()
    const since = vault.active().freezes[0]?.since
    const pause = () => new Promise((resolve) => setTimeout(resolve, 2)) // another millisecond
    for (let times = 0; times < 3; times += 1) {
      await pause()
      look()
    }
    assert.deepEqual(
      (await ask()).kept.map(({ at, overAt }) => [at, overAt]),
      [[since, undefined]],
    )
    await thaw()
    const [ended] = (await ask()).kept
    await pause()
    const [again] = (await ask()).kept
    assert.equal(ended?.at, since)
    assert.ok(Number(ended?.overAt) > Number(since))
    assert.deepEqual(again, ended)
  })

  it("is never forgotten while it stands, whatever the gate says", async (t) => {
    const { ask, freeze } = await open(t)
    await freeze()
    const told = await ask()
    assert.deepEqual(words(await ask(allTold(told))), ["frozen all stands"])
  })

  it("is what came again after the end that the gate has told of", async (t) => {
    const { ask, look, freeze, thaw } = await open(t)
    await freeze()
    look()
    await thaw()
    const told = await ask()
    await freeze()
    look()
    await new Promise((resolve) => setTimeout(resolve, 2)) // another millisecond of the ledger's time
    await thaw()
    assert.deepEqual(words(await ask(allTold(told))), ["frozen all is over"])
  })

  it("is each request of which nobody knows what became, though the gate that sent it is gone", async (t) => {
    const { ask, bots, ...test } = await open(t)
    await test.addKey({ name: "main", role: "wallet" })
    await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    const signed = await test.sign(token, limitOrder())
    assertSigned(signed)
    const { record } = signed
    await bots.report({ token, record, outcome: { kind: "accepted", status: 200, code: "0" } })
    assert.deepEqual(words(await ask()), [])
    await bots.report({ token, record, outcome: { kind: "unknown", status: null } })
    assert.deepEqual(words(await ask()), [`outcome_unknown ${record} is over`])
  })

  it("is no more than so many unknown outcomes", async (t) => {
    const { ask, vault } = await open(t)
    for (let n = 0; n <= maxAlarms; n += 1) noteAlarm(unknownOutcome(`rec_${n}`), vault)
    assert.equal(vault.alarmLog.kept.size, maxAlarms)
    assert.equal((await ask()).kept.length, maxAlarms)
  })

  it("is nothing while nobody is to be told", async (t) => {
    const { ask, look, freeze, vault } = await open(t, "")
    await freeze()
    noteAlarm(unknownOutcome("rec_1"), vault)
    look()
    assert.deepEqual(await ask(), { targets: [], kept: [], test: 0 })
    assert.equal(vault.alarmLog.kept.size, 0)
  })

  it("is what still stands after a restart", async (t) => {
    const before = await openTestVault({ settings: notify })
    await before.admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: true })
    const test = await before.reopen()
    t.after(() => test.remove())
    assert.deepEqual(words(await test.bots.alarms(nothingTold)), ["frozen all stands"])
  })
})

describe("a test of the targets", () => {
  it("is asked for once each time, and answered by what the gate says", async (t) => {
    const { ask, admin } = await open(t)
    assert.deepEqual(await admin.notify({ test: false }), { test: 0, said: "[]" })
    const { test } = await admin.notify({ test: true })
    assert.ok(test > 0)
    assert.equal((await ask({ over: {}, said: '[{"name":"webhook"}]' })).test, test)
    assert.deepEqual(await admin.notify({ test: false }), { test, said: '[{"name":"webhook"}]' })
  })
})

describe("a request that waits for a person", () => {
  const holding = `policy: held
rules: [{name: all, endpoints: [placeOrder]}]
hold: [{name: large, endpoints: [placeOrder], ttl: 5s}]
`
  const body = limitOrder({ client_order_id: "release me" })

  async function hold(t: TestContext, details: string, symbolCount?: number) {
    const settings = `notify: [{name: desk, form: json, url: "https://hooks.example/a"${details}}]\n`
    const clock = fakeClock()
    const venue = symbolCount === undefined ? {} : { venue: venueWith(symbolCount) }
    const test = await openTestVault({ settings, clock, policies: [holding], ...venue })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    await test.sign(token, body)
    return { clock, ask: () => test.bots.alarms(nothingTold) }
  }

  it("is an alarm by its id, without a word of the bot's or an amount, until it is over", async (t) => {
    const { ask, clock } = await hold(t, "")
    const told = await ask()
    const alarm = told.kept.find(({ name }) => name === "hold_waits")
    assert.ok(alarm !== undefined)
    assert.match(alarm.subject, /^hold_/)
    assert.ok(words(told).includes(`hold_waits ${alarm.subject} stands`))
    assert.equal(
      alarm.fact,
      "A request waits for a person: placeOrder of bot with mm, held by held/large",
    )
    assert.match(alarm.advice, /countersign held list .*countersign held release hold_/)
    for (const text of ["release me", "0.1", "63000"]) {
      assert.ok(!JSON.stringify(told).includes(text), text)
    }
    clock.pass(5_000)
    assert.ok(words(await ask()).includes(`hold_waits ${alarm.subject} is over`))
  })

  for (const [details, goesOut] of [
    [", details: true", true],
    [", details: false", false],
    ["", false],
  ] as const) {
    it(`${goesOut ? "goes" : "doesn't go"} out with its body where a target has "${details}"`, async (t) => {
      const { held } = await (await hold(t, details)).ask()
      const [first] = held?.holds ?? []
      assert.equal(first?.body.includes('"quantity":"0.1"'), goesOut ? true : undefined)
      assert.equal(held?.symbols.names[1], goesOut ? "BTC-PERP" : undefined)
    })
  }

  it("goes out in one frame with 1,000 symbols, and not where their names are too long for that", async (t) => {
    const told = await (await hold(t, ", details: true", 1_000)).ask()
    assert.equal(told.held?.holds.length, 1)
    assert.ok(Buffer.byteLength(JSON.stringify(told)) < maxFrameBytes / 2)
    const { held } = await (await hold(t, ", details: true", 2_000)).ask()
    assert.equal(held, undefined)
  })

  /** The sandbox's venue with so many symbols. */
  function venueWith(count: number): string {
    const venue = parse(sandboxProfile({ url: sandboxUrl, asOf: new Date() })) as {
      symbols: object[]
    }
    const more = Array.from({ length: count - venue.symbols.length }, (_, index) => ({
      ...{ id: 100_000 + index, market: "perp" },
      ...{ name: `${index}`.padEnd(32, "X"), quote: `${index}`.padStart(16, "Q") },
    }))
    return stringify({ ...venue, symbols: [...venue.symbols, ...more] })
  }
})
