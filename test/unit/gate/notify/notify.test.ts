import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { standsIn } from "../../../../src/commands/doctor/notify-findings.ts"
import { openGateMetrics } from "../../../../src/gate/http/metrics.ts"
import { type Notify, startNotify, toldSends } from "../../../../src/gate/notify/notify.ts"
import type { Pauses } from "../../../../src/gate/notify/teller.ts"
import type { LogEntry } from "../../../../src/gate/process/log.ts"
import { alarm } from "../../../../src/contract/alarms.ts"
import type { AlarmsNow, KeptAlarm, Told } from "../../../../src/gate/notify/alarm-log.ts"
import { until } from "../../../support/process-tree.ts"
import { startWebhook, webhookSecret, type Webhook } from "../../../support/webhook.ts"

const frozen: KeptAlarm = {
  ...alarm("frozen", {
    subject: "all",
    fact: "Everything is frozen by operator",
    advice: "countersign thaw ends it",
  }),
  ...{ stands: true, at: Date.now() },
}
const over: KeptAlarm = { ...frozen, stands: false, at: 2 }
const pausesMs = { taken: 0, failed: [1] }

type Playing = {
  readonly notify: Notify
  readonly logged: readonly LogEntry[]
  /** What the vault says from now on; `undefined` for a vault that is away. Resolves once it was asked twice. */
  readonly say: (told: AlarmsNow | undefined) => Promise<void>
  /** What the gate last told the vault. */
  readonly told: () => Told
}

const nothing: AlarmsNow = { targets: [], kept: [], test: 0 }

/** The gate's side before a vault that a test plays, which says `first` at the start. */
function play(t: TestContext, first: AlarmsNow | undefined, pauses: Pauses = pausesMs): Playing {
  let told = first
  let asked = 0
  let lastTold: Told = { over: {}, said: "[]" }
  const logged: LogEntry[] = []
  const alarms = (params: Told): Promise<AlarmsNow> => {
    asked += 1
    lastTold = params
    return told === undefined ? Promise.reject(new Error("away")) : Promise.resolve(told)
  }
  const notify = startNotify({
    ...{ alarms, log: (entry: LogEntry) => void logged.push(entry) },
    ...{ directory: undefined, pollMs: 1, pausesMs: pauses },
  })
  t.after(() => notify.stop())
  return {
    notify,
    logged,
    told: () => lastTold,
    async say(next) {
      told = next
      const before = asked
      await until(() => (asked > before + 2 ? true : undefined), "it was asked")
    },
  }
}

async function webhookFor(t: TestContext): Promise<Webhook> {
  const webhook = await startWebhook()
  t.after(() => webhook.close())
  return webhook
}

const heard = ({ heard: all }: Webhook): readonly string[] =>
  all.map(({ message: { alarm: name, state, subject } }) => `${state} ${name} ${subject}`)

const targetAt = (
  { url }: Webhook,
  name = "webhook",
  severity: "warning" | "critical" = "warning",
) => ({
  ...{ name, form: "json" as const, severity, url },
})

const said = (webhook: Webhook, ...kept: readonly KeptAlarm[]): AlarmsNow => ({
  targets: [targetAt(webhook)],
  kept,
  test: 0,
})

describe("the gate's messages", () => {
  it("tell what is so at the start, once, and that it is over, once", async (t) => {
    const webhook = await webhookFor(t)
    const { say } = play(t, nothing)
    await say(said(webhook, frozen))
    const raised = await webhook.message("frozen")
    assert.match(raised.text, /: Everything is frozen by operator; countersign thaw ends it\.$/)
    await say(said(webhook))
    await webhook.message("frozen", "cleared")
    await say(said(webhook))
    assert.deepEqual(heard(webhook), ["raised frozen all", "cleared frozen all"])
  })

  it("go nowhere without a webhook, and tell a new one all that is so", async (t) => {
    const [first, second] = [await webhookFor(t), await webhookFor(t)]
    const { say } = play(t, nothing)
    await say({ ...nothing, kept: [frozen] })
    await say(said(first, frozen))
    await first.message("frozen")
    await say(nothing)
    await say(said(second, frozen))
    await second.message("frozen")
    assert.deepEqual([heard(first), heard(second)], [["raised frozen all"], ["raised frozen all"]])
  })

  it("tell that the vault is away, keep what it said, and don't call that over", async (t) => {
    const webhook = await webhookFor(t)
    const { say } = play(t, nothing)
    await say(said(webhook, frozen))
    await webhook.message("frozen")
    await say(undefined)
    const away = await webhook.message("vault_unreachable")
    assert.equal(away.severity, "critical")
    await say(said(webhook, frozen))
    await say(said(webhook))
    await webhook.message("frozen", "cleared")
    assert.deepEqual(heard(webhook), [
      "raised frozen all",
      "raised vault_unreachable ",
      "cleared frozen all",
    ])
  })

  it("tell of a send whose outcome nobody knows, also of one that was refused when sent again", async (t) => {
    const webhook = await webhookFor(t)
    const { say, notify } = play(t, nothing)
    const sends = toldSends(openGateMetrics(), notify)
    await say(nothing)
    sends.sent({ kind: "unknown", status: null }, "rec_before")
    await say(nothing)
    await say(said(webhook))
    const refused = { kind: "refused", status: 400, code: "x" } as const
    sends.sent({ kind: "accepted", status: 200, code: "0" }, "rec_accepted")
    sends.sent({ kind: "unsent" }, "rec_unsent")
    sends.sent(refused, "rec_refused")
    sends.sent({ ...refused, again: true }, "rec_again")
    const { subject, text } = await webhook.message("outcome_unknown")
    assert.equal(subject, "rec_again")
    assert.match(text, /rec_again was sent, and nobody knows/)
    await say(said(webhook))
    assert.deepEqual(heard(webhook), ["raised outcome_unknown rec_again"])
    const [counted] = sends.families().filter(({ name }) => name.includes("upstream_requests"))
    assert.deepEqual(
      counted?.series.map(([, count]) => count),
      [1, 1, 2, 1],
    )
  })

  it("tell of an unknown outcome from before the vault was there", async (t) => {
    const webhook = await webhookFor(t)
    const { say, notify } = play(t, undefined)
    notify.outcomeUnknown("rec_early")
    await say(undefined)
    await say(said(webhook))
    assert.equal((await webhook.message("outcome_unknown")).subject, "rec_early")
    assert.deepEqual(heard(webhook), ["raised outcome_unknown rec_early"])
  })

  it("go on after a webhook that refused one, and write nothing of its address into the log", async (t) => {
    const webhook = await webhookFor(t)
    const { say, logged } = play(t, nothing)
    webhook.answer(410)
    await say(said(webhook, frozen))
    await until(() => logged[0], "it is logged")
    webhook.answer(200)
    await until(() => logged[1], "it works again")
    await say(said(webhook))
    await webhook.message("frozen", "cleared")
    const message = `127.0.0.1:${webhook.port} answered HTTP 410.`
    assert.deepEqual(logged, [
      { level: "error", event: "notify_failed", target: "webhook", message },
      { level: "info", event: "notify_works", target: "webhook" },
    ])
    assert.ok(!JSON.stringify(logged).includes(webhookSecret))
  })

  it("end at once when the gate stops, while a webhook is silent", async (t) => {
    const webhook = await webhookFor(t)
    webhook.answer("silent")
    const { say, notify } = play(t, nothing)
    await say(said(webhook, frozen))
    await webhook.message("frozen")
    notify.stop()
    notify.outcomeUnknown("rec_1")
    assert.deepEqual(heard(webhook), ["raised frozen all"])
  })

  it("have the vault forget what is over only once every target was told", async (t) => {
    const [alive, dead] = [await webhookFor(t), await webhookFor(t)]
    dead.answer(503)
    const targets = [targetAt(alive, "alive"), targetAt(dead, "dead")]
    const { say, told } = play(t, { targets, kept: [over], test: 0 })
    await alive.message("frozen", "cleared")
    await say({ targets, kept: [over], test: 0 })
    assert.deepEqual(told().over, {}, "the other wasn't told")
    assert.equal(alive.heard.length, 2, "and keeps this one from nothing")
    dead.answer(200)
    await until(() => told().over["frozen all"], "all were told")
    assert.deepEqual(told().over, { "frozen all": 2 })
  })

  it("come again from a gate that is started anew, as nobody said that they had come", async (t) => {
    const webhook = await webhookFor(t)
    webhook.answer(503)
    const first = play(t, said(webhook, over))
    await webhook.message("frozen")
    first.notify.stop()
    webhook.answer(200)
    const before = webhook.heard.length
    const { told } = play(t, said(webhook, over))
    await until(() => told().over["frozen all"], "it was told")
    assert.match(webhook.heard[before]?.message.text ?? "", /It was so from .* and is over/)
  })

  it("go to a target by its severity", async (t) => {
    const [all, grave] = [await webhookFor(t), await webhookFor(t)]
    const stale = { ...frozen, ...alarm("price_stale", { subject: "X", fact: "f", advice: "a" }) }
    const targets = [targetAt(all, "all"), targetAt(grave, "grave", "critical")]
    play(t, { targets, kept: [stale, frozen], test: 0 })
    await all.message("frozen")
    await all.message("price_stale")
    await grave.message("frozen")
    assert.deepEqual(heard(grave), ["raised frozen all"])
  })

  it("try every target once for a test, also one that is failing, and tell how it went", async (t) => {
    const [alive, dead] = [await webhookFor(t), await webhookFor(t)]
    dead.answer(404)
    const targets = [targetAt(alive, "alive"), targetAt(dead, "dead")]
    const { say, told } = play(t, { targets, kept: [], test: 0 })
    const test = Date.now()
    await say({ targets, kept: [], test })
    const stands = await until(() => {
      const read = standsIn(told().said)
      return read.length === 2 && read.every((each) => each.test === test) ? read : undefined
    }, "both were tried")
    const failing = `127.0.0.1:${dead.port} answered HTTP 404.`
    assert.deepEqual(
      stands.map((each) => [each.name, each.failing]),
      [
        ["alive", null],
        ["dead", failing],
      ],
    )
    assert.deepEqual([alive.heard.length, dead.heard.length], [1, 1])
  })
})

describe("a target that was away", () => {
  /** After its second failure nothing is tried for longer than any test lasts. */
  const long: Pauses = { taken: 0, failed: [1, 3_600_000] }
  const stale = { ...frozen, ...alarm("price_stale", { subject: "X", fact: "f", advice: "a" }) }

  async function failingTwice(t: TestContext) {
    const webhook = await webhookFor(t)
    webhook.answer(503)
    const playing = play(t, said(webhook, stale), long)
    await until(() => (webhook.heard.length === 2 ? true : undefined), "it failed twice")
    return { webhook, ...playing }
  }

  it("is told what waits as soon as it takes anything, such as a test", async (t) => {
    const { webhook, say } = await failingTwice(t)
    webhook.answer(200)
    await say(said(webhook, stale))
    assert.equal(webhook.heard.length, 2, "in its pause nothing is tried")
    await say({ ...said(webhook, stale), test: Date.now() })
    await until(() => webhook.heard[3], "it was told")
    assert.deepEqual(heard(webhook).slice(2), ["raised test ", "raised price_stale X"])
  })

  it("is told of something critical at once, before all else", async (t) => {
    const { webhook, say } = await failingTwice(t)
    webhook.answer(200)
    await say(said(webhook, stale, frozen))
    await until(() => webhook.heard[3], "it was told")
    assert.deepEqual(heard(webhook).slice(2), ["raised frozen all", "raised price_stale X"])
  })

  it("is left alone as long as it asked for, whatever comes", async (t) => {
    const webhook = await webhookFor(t)
    webhook.answer(429, { "retry-after": "600" })
    const { say } = play(t, said(webhook, stale), long)
    await webhook.message("price_stale")
    webhook.answer(200)
    await say(said(webhook, stale, frozen))
    assert.deepEqual(heard(webhook), ["raised price_stale X"])
  })

  it("is told what was critical as that, and then that it is over", async (t) => {
    const webhook = await webhookFor(t)
    const { say } = play(t, nothing)
    await say(said(webhook, over))
    const { text, severity } = await webhook.message("frozen")
    assert.deepEqual([severity, /It was so from .* and is over/.test(text)], ["critical", true])
    await webhook.message("frozen", "cleared")
  })
})

describe("a request that waits for a person", () => {
  const id = "hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"
  const waits: KeptAlarm = {
    ...alarm("hold_waits", {
      subject: id,
      fact: "A request waits for a person: placeOrder of bot with mm, held by mm/large",
      advice: "countersign held list shows it",
    }),
    ...{ stands: true, at: Date.now() },
  }
  const held = (): NonNullable<AlarmsNow["held"]> => ({
    holds: [
      {
        ...{
          id,
          state: "pending",
          client: "bot",
          key: "mm",
          operation: "placeOrder",
          target: null,
        },
        ...{ policy: "mm", rule: "large", shape: { kind: "order" } },
        body: '{"client_order_id":"release me","is_buy":true,"order_type":"limit","price":"63000","quantity":"0.45","symbol_id":1}',
        worst_case: "one order, up to 28350 USD",
        expires_at: Date.now() + 14.5 * 60_000,
      },
    ],
    symbols: {
      ...{ names: { "1": "BTC-PERP" }, quotes: { "1": "USD" } },
      default_market_order_type: null,
    },
  })

  it("is told in words to a target with details, and to no other", async (t) => {
    const [open, closed, without] = [await webhookFor(t), await webhookFor(t), await webhookFor(t)]
    const { say } = play(t, nothing)
    const targets = [
      { ...targetAt(open, "open"), details: "true" as const },
      { ...targetAt(closed, "closed"), details: "false" as const },
      targetAt(without, "without"),
    ]
    await say({ targets, kept: [waits], held: held(), test: 0 })
    const [told, ...others] = await Promise.all(
      [open, closed, without].map((each) => each.message("hold_waits")),
    )
    assert.match(
      String(told?.text),
      /: A request of bot with mm waits for a person: buy 0\.45 BTC-PERP at 63,000 limit, worst 28,350 USD, held by mm\/large; expires in 14 min; countersign held list shows it\.$/,
    )
    for (const { text } of others)
      assert.match(text, /: A request waits for a person: placeOrder of/)

    await say({ targets, kept: [{ ...waits, stands: false, at: 2 }], test: 0 })
    const over = await open.message("hold_waits", "cleared")
    assert.match(over.text, /: Over: A request waits for a person: placeOrder of bot with mm/)
  })
})
