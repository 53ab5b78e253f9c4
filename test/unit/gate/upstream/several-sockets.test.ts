import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Upstream } from "../../../../src/gate/upstream/upstream.ts"
import type { OpenSigning } from "../../../../src/contract/signing.ts"
import { limitOrder } from "../../../support/bot.ts"
import { askHttp, assertRefused, jsonHeaders, startGate } from "../../../support/gate.ts"
import { unwatched } from "../../../support/send-ask.ts"

const order = {
  method: "POST",
  path: "/v1/trade/orders",
  body: JSON.stringify(limitOrder()),
} as const

describe("a gate on a port and a Unix socket", () => {
  it("sends a request once that arrives again on the other while it is under way", async (t) => {
    const answer = Promise.withResolvers<undefined>()
    let sentCount = 0
    const upstream: Upstream = {
      address: "https://venue.test",
      async send(ask) {
        ask.maySend()
        sentCount += 1
        await answer.promise
        const body = Buffer.from('{"code":"0"}')
        return { kind: "answered", answer: { status: 200, headers: {}, body } }
      },
      fetch: () => Promise.reject(new Error("nothing is read here")),
      ...unwatched,
      close: () => Promise.resolve(),
    }
    let signedCount = 0
    const gate = await startGate(t, {
      upstream,
      script: {
        sign({ path }) {
          signedCount += 1
          if (signedCount === 2) answer.resolve(undefined)
          const repeat = signedCount === 1 ? "first" : "perhaps_sent"
          const expiresAfter = Number.MAX_SAFE_INTEGER
          return {
            kind: "answer",
            record: "r-1",
            path,
            body: "{}",
            expiresAfter,
            goodForMs: 15_000,
            repeat,
          }
        },
      },
    })
    const path = await gate.openUnix()
    const headers = { ...jsonHeaders, "idempotency-key": "k-1" }
    const replies = await Promise.all([
      askHttp(gate.port, { ...order, headers }),
      askHttp(path, { ...order, headers: { ...headers, host: "localhost" } }),
    ])
    assert.deepEqual(
      replies.map(({ status, text }) => [status, text]),
      [
        [200, '{"code":"0"}'],
        [200, '{"code":"0"}'],
      ],
    )
    assert.deepEqual([signedCount, sentCount], [2, 1])
  })

  it("counts what is at work on both together", async (t) => {
    const asked = Promise.withResolvers<undefined>()
    const held = Promise.withResolvers<OpenSigning>()
    const gate = await startGate(t, {
      limits: { maxInFlight: 1 },
      script: {
        health() {
          asked.resolve(undefined)
          return held.promise
        },
      },
    })
    const path = await gate.openUnix()
    const first = gate.ask({ path: "/readyz" })
    await asked.promise
    assertRefused(await askHttp(path, { path: "/readyz" }), 503, "overloaded")
    held.resolve({ signs: "all", reasons: [] } as const)
    assert.equal((await first).status, 200)
  })

  it("finishes what is at work on both when it stops", async (t) => {
    const asked = Promise.withResolvers<undefined>()
    const held = Promise.withResolvers<OpenSigning>()
    let askedCount = 0
    const gate = await startGate(t, {
      limits: { stopMs: 30_000 },
      script: {
        health() {
          askedCount += 1
          if (askedCount === 2) asked.resolve(undefined)
          return held.promise
        },
      },
    })
    const path = await gate.openUnix()
    const replies = [gate.port, path].map((to) => askHttp(to, { path: "/readyz" }))
    await asked.promise
    const stopped = gate.stop()
    held.resolve({ signs: "all", reasons: [] } as const)
    for (const reply of replies) assert.equal((await reply).status, 200)
    await stopped
    for (const to of [gate.port, path]) {
      await assert.rejects(askHttp(to, { path: "/healthz" }), /ECONNREFUSED|ENOENT/)
    }
  })
})

describe("Host on a Unix socket", () => {
  for (const [host, isOurs] of [
    ["localhost", true],
    ["LocalHost", true],
    ["127.0.0.1", true],
    ["bots.internal", true],
    ["localhost:8420", false],
    ["bots.internal:8420", false],
    ["evil.example", false],
  ] as const) {
    it(`${isOurs ? "may" : "can't"} be ${host}`, async (t) => {
      const gate = await startGate(t, { allowedHosts: ["bots.internal"] })
      const path = await gate.openUnix()
      const reply = await askHttp(path, { path: "/healthz", headers: { host } })
      if (isOurs) assert.equal(reply.status, 200)
      else assertRefused(reply, 421, "misdirected_host")
    })
  }

  it("isn't enough without our port on a port", async (t) => {
    const gate = await startGate(t)
    await gate.openUnix()
    const ask = { path: "/healthz", headers: { host: "localhost" } }
    assertRefused(await gate.ask(ask), 421, "misdirected_host")
    assert.equal((await gate.ask({ path: "/healthz" })).status, 200)
  })
})

describe("a gate that knows no settings yet", () => {
  it("says of itself that it runs, and of all else that the vault isn't there", async (t) => {
    const gate = await startGate(t, { settings: () => undefined })
    assert.equal((await gate.ask({ path: "/healthz" })).status, 200)
    for (const host of [`127.0.0.1:${gate.port}`, "bots.internal"]) {
      for (const path of ["/v1/trade/orders", "/sign/v1/trade/orders", "/readyz", "/whoami"]) {
        const reply = await gate.ask({ ...order, path, headers: { ...jsonHeaders, host } })
        assertRefused(reply, 503, "vault_unavailable")
        assert.equal(reply.headers["retry-after"], "1")
      }
    }
    assert.deepEqual(gate.vault.calls, [])
  })
})
