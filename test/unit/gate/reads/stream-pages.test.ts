import assert from "node:assert/strict"
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http"
import { describe, it, type TestContext } from "node:test"

import { gateLimits } from "../../../../src/gate/process/gate-limits.ts"
import {
  parsePage,
  type StreamDependencies,
  streamPages,
} from "../../../../src/gate/reads/stream-pages.ts"
import type { BotResults } from "../../../../src/link/calls/methods.ts"
import { askRaw } from "../../../support/ask-raw.ts"
import { token } from "../../../support/fake-vault.ts"
import {
  assertRefused,
  startGate,
  type TestGate,
  type TestGateOptions,
} from "../../../support/gate.ts"
import { until } from "../../../support/process-tree.ts"
import { httpText, startRawVenue, type RawVenue } from "../../../support/raw-venue.ts"
import { stillNumber } from "../../../support/still-number.ts"

const list = "/v1/trade/order-history"
const room: BotResults["read"] = { kind: "answer", weight: 2 }
const authorization = `Bearer ${token}`

/** A page's answer. */
function page(items: readonly string[], next: string | null, hasMore = next !== null): string {
  const cursor = JSON.stringify(next)
  return `{"code":"0","msg":"","data":{"list":[${items.join()}],"next_cursor":${cursor},"has_more":${hasMore}},"trace_code":""}`
}

type Streaming = {
  readonly gate: TestGate
  /** First lines of the requests that the venue got. */
  asked(): readonly string[]
}

/** A gate before a venue that answers its reads in turn, the last answer for good. */
async function start(
  t: TestContext,
  answers: readonly string[],
  options: TestGateOptions = {},
): Promise<Streaming> {
  const venue: RawVenue = await startRawVenue(t, {
    onRequest(socket, count) {
      const answer = answers[Math.min(count, answers.length) - 1] ?? ""
      socket.write(answer.startsWith("HTTP/") ? answer : httpText(answer))
    },
  })
  const gate = await startGate(t, { upstream: venue.base, ...options })
  const asked = (): readonly string[] =>
    [...venue.received.join("").matchAll(/GET (\S+) HTTP/g)].map(([, target = ""]) => target)
  return { gate, asked }
}

function getAll({ gate }: Streaming, query = "all=true") {
  return gate.ask({ path: `${list}?${query}`, headers: { authorization } })
}

/** Asserts that a stream is cut off, after what came of it. */
async function assertCut(streaming: Streaming, code: string, query?: string): Promise<void> {
  await assert.rejects(getAll(streaming, query), /aborted|ECONNRESET|socket hang up/)
  const cuts = streaming.gate.logged.filter(({ event }) => event === "stream_cut")
  assert.deepEqual(
    cuts.map(({ level, code: why }) => [level, why]),
    [["warn", code]],
  )
}

describe("all=true", () => {
  it("writes each item of every page as a line, as the venue's, and keeps the rest of the query", async (t) => {
    const streaming = await start(t, [
      page(['{"n":1}', '{"n":2}'], "c 1&x='"),
      page([], "c2"),
      page(['{"n":3}'], null),
    ])
    const reply = await getAll(streaming, "limit=2&all=true&start_time=5")
    assert.deepEqual([reply.status, reply.text], [200, '{"n":1}\n{"n":2}\n{"n":3}\n'])
    assert.equal(reply.headers["content-type"], "application/x-ndjson")
    assert.equal(reply.headers["countersign-source"], "venue")
    assert.equal(reply.headers["cache-control"], "no-store")
    assert.deepEqual(streaming.asked(), [
      `${list}?limit=2&start_time=5`,
      `${list}?limit=2&start_time=5&cursor=c%201%26x%3D%27`,
      `${list}?limit=2&start_time=5&cursor=c2`,
    ])
    const { calls } = streaming.gate.vault
    assert.deepEqual(
      calls.map(({ method }) => method),
      ["read", "read", "read"],
    )
  })

  for (const [what, next] of [
    ["null", null],
    ["an empty text", ""],
    ["a cursor all the same", "c2"],
  ] as const) {
    it(`ends where there is no more, be next_cursor ${what}`, async (t) => {
      const streaming = await start(t, [page(["1"], "b"), page(["2"], next, false)])
      assert.equal((await getAll(streaming)).text, "1\n2\n")
      assert.equal(streaming.asked().length, 2)
    })
  }

  it("begins at the bot's own cursor, and takes another's place with it", async (t) => {
    const streaming = await start(t, [page(["1"], "b"), page(["2"], null)])
    assert.equal((await getAll(streaming, "cursor=a&all=true")).text, "1\n2\n")
    assert.deepEqual(streaming.asked(), [`${list}?cursor=a`, `${list}?cursor=b`])
  })

  it("leaves other values of all to the venue", async (t) => {
    const streaming = await start(t, [page(["1"], "b")])
    assert.equal((await getAll(streaming, "all=1")).text, page(["1"], "b"))
    assert.deepEqual(streaming.asked(), [`${list}?all=1`])
  })

  it("ends where the venue says that there is no more, whatever its cursor", async (t) => {
    const streaming = await start(t, [page(["1"], "b", false)])
    assert.equal((await getAll(streaming)).text, "1\n")
  })

  for (const number of [
    "12345678901234567890123",
    "0.1000",
    "1e400",
    "-0",
    "64000.10",
    "9007199254740993",
  ]) {
    it(`tells ${number} as it came`, async (t) => {
      const items = [`{"a":[${number}],"b":"${number}"}`, number]
      const streaming = await start(t, [page(items, null)])
      assert.equal((await getAll(streaming)).text, `${items.join("\n")}\n`)
    })
  }

  it("writes no line break within an item", async (t) => {
    const streaming = await start(t, [
      page(['{\n "a": "x\\ny\\u2028",\r\n "__proto__": 1 }'], null),
    ])
    assert.equal((await getAll(streaming)).text, '{"a":"x\\ny\u2028","__proto__":1}\n')
  })

  it("needs chunks, so HTTP/1.1", async (t) => {
    const streaming = await start(t, [page([], null)])
    const { port } = streaming.gate
    const text = `GET ${list}?all=true HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\n\r\n`
    assert.equal((await askRaw(port, text))?.envelope.code, "invalid_header")
    assert.deepEqual(streaming.asked(), [])
  })
})

describe("a page", () => {
  const read = (body: Buffer) => parsePage({ status: 200, headers: {}, body })

  it("is UTF-8, and nothing else is repaired into it", () => {
    const text = page(['"\u00e9"'], null)
    assert.deepEqual(read(Buffer.from(text)), { lines: '"\u00e9"\n', next: undefined })
    assert.equal(read(Buffer.from(text, "latin1")), undefined)
    assert.equal(read(Buffer.from(`\ufeff${text}`)), undefined)
  })

  it("has a cursor that can be written down", () => {
    assert.equal(read(Buffer.from(page([], "c")))?.next, "c")
    assert.equal(
      read(
        Buffer.from(page([], null).replace('null,"has_more":false', '"\\ud800","has_more":true')),
      ),
      undefined,
    )
  })
})

describe("the first page of a stream", () => {
  it("is an ordinary answer where the vault refuses it", async (t) => {
    const streaming = await start(t, [page([], null)], { script: { read: () => spent(500) } })
    const reply = await getAll(streaming)
    assertRefused(reply, 429, "ip_budget_exhausted")
    assert.equal(reply.headers["retry-after"], "1")
  })

  it("is the venue's own answer where that is an error", async (t) => {
    const error = '{"code":"90002","msg":"No.","data":{},"trace_code":"t"}'
    const streaming = await start(t, [
      httpText(error, "400 Bad Request"),
      error,
      httpText("x", "500 x"),
    ])
    for (const [status, text] of [
      [400, error],
      [200, error],
      [500, "x"],
    ] as const) {
      const reply = await getAll(streaming)
      assert.deepEqual([reply.status, reply.text], [status, text])
      assert.equal(reply.headers["countersign-source"], "venue")
      assert.equal(reply.headers["content-type"], "application/json")
    }
  })

  for (const [what, answer] of [
    ["no list", '{"code":"0","msg":"","data":{"price":"1"},"trace_code":""}'],
    ["no has_more", '{"code":"0","data":{"list":[],"next_cursor":null}}'],
    ["more but no cursor", page([], null, true)],
    ["an empty cursor", page([], "")],
    ["a cursor that is no text", page([], null).replace('"next_cursor":null', '"next_cursor":7')],
    ["no JSON", "<html></html>"],
  ] as const) {
    it(`that has ${what} is told as no page`, async (t) => {
      const streaming = await start(t, [answer])
      assertRefused(await getAll(streaming), 502, "not_paginated")
    })
  }

  it("that has too many levels is told as an answer that can't be read", async (t) => {
    const deep = page([`${"[".repeat(200_000)}${"]".repeat(200_000)}`], null)
    const streaming = await start(t, [deep])
    assertRefused(await getAll(streaming), 504, "read_failed")
  })
})

describe("a stream that fails in the middle", () => {
  const first = page(['{"n":1}'], "b")
  for (const [code, second] of [
    ["not_paginated", '{"code":"0","msg":"","data":{},"trace_code":""}'],
    ["not_paginated", httpText("no", "500 Internal Server Error")],
    ["read_failed", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"],
    ["cursor_repeated", page(['{"n":2}'], "b")],
  ] as const) {
    it(`is cut off: ${code} by ${JSON.stringify(second.slice(0, 40))}`, async (t) => {
      await assertCut(await start(t, [first, second]), code)
    })
  }

  it("is cut off where cursors go round in a circle, however long", async (t) => {
    const venue = await startRawVenue(t, {
      onRequest: (socket, count) => socket.write(httpText(page(["1"], `c${count % 7}`))),
    })
    const gate = await startGate(t, { upstream: venue.base })
    await assertCut({ gate, asked: () => [] }, "cursor_repeated")
  })

  it("is cut off where the next query were too long", async (t) => {
    const streaming = await start(t, [page(["1"], "c".repeat(1_000))])
    await assertCut(streaming, "cursor_too_long", `all=true&x=${"y".repeat(1_100)}`)
  })

  it("is cut off where the vault refuses the next page, or is gone", async (t) => {
    const denied = refused({
      code: "unauthorized",
      message: "No client has this token.",
      data: null,
    })
    const answers: BotResults["read"][] = [room, denied]
    const streaming = await start(t, [first], { script: { read: () => answers.shift() ?? denied } })
    await assertCut(streaming, "unauthorized")

    const lost = await start(t, [first], {
      script: {
        read() {
          if (lost.gate.vault.calls.length === 1) return room
          throw new Error("a bug")
        },
      },
    })
    await assert.rejects(getAll(lost), /aborted/)
    assert.ok(lost.gate.logged.some(({ event }) => event === "failed"))
  })
})

describe("a stream and the IP budget", () => {
  /** Room for the first page, then none as often, then room again. */
  function scarce(times: number, refusal: BotResults["read"]): TestGateOptions["script"] {
    let asked = 0
    return {
      read() {
        asked += 1
        return asked === 1 || asked > times + 1 ? room : refusal
      },
    }
  }
  const two = [page(["1"], "b"), page(["2"], null)]

  it("waits for room before a page, and then goes on", async (t) => {
    const streaming = await start(t, two, { script: scarce(3, spent(30)) })
    assert.equal((await getAll(streaming)).text, "1\n2\n")
    assert.equal(streaming.gate.vault.calls.length, 5)
    assert.equal(streaming.asked().length, 2)
  })

  it("waits no longer than its patience, and not at all for room that never comes", async (t) => {
    const limits = { maxRoomWaitMs: 100 }
    for (const refusal of [spent(60), spent(101), spent(null)]) {
      const streaming = await start(t, two, { limits, script: scarce(9, refusal) })
      await assertCut(streaming, "ip_budget_exhausted")
      assert.equal(streaming.asked().length, 1)
    }
  })

  const slowDown = (retryAfter: string): string =>
    httpText(
      '{"code":"10029","msg":"Rate limit exceeded","data":{"scope":"address"},"trace_code":"t"}',
      "429 Too Many Requests",
      retryAfter,
    )

  for (const [what, retryAfter] of [
    ["seconds", "Retry-After: 1\r\n"],
    ["a date", `Retry-After: ${new Date(0).toUTCString()}\r\n`],
    ["nothing", ""],
  ] as const) {
    it(`waits out a 429 of the venue to a later page that says ${what}`, async (t) => {
      const [first = "", last = ""] = two
      const streaming = await start(t, [first, slowDown(retryAfter), last])
      const startedMs = performance.now()
      assert.equal((await getAll(streaming)).text, "1\n2\n")
      assert.ok(performance.now() - startedMs >= 990)
      assert.deepEqual(streaming.asked(), [list, `${list}?cursor=b`, `${list}?cursor=b`])
    })
  }

  it("is cut off where the venue wants a longer wait than its patience", async (t) => {
    const [first = ""] = two
    for (const retryAfter of ["Retry-After: 122\r\n", "Retry-After: 9999999999999999\r\n"]) {
      await assertCut(await start(t, [first, slowDown(retryAfter)]), "ip_budget_exhausted")
    }
  })

  it("passes on a 429 to the first page", async (t) => {
    const reply = await getAll(await start(t, [slowDown("Retry-After: 1\r\n"), two[1] ?? ""]))
    assert.deepEqual([reply.status, reply.headers["retry-after"]], [429, "1"])
  })

  it("isn't taken for a dead connection while it waits", async () => {
    const pages = two.map((text) => Buffer.from(text))
    const answers: BotResults["read"][] = [room, spent(30), room]
    const timeoutsMs: number[] = []
    const written: string[] = []
    const response = {
      writeHead: () => undefined,
      flushHeaders: () => undefined,
      write(text: string, done: () => void) {
        written.push(text)
        done()
      },
      end: () => undefined,
      socket: { setTimeout: (ms: number) => timeoutsMs.push(ms) },
    } as unknown as ServerResponse
    const deps = {
      link: { call: () => Promise.resolve(answers.shift()), close: () => undefined },
      upstream: () => ({
        ...{ send: notHere, close: notHere },
        fetch: () => {
          const answer = { status: 200, headers: {}, body: pages.shift() ?? Buffer.alloc(0) }
          return Promise.resolve({ kind: "answered" as const, answer })
        },
      }),
      log: () => undefined,
      limits: { ...gateLimits, silenceMs: 7_000 },
    } as unknown as StreamDependencies
    const ask = { token, path: list, query: "", key: undefined, traceparent: undefined }
    const { signal } = new AbortController()
    assert.equal(await streamPages(deps, ask, { response, signal }), "written")
    assert.deepEqual(written, ["1\n", "2\n"])
    assert.deepEqual(timeoutsMs, [7_030, 7_000])
  })
})

describe("a bot that reads a stream", () => {
  it("gets the next page once it took the one before: a slow one keeps the venue waiting", async (t) => {
    const item = JSON.stringify("x".repeat(1_000_000))
    const venue = await startRawVenue(t, {
      onRequest: (socket, count) =>
        socket.write(httpText(page([item], count === 40 ? null : `c${count}`))),
    })
    const gate = await startGate(t, { upstream: venue.base })
    const pages = (): number => venue.received.join("").split("GET ").length - 1
    const response = await open(gate)
    // What fits into the buffers of two sockets is on its way without being read.
    const settled = await stillNumber(pages)
    assert.ok(settled < 40, `${settled} pages`)
    let bytes = 0
    for await (const chunk of response) bytes += (chunk as Buffer).length
    assert.equal(bytes, 40 * (item.length + 1))
    assert.equal(pages(), 40)
  })

  it("ends it by hanging up: the venue is asked no more", async (t) => {
    let count = 0
    const venue = await startRawVenue(t, {
      onRequest: (socket) => socket.write(httpText(page([`${++count}`], `c${count}`))),
    })
    const script = {
      read: () => room,
    }
    const gate = await startGate(t, { upstream: venue.base, script })
    const response = await open(gate)
    await until(() => (count > 3 ? true : undefined), "some pages came")
    response.destroy()
    const settled = await stillNumber(() => count)
    assert.ok(settled > 3)
    assert.deepEqual(
      gate.logged.filter(({ event }) => event !== "request"),
      [],
    )
  })

  it("ends its wait for room by hanging up", async (t) => {
    const answers: BotResults["read"][] = [room]
    const script = { read: () => answers.shift() ?? spent(60_000) }
    const { gate } = await start(t, [page(["1"], "b")], { script })
    const response = await open(gate)
    await until(() => (gate.vault.calls.length === 2 ? true : undefined), "it waits")
    response.destroy()
    await gate.stop() // returns at once only if nothing is at work
    assert.equal(gate.vault.calls.length, 2)
  })

  it("finds a bound on streams, which leaves other reads alone", async (t) => {
    const script = { read: () => room }
    const item = JSON.stringify("x".repeat(1_000_000))
    const venue = await startRawVenue(t, {
      onRequest: (socket, count) => socket.write(httpText(page([item], `c${count}`))),
    })
    const limits = { maxStreams: 1 }
    const gate = await startGate(t, { upstream: venue.base, limits, script })
    const response = await open(gate)
    const headers = { authorization }
    assertRefused(await gate.ask({ path: `${list}?all=true`, headers }), 503, "overloaded")
    assert.equal((await gate.ask({ path: list, headers })).status, 200)
    response.destroy()
  })
})

function notHere(): Promise<never> {
  return Promise.reject(new Error("not here"))
}

/** Opens a stream of which nothing is read yet. */
function open({ port }: TestGate): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ask = { port, path: `${list}?all=true`, headers: { authorization }, agent: false }
    const call = httpRequest(ask, (response) => {
      response.on("error", () => undefined)
      resolve(response)
    })
    call.on("error", reject)
    call.end()
  })
}

function refused(refusal: Extract<BotResults["read"], { kind: "refused" }>["refusal"]) {
  return { kind: "refused" as const, refusal, record: null }
}

function spent(waitMs: number | null): BotResults["read"] {
  const times = { frees_at: waitMs, retry_after_ms: waitMs }
  return refused({
    code: "ip_budget_exhausted",
    message: "Rate limit exceeded.",
    data: { scope: "ip", max: 1_200, used: 1_200, kept: 0, asked: 2, ...times },
  })
}
