import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { createClient } from "../../../src/client/create-client.ts"
import { type Failure } from "../../../src/client/answer.ts"
import { type Waiting } from "../../../src/client/send-until-clear.ts"

const order = { symbol_id: 1, is_buy: true, quantity: "0.1" }
const path = "/v1/trade/orders"
const token = "cs_a-token-of-tests"

type Canned = Response | Error

/** A client whose daemon gives these answers, one a call; the last stays. */
function clientOf(...answers: readonly Canned[]) {
  const calls: { readonly url: string; readonly init: RequestInit }[] = []
  const fetch = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const answer = answers[Math.min(calls.length, answers.length - 1)]
    assert.ok(answer !== undefined && typeof url === "string")
    calls.push({ url, init })
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer.clone())
  }
  return { client: createClient({ url: "http://daemon", token, fetch }), calls }
}

type Given = {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function answer(source: string, { status = 200, body = {}, headers = {} }: Given = {}): Response {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return new Response(text, { status, headers: { "Countersign-Source": source, ...headers } })
}

function problem(
  status: number,
  code: string,
  { data = {}, headers = {} }: Omit<Given, "body"> & { readonly data?: object } = {},
): Response {
  return answer("daemon", { status, body: { code, msg: "No.", data, trace_code: "" }, headers })
}

/** A spent rate budget. */
function full(retryAfter: string, exactMs: number | null): Response {
  const headers = { "Retry-After": retryAfter }
  return problem(429, "10029", { data: { retry_after_ms: exactMs }, headers })
}

const sentData = { record: "rec_1", expires_after: 1 }
const lost = new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "EPIPE" }) })
const unknown = problem(504, "upstream_outcome_unknown", { data: sentData })
const unreadable = answer("venue", { status: 503, body: "<p>" })
const placed = answer("venue", { body: { code: "0", data: { order_id: "7" } } })

describe("a client's answer", () => {
  it("has the venue's data, and what the headers say", async () => {
    const headers = { "Countersign-Record": "rec_1", "Countersign-Repeat": "1" }
    const body = { code: "0", msg: "", data: { order_id: "7" }, trace_code: "" }
    const { client } = clientOf(answer("venue", { body, headers }))
    assert.deepEqual(await client.send(path, order), {
      ...{ ok: true, source: "venue", status: 200, record: "rec_1", isRepeat: true },
      data: { order_id: "7" },
    })
  })

  it("has the signed text as it came, since that is what was signed", async () => {
    const text = '{"b":1, "a":"\\u00e9"}'
    const { client, calls } = clientOf(answer("daemon", { body: text }))
    const came = await client.sign(path, order)
    assert.ok(came.ok)
    assert.deepEqual(came.data, { text, body: { b: 1, a: "é" } })
    assert.equal(calls[0]?.url, `http://daemon/sign${path}`)
  })

  it("has a refusal's code, data and time to wait", async () => {
    const data = { policy: "bot", limit: "hourly" }
    const { client } = clientOf(
      problem(429, "limit_exhausted", { data, headers: { "Retry-After": "12" } }),
    )
    const came = await client.send(path, order)
    assert.ok(!came.ok && came.source === "daemon" && came.code === "limit_exhausted")
    assert.deepEqual([came.data.limit, came.retryAfterMs, came.status], ["hourly", 12_000, 429])
    assert.equal(came.mayHaveArrived, false)
  })

  it("has the time to wait to the millisecond where the refusal tells it", async () => {
    for (const [header, exactMs, waitMs] of [
      ["2", 1_001, 1_001],
      ["1", 1_000, 1_000],
      ["1", null, 1_000],
      ["1", 3_600_000, 1_000],
    ] as const) {
      const came = await clientOf(full(header, exactMs)).client.send(path, order)
      assert.equal(!came.ok && came.retryAfterMs, waitMs)
    }
  })

  for (const { what, came, mayHaveArrived, code } of [
    { what: "no answer", came: lost, mayHaveArrived: true, code: "no_answer" },
    { what: "a lost answer of the venue", came: unknown, mayHaveArrived: true, code: "" },
    { what: "a failing venue", came: unreadable, mayHaveArrived: true, code: "" },
    {
      what: "a failing venue with words",
      came: answer("venue", { status: 500, body: { code: "90001" } }),
      ...{ mayHaveArrived: true, code: "90001" },
    },
    {
      what: "a venue that says yes with 400",
      came: answer("venue", { status: 400, body: { code: "0" } }),
      ...{ mayHaveArrived: true, code: "0" },
    },
    {
      what: "a venue that points elsewhere",
      came: answer("venue", { status: 302, body: { code: "90404" } }),
      ...{ mayHaveArrived: true, code: "90404" },
    },
    {
      what: "a venue that says no with 499",
      came: answer("venue", { status: 499, body: { code: "90404" } }),
      ...{ mayHaveArrived: false, code: "90404" },
    },
    {
      what: "a venue that says no with 200",
      came: answer("venue", { body: { code: "90404", msg: "No.", data: {} } }),
      ...{ mayHaveArrived: false, code: "90404" },
    },
    {
      what: "half an answer",
      came: answer("daemon", { body: "{" }),
      mayHaveArrived: true,
      code: "",
    },
    {
      what: "somebody else's answer",
      came: new Response('{"code":"0"}'),
      ...{ mayHaveArrived: true, code: "no_answer" },
    },
    ...[
      { what: "a code that is a number", came: answer("venue", { body: { code: 5 } }) },
      { what: "a code of null", came: answer("venue", { status: 400, body: { code: null } }) },
      { what: "a list in place of an envelope", came: answer("venue", { body: [] }) },
      { what: "a problem without members", came: answer("daemon", { status: 403, body: {} }) },
      { what: "a problem that is null", came: answer("daemon", { status: 403, body: "null" }) },
      {
        what: "a problem whose data is a number",
        came: answer("daemon", { status: 403, body: { code: "frozen", msg: "", data: 5 } }),
      },
      {
        what: "a deep answer",
        came: answer("daemon", { status: 403, body: "[".repeat(1e5) + "]".repeat(1e5) }),
      },
    ].map((each) => ({ ...each, mayHaveArrived: true, code: "" })),
    { what: "a refusal", came: problem(403, "policy_denied"), mayHaveArrived: false, code: "" },
  ]) {
    it(`says of ${what} that it ${mayHaveArrived ? "may have" : "hasn't"} arrived`, async () => {
      const failed = await clientOf(came).client.send(path, order)
      assert.ok(!failed.ok)
      assert.equal(failed.mayHaveArrived, mayHaveArrived)
      if (code !== "") assert.equal(failed.code, code)
    })
  }

  it("is none where what was asked for isn't in it", async () => {
    for (const body of [{}, [], "null", { data: null }, { data: 5 }]) {
      const { client } = clientOf(answer("daemon", { body }))
      for (const came of [await client.whoami(), await client.signBatch({ requests: [] })]) {
        assert.deepEqual([came.ok, !came.ok && came.code], [false, "no_answer"])
      }
    }
    const { client } = clientOf(answer("venue", { body: { code: "0", data: null } }))
    const placedSo = await client.send(path, order)
    assert.deepEqual(placedSo.ok && placedSo.data, {})
  })

  it("tells why none came by a word, without what was sent", async () => {
    const failed = await clientOf(lost).client.whoami()
    assert.equal(!failed.ok && failed.msg, "No answer came from the daemon (EPIPE).")
    const timeout = new DOMException(`took too long: ${token}`, "TimeoutError")
    const late = await clientOf(timeout).client.whoami()
    assert.equal(!late.ok && late.msg, "No answer came from the daemon (TimeoutError).")
  })
})

describe("a client's call", () => {
  it("has the token, the options as headers, and the body as JSON", async () => {
    const { client, calls } = clientOf(placed)
    const by = { key: "mm", expiresInMs: 2_000, idempotencyKey: "q-1", waitMs: 500 }
    await client.send(path, order, by)
    const { init, url } = calls[0] ?? assert.fail()
    assert.deepEqual(
      [url, init.method, init.body],
      [`http://daemon${path}`, "POST", JSON.stringify(order)],
    )
    assert.deepEqual(init.headers, {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Countersign-Key": "mm",
      "Countersign-Expires-In": "2000",
      "Idempotency-Key": "q-1",
    })
  })

  it("asks with GET where there is no body, its query encoded", async () => {
    const { client, calls } = clientOf(answer("daemon", { body: { data: { records: [] } } }))
    await client.recordsOf({ client_order_id: "a&b" })
    await client.record("rec/1")
    await client.read("/v1/trade/open-orders", { limit: "100" })
    await client.read("/v1/trade/open-orders")
    assert.deepEqual(
      calls.map(({ url, init }) => [init.method, url.slice("http://daemon".length)]),
      [
        ["GET", "/records?client_order_id=a%26b"],
        ["GET", "/records/rec%2F1"],
        ["GET", "/v1/trade/open-orders?limit=100"],
        ["GET", "/v1/trade/open-orders"],
      ],
    )
  })

  it("isn't made with what can't be a token, which no sentence then quotes", () => {
    for (const wrong of ["", "secret", "cs_with-line-end\n"]) {
      assert.throws(
        () => createClient({ url: "http://daemon", token: wrong }),
        (error: unknown) =>
          error instanceof TypeError && (wrong === "" || !error.message.includes(wrong)),
      )
    }
  })
})

describe("a call that may wait", () => {
  /** Asks, and tells each answer after which it is asked again. */
  async function ask(by: Waiting & { readonly idempotencyKey?: string }, ...answers: Canned[]) {
    const { client, calls } = clientOf(...answers)
    const repeats: Failure[] = []
    const last = await client.sign(path, order, { ...by, onRepeat: (each) => repeats.push(each) })
    return { last, calls, repeats: repeats.map(({ code }) => code) }
  }

  it("is sent again as it was, once the daemon says that there is room", async () => {
    const answers = [full("1", 30), full("1", 20), answer("daemon", { body: "{}" })]
    const startedMs = performance.now()
    const asked = await ask({ waitMs: 1_000, idempotencyKey: "q-1" }, ...answers)
    assert.ok(asked.last.ok)
    assert.ok(performance.now() - startedMs >= 49) // a timer may be early by a part of a millisecond
    assert.deepEqual(asked.repeats, ["10029", "10029"])
    const [first, ...others] = asked.calls.map(({ url, init: { headers, body } }) => [
      url,
      headers,
      body,
    ])
    assert.deepEqual(others, [first, first])
  })

  it("is answered at once where the wait would pass its bound, and not where it just fits", async () => {
    const beyond = await ask({ waitMs: 59_999 }, full("60", 60_000))
    assert.ok(!beyond.last.ok && beyond.last.status === 429 && beyond.last.code === "10029")
    assert.deepEqual([beyond.calls.length, beyond.repeats], [1, []])

    const stop = new AbortController()
    const { client } = clientOf(full("60", 60_000))
    const onRepeat = () => stop.abort()
    await client.send(path, order, { waitMs: 60_000, signal: stop.signal, onRepeat })
    assert.ok(stop.signal.aborted, "it waits")
  })

  it("waits no longer in all than it may", async () => {
    const { last, calls } = await ask({ waitMs: 59 }, full("1", 20))
    assert.ok(!last.ok && last.status === 429)
    assert.equal(calls.length, 3)
  })

  it("asks no more often than 50 times a second", async () => {
    const { calls } = await ask({ waitMs: 59 }, full("1", 0))
    assert.equal(calls.length, 3)
  })

  it("doesn't wait unless it is told to", async () => {
    assert.equal((await ask({}, full("1", 1))).calls.length, 1)
  })

  it("waits after the venue's 429 for what is read or has a key, which is sent again as it was", async () => {
    const venues = answer("venue", {
      ...{ status: 429, body: { code: "10029" } },
      headers: { "Retry-After": "0" },
    })
    const signed = answer("daemon", { body: "{}" })
    const keyed = await ask({ waitMs: 100, idempotencyKey: "q-1" }, venues, signed)
    assert.deepEqual([keyed.last.ok, keyed.calls.length], [true, 2])
    const { client, calls } = clientOf(venues, placed)
    const read = await client.read("/v1/x", {}, { waitMs: 100 })
    assert.deepEqual([read.ok, calls.length], [true, 2])
  })

  it("doesn't wait for room that never comes, nor for what isn't room, nor after the venue's own 429 where it would be another request", async () => {
    const later = { headers: { "Retry-After": "0" } }
    for (const [what, refusal] of [
      ["never", problem(429, "10029", { data: { retry_after_ms: null } })],
      ["not room", problem(503, "overloaded", later)],
      ["the venue's", answer("venue", { status: 429, body: { code: "10029" }, ...later })],
      ["no answer", lost],
    ] as const) {
      const { last, calls } = await ask({ waitMs: 60_000 }, refusal)
      assert.deepEqual([last.ok, calls.length], [false, 1], what)
    }
  })

  it("gives the refusal back when it is aborted while it waits, or was before", async () => {
    const signal = AbortSignal.timeout(10)
    for (const each of [signal, AbortSignal.abort()]) {
      const { last, calls } = await ask({ waitMs: 60_000, signal: each }, full("60", 60_000))
      assert.ok(!last.ok && last.code === "10029" && !last.mayHaveArrived)
      assert.equal(calls.length, 1)
    }
  })

  it("is cut off when it is aborted under way, which leaves a doubt", async () => {
    const stop = new AbortController()
    const fetch = (_url: unknown, { signal }: RequestInit = {}): Promise<Response> =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError")))
        stop.abort()
      })
    const client = createClient({ url: "http://daemon", token, fetch })
    const last = await client.send(path, order, { signal: stop.signal })
    assert.ok(!last.ok && last.mayHaveArrived)
    assert.equal(last.msg, "No answer came from the daemon (AbortError).")
  })

  it("can be a read", async () => {
    const { client, calls } = clientOf(full("1", 20), placed)
    const came = await client.read("/v1/trade/open-orders", { limit: "1" }, { waitMs: 20 })
    assert.deepEqual([came.ok, calls.length], [true, 2])
  })
})

describe("sending until it is clear", () => {
  async function sendAll(...answers: readonly Canned[]) {
    const { client, calls } = clientOf(...answers)
    const repeats: Failure[] = []
    const last = await client.sendUntilClear(path, order, {
      ...{ idempotencyKey: "q-1", pauseMs: 1, mostSends: 3 },
      onRepeat: (failure) => repeats.push(failure),
    })
    const keys = calls.map(({ init }) => new Headers(init.headers).get("Idempotency-Key"))
    assert.deepEqual([...new Set(keys)], ["q-1"])
    return { last, sends: calls.length, repeats: repeats.map(({ code }) => code) }
  }

  it("sends once what is answered", async () => {
    assert.equal((await sendAll(placed)).sends, 1)
    assert.equal((await sendAll(answer("venue", { status: 400, body: { code: "9" } }))).sends, 1)
  })

  it("makes a key where none is given, and tells it", async () => {
    const { client, calls } = clientOf(lost, placed)
    const last = await client.sendUntilClear(path, order)
    const keys = calls.map(({ init }) => new Headers(init.headers).get("Idempotency-Key"))
    assert.deepEqual(keys, [last.idempotencyKey, last.idempotencyKey])
    assert.match(last.idempotencyKey, /^[!-~]{1,64}$/)
    assert.ok(last.ok)
    assert.notEqual((await client.sendUntilClear(path, order)).idempotencyKey, last.idempotencyKey)
  })

  const venues429 = (retryAfter: string): Response =>
    answer("venue", {
      ...{ status: 429, body: { code: "10029", msg: "", data: {} } },
      headers: { "Retry-After": retryAfter },
    })
  const expired = problem(409, "idempotency_expired", {
    data: { record: "rec_1", state: "signed", venue: { status: 429, code: "10029" } },
  })

  it("sends again what the venue put off for five seconds at most, under the same key", async () => {
    const { last, sends, repeats } = await sendAll(venues429("0"), venues429("0"), placed)
    assert.deepEqual([last.ok, sends, repeats], [true, 3, ["10029", "10029"]])
    const often = await sendAll(venues429("0"))
    assert.deepEqual([often.last.ok, often.sends], [false, 3])
    assert.ok(!often.last.ok && !often.last.mayHaveArrived && often.last.source === "venue")
    assert.equal((await sendAll(venues429("6"))).sends, 1)
    const again = problem(504, "upstream_outcome_unknown", {
      data: { ...sentData, venue: { status: 429, code: "10029" } },
    })
    const inDoubt = await sendAll(lost, again, placed)
    assert.deepEqual([inDoubt.last.ok, inDoubt.sends], [true, 3])
  })

  it("takes a new key where the one it made has expired with nothing at the venue, and no other's", async () => {
    const { client, calls } = clientOf(venues429("0"), expired, placed)
    const last = await client.sendUntilClear(path, order, { pauseMs: 1 })
    const keys = calls.map(({ init }) => new Headers(init.headers).get("Idempotency-Key"))
    assert.ok(last.ok && keys.length === 3)
    assert.ok(keys[0] === keys[1] && keys[1] !== keys[2] && keys[2] === last.idempotencyKey)
    for (const before of [venues429("0"), lost]) {
      const own = await sendAll(before, expired, placed)
      assert.ok(!own.last.ok && own.last.code === "idempotency_expired")
      assert.deepEqual([own.last.mayHaveArrived, own.sends], [false, 2])
    }
  })

  it("leaves to its caller what was refused without a doubt", async () => {
    const { last, sends } = await sendAll(
      problem(429, "limit_exhausted", { headers: { "Retry-After": "1" } }),
    )
    assert.ok(!last.ok && !last.mayHaveArrived)
    assert.equal(sends, 1)
  })

  for (const [what, doubt] of [
    ["no answer came to", lost],
    ["the venue gave no answer to", unknown],
    ["the venue failed at", unreadable],
  ] as const) {
    it(`sends again, under the same key, what ${what}`, async () => {
      const { last, sends, repeats } = await sendAll(doubt, placed)
      assert.deepEqual([last.ok, sends, repeats.length], [true, 2, 1])
    })
  }

  it("stays in doubt when the daemon refuses what was lost before", async () => {
    const { last, sends } = await sendAll(lost, problem(423, "frozen"))
    assert.ok(!last.ok && last.mayHaveArrived)
    assert.deepEqual([last.code, sends], ["frozen", 3])
  })

  it("ends its doubt by the venue's own refusal", async () => {
    const { last } = await sendAll(lost, answer("venue", { status: 400, body: { code: "9" } }))
    assert.ok(!last.ok && !last.mayHaveArrived)
  })

  it("stops where another send would be told the same", async () => {
    const again = { ...sentData, venue: { status: 400, code: "10012" } }
    for (const lastWord of [
      problem(504, "upstream_outcome_unknown", { data: again }),
      problem(409, "idempotency_expired", { data: { record: "rec_1", state: "accepted" } }),
      problem(409, "already_accepted", { data: { record: "rec_1" } }),
      problem(409, "idempotency_conflict", { data: { record: "rec_1" } }),
    ]) {
      const { last, sends } = await sendAll(unknown, lastWord)
      assert.ok(!last.ok && last.mayHaveArrived)
      assert.equal(sends, 2)
    }
  })

  it("waits for room first where it may", async () => {
    const { client, calls } = clientOf(full("1", 20), lost, full("1", 20), placed)
    const by = { idempotencyKey: "q-1", pauseMs: 1, waitMs: 20 }
    const last = await client.sendUntilClear(path, order, by)
    assert.deepEqual([last.ok, calls.length], [true, 4])
  })

  it("ends when it is aborted, in doubt as it is then", async () => {
    const { client, calls } = clientOf(lost)
    const by = { idempotencyKey: "q-1", pauseMs: 60_000, signal: AbortSignal.timeout(10) }
    const last = await client.sendUntilClear(path, order, by)
    assert.ok(!last.ok && last.mayHaveArrived)
    assert.equal(calls.length, 1)
  })

  it("sends no more often than it is told", async () => {
    const { last, sends } = await sendAll(lost)
    assert.ok(!last.ok && last.mayHaveArrived)
    assert.equal(sends, 3)
  })
})
