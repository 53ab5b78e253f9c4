import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { Sent } from "../../../../src/gate/upstream/exchange.ts"
import type { Upstream } from "../../../../src/gate/upstream/upstream.ts"
import type { BotParams } from "../../../../src/link/calls/methods.ts"
import { maxKeptAnswerBytes } from "../../../../src/link/calls/both-ways.ts"
import { type Repeat } from "../../../../src/contract/signed.ts"
import { signedBody, token } from "../../../support/fake-vault.ts"
import {
  assertRefused,
  jsonHeaders,
  startGate,
  type TestGateOptions,
} from "../../../support/gate.ts"
import { unwatched } from "../../../support/send-ask.ts"

const path = "/v1/trade/orders"
const keyed = { "idempotency-key": "k-1" }
const expiresAfter = Number.MAX_SAFE_INTEGER

/** A vault that has signed `record` for every call, as `repeat` says. */
function signs(repeat: Repeat | undefined, record = "r-1") {
  return ({ path: signedPath }: BotParams["sign"]) => ({
    kind: "answer" as const,
    ...{ record, path: signedPath, body: signedBody, expiresAfter, goodForMs: 15_000 },
    ...(repeat !== undefined && { repeat }),
  })
}

function answered(status: number, body: string | Buffer): Sent {
  const headers = { "content-type": "application/json" }
  return { kind: "answered", answer: { status, headers, body: Buffer.from(body) } }
}

/** A venue whose answers the test gives, one by one. */
function scriptedUpstream(answer: (count: number) => Sent | Promise<Sent>) {
  const bodies: string[] = []
  const upstream: Upstream = {
    address: "https://venue.test",
    send: async (ask) => {
      ask.maySend()
      return answer(bodies.push(ask.body))
    },
    fetch: () => Promise.reject(new Error("nothing is read here")),
    ...unwatched,
    close: () => Promise.resolve(),
  }
  return { upstream, bodies }
}

function start(t: TestContext, repeat: Repeat | undefined, options: TestGateOptions) {
  return startGate(t, { script: { sign: signs(repeat) }, ...options })
}

describe("an idempotency key", () => {
  it("goes to the vault as it came, for signing and forwarding", async (t) => {
    const { upstream } = scriptedUpstream(() => answered(200, '{"code":"0"}'))
    const gate = await startGate(t, { upstream })
    const longest = "!~".repeat(32)
    await gate.post(path, "{}", { "Idempotency-Key": longest })
    await gate.post(`/sign${path}`, "{}", keyed)
    await gate.post(`/sign${path}`)
    const keys = gate.vault.calls.flatMap((call) =>
      call.method === "sign" ? [[call.params.purpose, call.params.idempotencyKey]] : [],
    )
    assert.deepEqual(keys, [
      ["forward", longest],
      ["return", "k-1"],
      ["return", undefined],
    ])
  })

  it("is told as repeated on the signed body", async (t) => {
    for (const [repeat, header] of [
      [undefined, undefined],
      ["first", undefined],
      ["perhaps_sent", "1"],
    ] as const) {
      const gate = await start(t, repeat, {})
      const reply = await gate.post(`/sign${path}`, "{}", keyed)
      assert.deepEqual([reply.status, reply.text], [200, signedBody])
      assert.equal(reply.headers["countersign-repeat"], header)
      assert.equal(reply.headers["countersign-record"], "r-1")
    }
  })
})

describe("a forwarded request with a key", () => {
  it("has its answer kept, and one without a key has not", async (t) => {
    for (const repeat of ["first", undefined] as const) {
      const { upstream } = scriptedUpstream(() => answered(200, '{"code":"0"}'))
      const gate = await start(t, repeat, { upstream })
      const reply = await gate.post(path, "{}", keyed)
      assert.equal(reply.headers["countersign-repeat"], undefined)
      const [, told] = await gate.vault.outcomes(2)
      const body = Buffer.from('{"code":"0"}').toString("base64")
      const answer = repeat && { body, type: "application/json" }
      assert.deepEqual(told, {
        kind: "accepted",
        status: 200,
        code: "0",
        ...(answer && { answer }),
      })
    }
  })

  for (const [more, isKept] of [
    [0, true],
    [1, false],
  ] as const) {
    it(`has an answer of 64 KiB and ${more} bytes ${isKept ? "kept" : "told, but not kept"}`, async (t) => {
      const envelope = '{"code":"0","pad":""}'
      const pad = "x".repeat(maxKeptAnswerBytes + more - envelope.length)
      const body = envelope.replace('""', `"${pad}"`)
      const { upstream } = scriptedUpstream(() => answered(200, body))
      const gate = await start(t, "first", { upstream })
      assert.equal((await gate.post(path, "{}", keyed)).text.length, maxKeptAnswerBytes + more)
      const [, told] = await gate.vault.outcomes(2)
      assert.ok(told?.kind === "accepted")
      assert.equal(told.answer !== undefined, isKept)
    })
  }

  it("is sent once for 50 that come at once, and each gets the answer", async (t) => {
    let release: (sent: Sent) => void = () => undefined
    const { upstream, bodies } = scriptedUpstream(
      () => new Promise((resolve) => (release = resolve)),
    )
    let count = 0
    const gate = await startGate(t, {
      upstream,
      script: { sign: (params) => signs(++count === 1 ? "first" : "perhaps_sent")(params) },
    })
    const replies = Array.from({ length: 50 }, () => gate.post(path, "{}", keyed))
    while (gate.vault.calls.filter(({ method }) => method === "sign").length < 50) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    await gate.vault.outcomes(1)
    release(answered(400, '{"code":"10001"}'))
    const all = await Promise.all(replies)
    assert.deepEqual(new Set(all.map(({ text }) => text)), new Set(['{"code":"10001"}']))
    assert.equal(all.filter(({ headers }) => headers["countersign-repeat"] === "1").length, 49)
    assert.deepEqual(bodies, [signedBody])
  })

  it("gets the answer that the vault kept, and isn't sent", async (t) => {
    const body = '{ "code": "0" }'
    const { upstream, bodies } = scriptedUpstream(() => assert.fail("sent"))
    const gate = await startGate(t, {
      upstream,
      script: {
        sign: () => ({
          kind: "answered",
          record: "r-1",
          answer: { status: 201, body: Buffer.from(body).toString("base64"), type: "text/x" },
        }),
      },
    })
    const reply = await gate.post(path, "{}", keyed)
    assert.deepEqual([reply.status, reply.text], [201, body])
    assert.equal(reply.headers["countersign-source"], "venue")
    assert.equal(reply.headers["countersign-record"], "r-1")
    assert.equal(reply.headers["countersign-repeat"], "1")
    assert.equal(reply.headers["content-type"], "text/x")
    assert.deepEqual(bodies, [])
  })
})

describe("a repeat that may have been sent before", () => {
  it("is sent again, and an acceptance is one", async (t) => {
    const { upstream, bodies } = scriptedUpstream(() => answered(200, '{"code":"0"}'))
    const gate = await start(t, "perhaps_sent", { upstream })
    const reply = await gate.post(path, "{}", keyed)
    assert.deepEqual([reply.status, reply.headers["countersign-repeat"]], [200, "1"])
    const [sent, told] = await gate.vault.outcomes(2)
    assert.deepEqual(sent, { kind: "sent" })
    assert.ok(told?.kind === "accepted" && told.answer !== undefined)
    assert.deepEqual(bodies, [signedBody])
  })

  it("stays unknown when the venue refuses it", async (t) => {
    const { upstream } = scriptedUpstream(() => answered(400, '{"code":"10012"}'))
    const gate = await start(t, "perhaps_sent", { upstream })
    const reply = await gate.post(path, "{}", keyed)
    assertRefused(reply, 504, "upstream_outcome_unknown")
    assert.deepEqual(reply.envelope.data, {
      record: "r-1",
      expires_after: expiresAfter,
      venue: { status: 400, code: "10012" },
    })
    assert.equal(reply.headers["countersign-repeat"], "1")
    assert.equal(reply.headers["countersign-record"], "r-1")
    const [, told] = await gate.vault.outcomes(2)
    assert.deepEqual(told, { kind: "refused", status: 400, code: "10012", again: true })
  })

  it("is told as accepted, with what finds it, where the vault has the refusal for a proof", async (t) => {
    const data = {
      ...{ record: "r-1", nonce: 1, expires_after: 2, client_order_id: "q-1" },
      signing_hash: `0x${"5b".repeat(32)}`,
    }
    const refusal = { code: "already_accepted", message: "It did.", data } as const
    const { upstream, bodies } = scriptedUpstream(() => answered(400, '{"code":"10012"}'))
    let isProven = false
    const gate = await startGate(t, {
      upstream,
      script: {
        sign: (asked) =>
          isProven ? { kind: "refused", refusal, record: "r-2" } : signs("perhaps_sent")(asked),
        report: ({ outcome }) => {
          isProven = outcome.kind === "refused"
          return { kind: "answer" }
        },
      },
    })
    const reply = await gate.post(path, "{}", keyed)
    assertRefused(reply, 409, "already_accepted")
    assert.deepEqual(reply.envelope.data, data)
    assert.equal(reply.headers["countersign-record"], "r-1")
    assert.equal(reply.headers["countersign-repeat"], "1")
    assert.equal(bodies.length, 1)
  })

  it("is sent anew each time that the outcome stays unknown", async (t) => {
    const { upstream, bodies } = scriptedUpstream((count) =>
      count < 3 ? { kind: "unknown", status: null, cause: "lost" } : answered(200, '{"code":"0"}'),
    )
    const gate = await start(t, "perhaps_sent", { upstream })
    const statuses: number[] = []
    for (let count = 0; count < 3; count++) {
      statuses.push((await gate.post(path, "{}", keyed)).status)
    }
    assert.deepEqual(statuses, [504, 504, 200])
    assert.equal(bodies.length, 3)
  })
})

describe("a repeat of what never left", () => {
  it("is sent anew at once when the venue's answer told nothing", async (t) => {
    const { upstream, bodies } = scriptedUpstream((count) =>
      count === 1 ? answered(503, "busy") : answered(200, '{"code":"0"}'),
    )
    const gate = await start(t, "perhaps_sent", { upstream })
    assert.equal((await gate.post(path, "{}", keyed)).status, 503)
    assert.equal((await gate.post(path, "{}", keyed)).status, 200)
    assert.equal(bodies.length, 2)
  })

  it("is sent once the vault has it durably that it may leave now", async (t) => {
    let isDurable = false
    const { upstream } = scriptedUpstream(() => {
      assert.ok(isDurable)
      return answered(400, '{"code":"10001"}')
    })
    const gate = await startGate(t, {
      upstream,
      script: {
        sign: signs("unsent"),
        async report() {
          await new Promise((resolve) => setImmediate(resolve))
          isDurable = true
          return { kind: "answer" }
        },
      },
    })
    const reply = await gate.post(path, "{}", keyed)
    assert.deepEqual([reply.status, reply.text], [400, '{"code":"10001"}'])
    const told = await gate.vault.outcomes(2)
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ["sent", "refused"],
    )
    assert.ok(told[1]?.kind === "refused" && told[1].again === undefined)
  })

  it("takes that back when again nothing left", async (t) => {
    const { upstream } = scriptedUpstream(() => ({ kind: "unsent", cause: "down" }))
    const gate = await start(t, "unsent", { upstream })
    const reply = await gate.post(path, "{}", keyed)
    assertRefused(reply, 502, "upstream_unreachable")
    assert.equal(reply.headers["countersign-repeat"], "1")
    assert.deepEqual(await gate.vault.outcomes(2), [
      { kind: "sent" },
      { kind: "unsent", withdrawn: true },
    ])
  })

  it("isn't sent where the vault doesn't take that it may leave", async (t) => {
    const { upstream, bodies } = scriptedUpstream(() => assert.fail("sent"))
    const refusal = { code: "unknown_record", message: "No.", data: null } as const
    const gate = await startGate(t, {
      upstream,
      script: {
        sign: signs("unsent"),
        report: () => ({ kind: "refused", refusal, record: null }),
      },
    })
    assertRefused(await gate.post(path, "{}", keyed), 500, "internal")
    assert.deepEqual(bodies, [])
  })
})

describe("GET /records?", () => {
  const authorization = `Bearer ${token}`

  it("asks the vault by key or by order", async (t) => {
    const gate = await startGate(t)
    for (const [query, by, value] of [
      ["idempotency_key=k-1", "idempotency_key", "k-1"],
      ["client_order_id=%C3%BC%26%2B+x", "client_order_id", "ü&+ x"],
    ] as const) {
      const reply = await gate.ask({ path: `/records?${query}`, headers: { authorization } })
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.envelope.data, { records: [] })
      assert.deepEqual(gate.vault.calls.at(-1)?.params, { token, by, value })
    }
  })

  for (const query of [
    "",
    "?",
    "?idempotency_key=",
    "?idempotency_key",
    "?id=rec_1",
    "?idempotency_key=a&client_order_id=b",
    "?idempotency_key=a&idempotency_key=b",
    `?client_order_id=${"a".repeat(257)}`,
  ]) {
    it(`refuses ${query.slice(0, 40) || "no query"}`, async (t) => {
      const gate = await startGate(t)
      const reply = await gate.ask({ path: `/records${query}`, headers: jsonHeaders })
      assertRefused(reply, 400, "invalid_header")
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  it("needs a token", async (t) => {
    const gate = await startGate(t)
    assertRefused(await gate.ask({ path: "/records?idempotency_key=a" }), 401, "unauthorized")
  })
})
