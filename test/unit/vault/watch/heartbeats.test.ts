import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { setImmediate as nextTurn } from "node:timers/promises"

import type { BotResults } from "../../../../src/link/calls/methods.ts"
import { sandboxPanic, sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { botMethods } from "../../../../src/vault/bot-methods.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { openOutbox } from "../../../../src/vault/ledger/outbox.ts"
import { heartbeatLook, openHeartbeats } from "../../../../src/vault/stops/heartbeat.ts"
import type { Vault } from "../../../../src/vault/vault.ts"
import { thawAsShown } from "../../../support/a-word.ts"
import { fakeClock, ledgerTime } from "../../../support/fake-clock.ts"
import {
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
} from "../../../support/open-test-vault.ts"
import { readLedger } from "../../../support/read-ledger.ts"
import { recordOf } from "../../../support/ledger-ask.ts"

const settings = "heartbeats: {bot: {within: 10s}, dead: {within: 10s, then: panic}}\n"
const panicLines = `panic: [{operation: cancelAll, key: mm, body: '{"symbol_id": 1}'}]\n`
const byBot = "client bot heartbeats/bot"
const byDead = "all null heartbeats/dead"

/** A vault that goes by a clock of the test's, with clients that send heartbeats. */
async function open(t: TestContext, { panic = panicLines } = {}) {
  const venue =
    sandboxProfile({ url: sandboxUrl, asOf: new Date() }).replace(sandboxPanic, "") + panic
  const first = await openTestVault({ settings, venue, keys: "on_disk" })
  let now = byClock(first)
  t.after(() => now.test.remove())
  await first.addKey({ name: "mm", role: "agent" })
  const may = { keys: ["mm"], rights: ["heartbeat"] } as const
  const tokens = {
    bot: await first.addClient({ name: "bot", ...may }),
    dead: await first.addClient({ name: "dead", ...may }),
    unwatched: await first.addClient({ name: "unwatched", ...may }),
    without: await first.addClient({ name: "without", keys: ["mm"] }),
  }
  /** What looks began is done when its acts are durable: this waits behind them. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn++) {
      await now.vault.ledger.count()
      await nextTurn()
    }
  }
  return {
    tokens,
    current: () => now,
    settle,
    /** Twice: a look after a long time is passed over once. */
    look: async (): Promise<void> => {
      now.look()
      now.look()
      await settle()
    },
    beat: (token: string, body = "{}"): Promise<BotResults["heartbeat"]> =>
      now.bots.heartbeat({ token, body: Buffer.from(body).toString("base64") }),
    frozen: (): readonly string[] =>
      now.vault.active().freezes.map(({ scope, name, by }) => `${scope} ${name} ${by}`),
    armed: (): readonly string[] => now.vault.active().armed,
    /** Another run of the same installation, whose clock begins anew. */
    restart: async (): Promise<void> => {
      now = byClock(await now.test.reopen())
    },
  }
}

function byClock(test: TestVault) {
  const clock = fakeClock()
  const parts = { clock, heartbeats: openHeartbeats(clock), outbox: openOutbox(clock) }
  const vault: Vault = { ...test.vault, ...parts }
  return { test, clock, vault, bots: botMethods(vault), look: heartbeatLook(vault) }
}

describe("a heartbeat", () => {
  it("answers for how long silence is taken, and what follows", async (t) => {
    const { beat, tokens } = await open(t)
    const heard = await beat(tokens.bot)
    assert.deepEqual(heard, {
      kind: "answer",
      heartbeat: { within_ms: 10_000, then: "freeze", frozen: false },
    })
    const unwatched = await beat(tokens.unwatched)
    assert.deepEqual(unwatched.kind === "answer" && unwatched.heartbeat, {
      ...{ within_ms: null, then: null, frozen: false },
    })
  })

  it("needs the right, a token, and the body {}", async (t) => {
    const { beat, tokens, armed } = await open(t)
    for (const [token, body, code] of [
      [tokens.without, "{}", "right_missing"],
      [`cs_${"x".repeat(43)}`, "{}", "unauthorized"],
      [tokens.bot, "", "invalid_json"],
      [tokens.bot, "[]", "invalid_request"],
      [tokens.bot, '{"client": "dead"}', "invalid_request"],
    ] as const) {
      const answer = await beat(token, body)
      assert.equal(answer.kind === "refused" && answer.refusal.code, code, body)
    }
    assert.deepEqual(armed(), [])
  })

  it("is recorded once, when it begins to count", async (t) => {
    const { beat, tokens, armed, current } = await open(t)
    await Promise.all([beat(tokens.bot), beat(tokens.bot)])
    await beat(tokens.bot)
    await beat(tokens.unwatched)
    assert.deepEqual(armed(), ["bot"])
    await current().test.close()
    const rows = readLedger(pathsOf(current().test.installation).ledgerFile)
    const acts = rows.filter(({ row }) => row["act"] === "heartbeat_armed")
    assert.deepEqual(
      acts.map(({ row }) => row["client"]),
      ["bot"],
    )
  })
})

describe("a client's silence", () => {
  it("counts for nothing before its first heartbeat", async (t) => {
    const { look, frozen, current } = await open(t)
    current().clock.pass(3_600_000)
    await look()
    assert.deepEqual(frozen(), [])
  })

  it("freezes it when it is longer than allowed, and not when it is as long", async (t) => {
    const { beat, tokens, look, frozen, armed, current } = await open(t)
    await beat(tokens.bot)
    current().clock.pass(10_000)
    await look()
    assert.deepEqual(frozen(), [])
    current().clock.pass(1)
    await look()
    assert.deepEqual(frozen(), [byBot])
    assert.deepEqual(armed(), [])
    const { test, vault } = current()
    assert.equal(vault.active().freezes[0]?.reason, "no heartbeat of bot for more than 10 s")
    assert.equal(outcomeOf(await test.sign(tokens.bot, limitOrder())), "frozen")
    assert.equal(outcomeOf(await test.sign(tokens.without, limitOrder())), "signed")
  })

  it("is measured by the monotonic clock, not by one that is set", async (t) => {
    const { beat, tokens, look, frozen, current } = await open(t)
    await beat(tokens.bot)
    const { clock } = current()
    clock.setWall(clock.nowMs() + 3_600_000)
    await look()
    assert.deepEqual(frozen(), [])
    clock.setWall(0)
    clock.pass(10_001)
    await look()
    assert.deepEqual(frozen(), [byBot])
  })

  it("ends with each heartbeat", async (t) => {
    const { beat, tokens, look, frozen, current } = await open(t)
    for (let count = 0; count < 5; count++) {
      await beat(tokens.bot)
      current().clock.pass(10_000)
      await look()
    }
    assert.deepEqual(frozen(), [])
  })

  it("stops it once; heartbeats that come again don't thaw it, and it is watched anew", async (t) => {
    const { beat, tokens, look, frozen, armed, current } = await open(t)
    await beat(tokens.bot)
    current().clock.pass(10_001)
    await look()
    await look()
    assert.deepEqual(frozen(), [byBot])
    const since = current().vault.active().freezes[0]?.since
    const heard = await beat(tokens.bot)
    assert.equal(heard.kind === "answer" && heard.heartbeat.frozen, true)
    assert.deepEqual(frozen(), [byBot])
    assert.deepEqual(armed(), ["bot"])
    current().clock.pass(10_001)
    await look()
    assert.equal(current().vault.active().freezes[0]?.since, since, "it is frozen already")
    await thawAsShown(current().test, { scope: "client", name: "bot" })
    await beat(tokens.bot)
    current().clock.pass(10_001)
    await look()
    assert.deepEqual(frozen(), [byBot])
  })

  it("doesn't count after its client was revoked", async (t) => {
    const { beat, tokens, look, frozen, current } = await open(t)
    await beat(tokens.bot)
    await current().test.admin.revokeClient({ name: "bot" })
    current().clock.pass(3_600_000)
    await look()
    assert.deepEqual(frozen(), [])
  })

  it("doesn't count while an operator has taken the right from its client", async (t) => {
    const { beat, tokens, look, frozen, current } = await open(t)
    await beat(tokens.bot)
    await current().test.admin.setClient({ name: "bot", rights: ["prices"] })
    current().clock.pass(3_600_000)
    await look()
    assert.deepEqual(frozen(), [])
    await current().test.admin.setClient({ name: "bot", rights: ["heartbeat"] })
    await look()
    assert.deepEqual(frozen(), [byBot])
  })

  it("counts where its token has expired, for nobody else watches its orders", async (t) => {
    const { beat, tokens, look, frozen, current } = await open(t)
    await beat(tokens.bot)
    const bot = current()
      .vault.active()
      .clients.find(({ name }) => name === "bot")!
    const expired = { ...bot, expires_at: current().vault.now() }
    await current().vault.act({ act: "client_set", client: expired })
    assert.equal(outcomeOf(await beat(tokens.bot)), "token_expired")
    current().clock.pass(10_001)
    await look()
    assert.deepEqual(frozen(), [byBot])
  })

  it("isn't judged by a look that comes late, since beats may wait unread, but by the next", async (t) => {
    const { beat, tokens, frozen, settle, current } = await open(t)
    await beat(tokens.bot)
    current().clock.pass(60_000)
    current().look()
    await settle()
    assert.deepEqual(frozen(), [])
    current().clock.pass(60_000)
    current().look()
    await settle()
    assert.deepEqual(frozen(), [byBot], "late once more, and judged")
  })
})

describe("a restart", () => {
  it("goes on watching a client that was heard before: its silence begins at the start", async (t) => {
    const { beat, tokens, look, frozen, armed, restart, current } = await open(t)
    await beat(tokens.bot)
    await restart()
    assert.deepEqual(armed(), ["bot"])
    current().clock.pass(10_000)
    await look()
    assert.deepEqual(frozen(), [])
    current().clock.pass(1)
    await look()
    assert.deepEqual(frozen(), [byBot])
  })

  it("doesn't watch one that was missed and stopped already", async (t) => {
    const { beat, tokens, look, frozen, armed, restart, current } = await open(t)
    await beat(tokens.bot)
    current().clock.pass(10_001)
    await look()
    await restart()
    assert.deepEqual(armed(), [])
    await thawAsShown(current().test, { scope: "client", name: "bot" })
    current().clock.pass(3_600_000)
    await look()
    assert.deepEqual(frozen(), [])
  })
})

describe("a missed heartbeat that panics", () => {
  it("freezes everything and gives the cancels of venue.yaml to the gate", async (t) => {
    const { beat, tokens, look, frozen, current } = await open(t)
    await beat(tokens.dead)
    current().clock.pass(10_001)
    await look()
    assert.deepEqual(frozen(), [byDead])
    const { vault, test } = current()
    assert.equal(outcomeOf(await test.sign(tokens.without, limitOrder())), "frozen")
    const [request, ...others] = await vault.outbox.take()
    assert.deepEqual(others, [])
    assert.equal(request?.path, "/v1/trade/orders/cancel-all")
    const body = JSON.parse(request.body) as Record<string, unknown>
    assert.equal(body["symbol_id"], 1)
    assert.equal(body["signer_address"], vault.active().keys.get("mm")?.address)
    const record = await recordOf(vault.ledger, request.record, ledgerTime(Date.now()))
    assert.deepEqual([record?.client, record?.key, record?.operation], ["panic", "mm", "cancelAll"])
  })

  it("freezes all the same where venue.yaml says nothing to cancel by", async (t) => {
    const { beat, tokens, look, frozen, armed, current } = await open(t, { panic: "" })
    await beat(tokens.dead)
    current().clock.pass(10_001)
    await look()
    assert.deepEqual(frozen(), [byDead])
    assert.deepEqual(armed(), [])
  })

  it("cancels again when the client came back and fell silent again", async (t) => {
    const { beat, tokens, look, frozen, current } = await open(t)
    for (let time = 0; time < 2; time++) {
      await beat(tokens.dead)
      current().clock.pass(10_001)
      await look()
      const [request] = await current().vault.outbox.take()
      assert.ok(request)
      current().vault.outbox.heard(request.record, { kind: "sent" })
    }
    assert.deepEqual(frozen(), [byDead])
  })
})

describe("the heartbeats of several hosts", () => {
  /** Hosts that hear of each other at once. */
  function hosts() {
    const clock = fakeClock()
    const beats = new Map<string, number>()
    const host = () => {
      const heartbeats = openHeartbeats(clock)
      let seen = new Map<string, number>()
      const tellHeard = (clients: readonly string[]) => {
        for (const client of clients) beats.set(client, (beats.get(client) ?? 0) + 1)
        const heard = [...beats].filter(([client, count]) => seen.get(client) !== count)
        seen = new Map(beats)
        return Promise.resolve(heard.map(([client]) => client))
      }
      return { ...heartbeats, exchange: () => heartbeats.exchange({ tellHeard }) }
    }
    return { clock, a: host(), b: host() }
  }

  it("count from when any of them was told of the last", async () => {
    const { clock, a, b } = hosts()
    clock.pass(5_000)
    a.hear("bot")
    await a.exchange()
    assert.equal(b.silentMs("bot"), 5_000)
    clock.pass(1_000)
    await b.exchange()
    assert.deepEqual(
      [a, b].map((host) => host.silentMs("bot")),
      [0, 0],
    )
    await a.exchange()
    assert.equal(a.silentMs("bot"), 1_000)
  })

  it("say nothing of a time in which the hosts couldn't tell each other", async () => {
    const { clock, a, b } = hosts()
    a.hear("bot")
    for (const host of [a, b]) await host.exchange()
    clock.pass(999)
    const late = b.exchange()
    clock.pass(60_000)
    assert.equal(b.silentMs("bot"), 0)
    await late
    assert.equal(b.silentMs("bot"), 999)
  })

  it("count from when silence began to count here, where that is later", async () => {
    const { clock, a, b } = hosts()
    b.hear("bot")
    for (const host of [b, a]) await host.exchange()
    clock.pass(60_000)
    const beganMs = clock.monotonicMs()
    clock.pass(250)
    for (const host of [a, b]) host.begin("bot", beganMs)
    for (const host of [a, b]) await host.exchange()
    assert.deepEqual(
      [a, b].map((host) => host.silentMs("bot")),
      [250, 250],
    )
    b.hear("bot")
    b.begin("bot", beganMs)
    assert.equal(b.silentMs("bot"), 0)
  })

  it("don't go on by being told: who isn't heard any more is silent on all", async () => {
    const { clock, a, b } = hosts()
    a.hear("bot")
    for (let time = 0; time < 10; time += 1) {
      clock.pass(1_000)
      await a.exchange()
      await b.exchange()
    }
    assert.deepEqual(
      [a, b].map((host) => host.silentMs("bot")),
      [9_000, 9_000],
    )
  })
})
