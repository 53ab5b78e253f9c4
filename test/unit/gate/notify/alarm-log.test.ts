import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { parse, stringify } from "yaml"

import { maxAlarms } from "../../../../src/conditions/alarms.ts"
import type { BotLink } from "../../../../src/contract/client.ts"
import { type AlarmsNow, alarmsOfVault, type Told } from "../../../../src/gate/notify/alarm-log.ts"
import { type BotParams, botParams, maxLogChars } from "../../../../src/link/calls/methods.ts"
import { maxFrameBytes } from "../../../../src/link/wire.ts"
import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { botMethods } from "../../../../src/vault/bot-methods.ts"
import { mostUnknown, noteUnknown } from "../../../../src/vault/status/for-gate.ts"
import type { Vault } from "../../../../src/vault/vault.ts"
import { thawAsShown } from "../../../support/a-word.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import { assertSigned, limitOrder, openTestVault } from "../../../support/open-test-vault.ts"

const notify = 'notify: {webhook: "https://hooks.example/a-token"}\n'
const nothingTold: Told = { over: {}, said: "[]" }
const answers = (): undefined => undefined // the venue does

/** A gate's link to a vault, checked as the socket checks. */
function linkTo(vault: Vault): Pick<BotLink, "call"> {
  const methods = botMethods(vault)
  const call = (
    method: "alarmFacts" | "heldInFull" | "decided",
    params: BotParams["alarmFacts"],
  ) => {
    const checked = botParams[method].parse(params) as BotParams["alarmFacts"] // of the method
    const answer = methods[method](checked)
    return answer.then((each) => JSON.parse(JSON.stringify(each)) as unknown)
  }
  return { call } as unknown as Pick<BotLink, "call"> // the calls that are made
}

async function open(
  t: TestContext,
  settings = notify,
  unanswered: Parameters<typeof alarmsOfVault>[1] = answers,
) {
  const clock = fakeClock()
  clock.setWall(Date.now()) // of which the venue's prices are
  const test = await openTestVault({ settings, clock })
  t.after(() => test.remove())
  const { admin, vault } = test
  const startGate = () => {
    const ask = alarmsOfVault(linkTo(vault), unanswered)
    return (told = nothingTold) => ask(told)
  }
  return {
    ...test,
    clock,
    startGate,
    ask: startGate(),
    freeze: () => admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: true }),
    thaw: () => thawAsShown(test),
  }
}

const words = ({ kept }: AlarmsNow): readonly string[] =>
  kept.map(({ name, subject, stands }) => `${name} ${subject} ${stands ? "stands" : "is over"}`)

/** What a gate says that told all of it. */
const allTold = ({ kept }: AlarmsNow): Told => ({
  said: "[]",
  over: Object.fromEntries(kept.map(({ name, subject, at }) => [`${name} ${subject}`, at])),
})

describe("what the gate has to tell", () => {
  it("is what came and went while a target was away, until it has been told of it", async (t) => {
    const { ask, startGate, freeze, thaw } = await open(t)
    await freeze()
    await ask()
    await thaw()
    const told = await ask()
    assert.deepEqual(words(told), ["frozen all is over"])
    await ask() // in time it has the vault keep what it knows
    const another = startGate()
    assert.deepEqual(words(await another()), ["frozen all is over"], "a gate that was killed")
    assert.deepEqual(words(await another(allTold(told))), [])
    assert.deepEqual(words(await startGate()()), [])
  })

  it("is since when it is so, and when it was over, however often somebody looks", async (t) => {
    const { ask, freeze, thaw, vault, clock } = await open(t)
    await freeze()
    const since = vault.active().freezes[0]?.since
    const pause = () => {
      clock.pass(2)
    }
    for (let times = 0; times < 3; times += 1) {
      await ask()
      pause()
    }
    assert.deepEqual(
      (await ask()).kept.map(({ at, overAt }) => [at, overAt]),
      [[since, undefined]],
    )
    await thaw()
    pause()
    const [ended] = (await ask()).kept
    pause()
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
    const { ask, freeze, thaw } = await open(t)
    await freeze()
    await ask()
    await thaw()
    const told = await ask()
    await freeze()
    await ask()
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
    const told = await ask()
    assert.deepEqual(words(told), [`outcome_unknown ${record} is over`])
    assert.deepEqual(words(await test.startGate()()), words(told), "the gate was killed at once")
    assert.deepEqual(words(await ask(allTold(told))), [], "it is told once")
  })

  it("is what the vault keeps of it as a text, with nothing of what can't be read", async (t) => {
    const { ask, startGate, freeze, vault } = await open(t)
    await freeze()
    await ask()
    await ask()
    assert.match(vault.forGate.log, /"name":"frozen"/)
    assert.ok(vault.forGate.log.length < maxLogChars)
    for (const log of ["", "{}", '[{"name":"made_up"}]', '[{"name":"frozen","at":1}]']) {
      vault.forGate.log = log
      assert.deepEqual(words(await startGate()()), ["frozen all stands"], log)
    }
  })

  it("is no more than so many unknown outcomes", async (t) => {
    const { ask, vault } = await open(t)
    for (let n = 0; n <= mostUnknown; n += 1) noteUnknown(`rec_${n}`, vault)
    assert.equal(vault.forGate.unknown.size, mostUnknown)
    assert.equal((await ask()).kept.length, maxAlarms)
  })

  it("is nothing while nobody is to be told", async (t) => {
    const { ask, freeze, vault } = await open(t, "")
    await freeze()
    noteUnknown("rec_1", vault)
    assert.deepEqual(await ask(), { targets: [], kept: [], test: 0 })
    const { unknown, log } = vault.forGate
    assert.deepEqual([unknown.size, log], [0, "[]"])
  })

  it("is what still stands after a restart", async (t) => {
    const before = await openTestVault({ settings: notify })
    await before.admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: true })
    const test = await before.reopen()
    t.after(() => test.remove())
    assert.deepEqual(words(await alarmsOfVault(linkTo(test.vault), answers)(nothingTold)), [
      "frozen all stands",
    ])
  })
})

describe("what the gate sees itself", () => {
  it("is told of the venue as of all else: since when, until when, also to the next gate", async (t) => {
    const sinceMs = Date.now() - 30_000
    let unanswered: ReturnType<Parameters<typeof alarmsOfVault>[1]>
    const { ask, startGate, clock } = await open(t, notify, () => unanswered)
    unanswered = { sinceMs: Date.now(), tries: 2, why: "ECONNREFUSED" }
    assert.deepEqual(words(await ask()), [])
    unanswered = { ...unanswered, sinceMs }
    const told = await ask()
    assert.deepEqual(words(told), ["venue_unreachable  stands"])
    assert.equal(told.kept[0]?.at, sinceMs)
    await ask() // in time it has the vault keep what it knows
    unanswered = undefined
    clock.pass(1)
    assert.deepEqual(words(await startGate()()), ["venue_unreachable  is over"])
    assert.deepEqual(words(await ask()), ["venue_unreachable  is over"])
  })

  it("is told of what a client is refused, for as long as it is much", async (t) => {
    const { ask, clock, ...test } = await open(t)
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    const refuse = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n += 1) await test.sign(token, "{}")
    }
    await refuse(40)
    assert.deepEqual(words(await ask()), [], "it may have been long ago")
    await refuse(29)
    clock.pass(15_000)
    assert.deepEqual(words(await ask()), [])
    await refuse(1)
    clock.pass(15_000)
    const told = await ask()
    assert.deepEqual(words(told), ["refuses_much bot invalid_request stands"])
    assert.equal(
      told.kept[0]?.fact,
      "Of 30 requests of bot in 5 minutes 30 were refused: invalid_request",
    )
    clock.pass(299_999)
    await ask()
    clock.pass(15_000)
    assert.deepEqual(words(await ask()), ["refuses_much bot invalid_request is over"])
  })

  it("is asked of the vault only while somebody is to be told", async (t) => {
    const { vault } = await open(t, "")
    vault.metrics.decisions.reserved({ client: "bot", operation: "placeOrder" })
    assert.deepEqual(await linkTo(vault).call("decided", {}), { decisions: [] })
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
    const ask = alarmsOfVault(linkTo(test.vault), answers)
    return { vault: test.vault, clock, ask: () => ask(nothingTold) }
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
      const { ask, vault } = await hold(t, details)
      const { held } = await ask()
      const [first] = held?.holds ?? []
      assert.equal(first?.body.includes('"quantity":"0.1"'), goesOut ? true : undefined)
      assert.equal(held?.symbols.names[1], goesOut ? "BTC-PERP" : undefined)
      const given = await linkTo(vault).call("heldInFull", {})
      assert.equal(given.held !== null, goesOut, "whatever a gate asks for")
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
