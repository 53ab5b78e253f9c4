import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setTimeout } from "node:timers/promises"

import { gateLimits } from "../../../../src/gate/process/gate-limits.ts"
import type { Sent } from "../../../../src/gate/upstream/exchange.ts"
import type { Upstream } from "../../../../src/gate/upstream/upstream.ts"
import { momentIn } from "../../../../src/std/time/moment.ts"
import { signedBody, token } from "../../../support/fake-vault.ts"
import { assertRefused, jsonHeaders, startGate } from "../../../support/gate.ts"
import { connectRaw } from "../../../support/link-peer.ts"
import { httpText, startRawVenue } from "../../../support/raw-venue.ts"
import { unwatched } from "../../../support/send-ask.ts"

const path = "/v1/trade/orders"
const expiresAfter = 1_000
const goodForMs = 500

describe("POST /v1", () => {
  it("passes the venue's status and body on as they came, and tells the vault in order", async (t) => {
    const body = '{ "code":"0",\n"msg":"","data":{},"trace_code":"" }'
    const venue = await startRawVenue(t, {
      onRequest: (socket) =>
        socket.write(httpText(body, "201 Created", "Set-Cookie: a=b\r\nRetry-After: 7\r\n")),
    })
    const gate = await startGate(t, { upstream: venue.base })
    const reply = await gate.post(path, '{"symbol_id":1}', { "countersign-key": "mm" })
    assert.equal(reply.status, 201)
    assert.equal(reply.text, body)
    assert.equal(reply.headers["countersign-source"], "venue")
    assert.equal(reply.headers["countersign-record"], "r-1")
    assert.equal(reply.headers["content-type"], "application/json")
    assert.equal(reply.headers["retry-after"], "7")
    assert.equal(reply.headers["set-cookie"], undefined)
    assert.ok(venue.received[0]?.endsWith(`\r\n\r\n${signedBody}`))
    assert.deepEqual(await gate.vault.outcomes(2), [
      { kind: "sent" },
      { kind: "accepted", status: 201, code: "0" },
    ])
    const [sign, report] = gate.vault.calls
    assert.ok(sign?.method === "sign" && sign.params.purpose === "forward")
    assert.deepEqual(report?.params, { token, record: "r-1", outcome: { kind: "sent" } })
  })

  it("sends nothing of the bot's but a well-formed traceparent", async (t) => {
    const venue = await startRawVenue(t, { onRequest: (socket) => socket.write(httpText("{}")) })
    const gate = await startGate(t, { upstream: venue.base })
    const good = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
    const sent = { cookie: "canary", "x-canary": "canary", "user-agent": "canary" }
    await gate.post(path, "{}", { ...sent, traceparent: good })
    assert.match(venue.received.join(""), new RegExp(`\r\ntraceparent: ${good}\r\n`))
    const strange = [
      `ff-${"a".repeat(32)}-${"b".repeat(16)}-01`,
      `00-${"0".repeat(32)}-${"b".repeat(16)}-01`,
      `00-${"a".repeat(32)}-${"0".repeat(16)}-01`,
      `${good}-x`,
      good.toUpperCase(),
      [good, good],
    ]
    for (const traceparent of strange) await gate.post(path, "{}", { ...sent, traceparent })
    const all = venue.received.join("")
    assert.equal(all.split("traceparent").length, 2)
    assert.doesNotMatch(all, /canary|cs_|authorization/i)
  })

  it("tells the vault of the venue's clock with the outcome, where the answer told it", async (t) => {
    const venueClock = { leastMs: -20, mostMs: 1_030 }
    const gate = await startGate(t, {
      upstream: fakeUpstream((ask) => {
        ask.maySend()
        return { ...answered(200, '{"code":"0"}'), venueClock }
      }),
    })
    await gate.post(path)
    await gate.vault.outcomes(2)
    const told = gate.vault.calls.flatMap((call) =>
      call.method === "report" ? [call.params.venueClock] : [],
    )
    assert.deepEqual(told, [undefined, venueClock])
  })

  it("passes on what isn't the envelope, whole and with its status, and reports it as unknown", async (t) => {
    const long = "x".repeat(gateLimits.maxUpstreamAnswerBytes)
    for (const [status, text, type] of [
      [200, "<html>hello</html>", "text/html"],
      [404, "", "text/plain"],
      [502, '{"code":502}', "application/json"],
      [200, "\u0000\u00ff{", "application/octet-stream"],
      [200, long, "text/plain"],
    ] as const) {
      const head = `HTTP/1.1 ${status} X\r\nContent-Type: ${type}\r\nServer: canary\r\n`
      const length = Buffer.byteLength(text)
      const venue = await startRawVenue(t, {
        onRequest: (socket) => socket.write(`${head}Content-Length: ${length}\r\n\r\n${text}`),
      })
      const gate = await startGate(t, { upstream: venue.base })
      const reply = await gate.post(path)
      assert.deepEqual([reply.status, reply.headers["content-type"]], [status, type])
      assert.ok(reply.text === text)
      assert.deepEqual(
        [reply.headers["countersign-source"], reply.headers["server"]],
        ["venue", undefined],
      )
      assert.deepEqual((await gate.vault.outcomes(2))[1], { kind: "unknown", status })
    }
  })

  it("signs nothing when no venue is configured", async (t) => {
    const gate = await startGate(t)
    assertRefused(await gate.post(path), 501, "base_url_missing")
    assert.deepEqual(gate.vault.calls, [])
  })

  it("sends nothing that was refused", async (t) => {
    const refusal = { code: "unauthorized", message: "No.", data: null } as const
    const gate = await startGate(t, {
      upstream: fakeUpstream(() => assert.fail("sent")),
      script: { sign: () => ({ kind: "refused", refusal, record: null }) },
    })
    assertRefused(await gate.post(path), 401, "unauthorized")
  })

  it("sends one millisecond before the request expires, and not when it does", async (t) => {
    const sends: string[] = []
    let goodForMs = 1
    const gate = await startGate(t, {
      upstream: fakeUpstream((ask) => {
        assert.equal(ask.maySend(), true)
        sends.push(ask.body)
        return answered(200, '{"code":"0"}')
      }),
      clock: () => 0,
      script: { sign: () => ({ ...signExpiring(), goodForMs }) },
    })
    assert.equal((await gate.post(path)).status, 200)
    goodForMs = 0
    const late = await gate.post(path)
    assertRefused(late, 504, "too_late")
    assert.deepEqual(late.envelope.data, { record: "r-9", expires_after: expiresAfter })
    assert.equal(sends.length, 1)
    const outcomes = await gate.vault.outcomes(3)
    assert.deepEqual(outcomes[2], { kind: "unsent" })
  })

  it("sends nothing that other hosts count on not to come out any more", async (t) => {
    let [leftMs, sends] = [60_000, 0]
    const gate = await startGate(t, {
      upstream: fakeUpstream((ask) => {
        assert.equal(ask.maySend(), true)
        sends += 1
        return answered(200, '{"code":"0"}')
      }),
      clock: () => 0,
      script: { sign: () => ({ ...signExpiring(), outBy: momentIn(leftMs) }) },
    })
    assert.equal((await gate.post(path)).status, 200)
    leftMs = -1
    assertRefused(await gate.post(path), 504, "too_late")
    assert.equal(sends, 1)
    assert.deepEqual((await gate.vault.outcomes(3))[2], { kind: "unsent" })
  })

  it("sends nothing that expired while it connected", async (t) => {
    let nowMs = 0
    const gate = await startGate(t, {
      upstream: fakeUpstream((ask) => {
        nowMs = goodForMs
        assert.equal(ask.maySend(), false)
        return { kind: "unsent", cause: "held back" }
      }),
      clock: () => nowMs,
      script: { sign: signExpiring },
    })
    assertRefused(await gate.post(path), 504, "too_late")
    assert.deepEqual(await gate.vault.outcomes(1), [{ kind: "unsent" }])
  })

  it("says that nothing was sent when nothing was", async (t) => {
    const gate = await startGate(t, {
      upstream: fakeUpstream(() => ({ kind: "unsent", cause: new Error("canary") })),
    })
    const reply = await gate.post(path)
    assertRefused(reply, 502, "upstream_unreachable")
    assert.equal(reply.headers["countersign-record"], "r-1")
    assert.deepEqual(await gate.vault.outcomes(1), [{ kind: "unsent" }])
    assert.match(
      reply.envelope.msg,
      /couldn't be reached at https:\/\/venue\.test, so nothing was sent/,
    )
    assert.doesNotMatch(reply.text + JSON.stringify(gate.logged), /canary/)
  })

  for (const status of [null, 200]) {
    it(`says that the outcome is unknown when it is, at status ${status}`, async (t) => {
      const gate = await startGate(t, {
        upstream: fakeUpstream((ask) => (ask.maySend(), { kind: "unknown", status, cause: "cut" })),
        clock: () => 0,
        script: { sign: signExpiring },
      })
      const reply = await gate.post(path)
      assertRefused(reply, 504, "upstream_outcome_unknown")
      assert.deepEqual(reply.envelope.data, { record: "r-9", expires_after: expiresAfter })
      assert.equal(reply.headers["countersign-record"], "r-9")
      assert.deepEqual(await gate.vault.outcomes(2), [
        { kind: "sent" },
        { kind: "unknown", status },
      ])
    })
  }

  it("sends once what is asked for again, though the vault's answer to that comes long after the venue's", async (t) => {
    const [sent, late] = [Promise.withResolvers<Sent>(), Promise.withResolvers<undefined>()]
    const reports = Promise.withResolvers<undefined>()
    let [asked, sends] = [0, 0]
    const gate = await startGate(t, {
      upstream: fakeUpstream((ask) => {
        ask.maySend()
        sends += 1
        return sent.promise
      }),
      script: {
        async sign() {
          asked += 1
          if (asked === 1) return { ...signExpiring(), repeat: "first" }
          sent.resolve(answered(400, '{"code":"10001"}'))
          await late.promise
          return { ...signExpiring(), repeat: "perhaps_sent" }
        },
        report({ outcome }) {
          if (outcome.kind === "refused") reports.resolve(undefined)
          return { kind: "answer" }
        },
      },
      clock: () => 0,
    })
    const replies = [gate.post(path), gate.post(path)]
    assert.equal((await replies[0])?.status, 400)
    await reports.promise
    await setTimeout(100)
    late.resolve(undefined)
    const repeat = await replies[1]
    assert.deepEqual([repeat?.status, repeat?.headers["countersign-repeat"]], [400, "1"])
    assert.equal(sends, 1)
  })

  for (const { what, sign } of [
    { what: "broke", sign: () => Promise.reject(new Error("broke")) },
    {
      what: "was refused",
      sign: () => {
        const refusal = { code: "unauthorized", message: "No.", data: null } as const
        return Promise.resolve({ kind: "refused", refusal, record: null } as const)
      },
    },
    {
      what: "was for a bot that hung up",
      sign: async (hungUp: Promise<unknown>) => {
        await hungUp
        return { ...signExpiring(), record: "r-0" }
      },
    },
  ]) {
    it(`keeps no answer for ever because of an earlier ask that ${what}`, async (t) => {
      const hungUp = Promise.withResolvers<undefined>()
      let [asked, sends] = [0, 0]
      const gate = await startGate(t, {
        upstream: fakeUpstream((ask) => {
          ask.maySend()
          sends += 1
          return answered(400, '{"code":"10001"}')
        }),
        script: {
          async sign() {
            asked += 1
            if (asked === 1) return sign(hungUp.promise)
            return { ...signExpiring(), repeat: asked === 2 ? "first" : "perhaps_sent" }
          },
        },
        clock: () => 0,
      })
      const bot = await connectRaw(gate.port)
      bot.send(rawPost(gate.port))
      while (asked === 0) await setTimeout(1)
      bot.socket.destroy()
      await bot.closed()
      hungUp.resolve(undefined)
      assert.equal((await gate.post(path)).status, 400)
      const before = sends
      for (let tries = 0; sends === before && tries < 100; tries++) {
        await setTimeout(10)
        await gate.post(path)
      }
      assert.equal(sends, before + 1)
    })
  }

  it("reports the outcome also when the bot has hung up", async (t) => {
    const started = Promise.withResolvers<undefined>()
    const answer = Promise.withResolvers<Sent>()
    const gate = await startGate(t, {
      upstream: fakeUpstream((ask) => {
        ask.maySend()
        started.resolve(undefined)
        return answer.promise
      }),
    })
    const bot = await connectRaw(gate.port)
    bot.send(rawPost(gate.port))
    await started.promise
    bot.socket.destroy()
    await bot.closed()
    answer.resolve(answered(400, '{"code":"10001"}'))
    assert.deepEqual((await gate.vault.outcomes(2))[1], {
      kind: "refused",
      status: 400,
      code: "10001",
    })
  })

  it("finishes what is at work, reports included, before it stops", async (t) => {
    const started = Promise.withResolvers<undefined>()
    const answer = Promise.withResolvers<Sent>()
    const gate = await startGate(t, {
      upstream: fakeUpstream((ask) => {
        ask.maySend()
        started.resolve(undefined)
        return answer.promise
      }),
      limits: { stopMs: 10_000 },
    })
    const reply = gate.post(path)
    await started.promise
    const stopped = gate.stop()
    await assert.rejects(gate.post(path), /ECONNREFUSED/)
    answer.resolve(answered(200, '{"code":"0"}'))
    assert.equal((await reply).status, 200)
    await stopped
    assert.equal((await gate.vault.outcomes(0)).length, 2)
  })

  it("stops in bounded time when something doesn't finish", async (t) => {
    const started = Promise.withResolvers<undefined>()
    const gate = await startGate(t, {
      upstream: fakeUpstream(() => {
        started.resolve(undefined)
        return new Promise(() => undefined)
      }),
      limits: { stopMs: 20 },
    })
    const reply = assert.rejects(gate.post(path))
    await started.promise
    await gate.stop()
    await reply
  })

  it("answers the bot and logs when a report is lost or refused", async (t) => {
    const refusal = { code: "unknown_record", message: "None.", data: null } as const
    const reports = [
      () => ({ kind: "refused", refusal, record: null }) as const,
      () => {
        throw new Error("canary")
      },
    ]
    const gate = await startGate(t, {
      upstream: fakeUpstream((ask) => (ask.maySend(), answered(200, '{"code":"0"}'))),
      script: { report: () => reports.shift()?.() ?? assert.fail("a third report") },
    })
    assert.equal((await gate.post(path)).status, 200)
    await gate.vault.outcomes(2)
    await gate.stop()
    const events = gate.logged.filter(({ level }) => level === "error").map(({ event }) => event)
    assert.deepEqual(events.sort(), ["report_lost", "report_refused"])
    assert.doesNotMatch(JSON.stringify(gate.logged), /canary|cs_/)
  })
})

function fakeUpstream(
  send: (ask: Parameters<Upstream["send"]>[0]) => Sent | Promise<Sent>,
): Upstream {
  return {
    address: "https://venue.test",
    send: async (ask) => send(ask),
    fetch: () => Promise.reject(new Error("nothing is read here")),
    ...unwatched,
    close: () => Promise.resolve(),
  }
}

function answered(status: number, body: string): Sent {
  return { kind: "answered", answer: { status, headers: {}, body: Buffer.from(body) } }
}

function signExpiring() {
  return { kind: "answer", record: "r-9", path, body: signedBody, expiresAfter, goodForMs } as const
}

function rawPost(port: number): string {
  const headers = Object.entries(jsonHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers.join("")}Content-Length: 2\r\n\r\n{}`
}
