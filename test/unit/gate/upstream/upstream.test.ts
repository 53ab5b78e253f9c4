import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { describe, it, type TestContext } from "node:test"
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib"

import fc from "fast-check"

import { parseBaseUrl, type Upstream } from "../../../../src/gate/upstream/upstream.ts"
import { version } from "../../../../src/std/version.ts"
import { testUpstream } from "../../../support/gate.ts"
import { httpHead, httpText, startRawVenue } from "../../../support/raw-venue.ts"
import { numRuns } from "../../../support/runs.ts"
import {
  acceptedAnswer as accepted,
  assertUnasked,
  sendAsk as ask,
} from "../../../support/send-ask.ts"
import { testTls } from "../../../support/tls.ts"

/** Sends, and asserts that nothing left: neither was leave asked, nor did `received` get a byte. */
async function assertUnsent(upstream: Upstream, received: readonly string[] = []): Promise<void> {
  await assertUnasked(upstream)
  assert.equal(received.join(""), "")
}

describe("sending to the venue", () => {
  it("writes these headers and no other", async (t) => {
    const venue = await startRawVenue(t, {
      onRequest: (socket) => socket.write(httpText(accepted)),
    })
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
    const upstream = testUpstream(t, `${venue.base}/api/`)
    const sent = await upstream.send(ask({ traceparent }))
    assert.ok(sent.kind === "answered")
    assert.equal(sent.answer.status, 200)
    assert.equal(sent.answer.body.toString(), accepted)
    assert.deepEqual(sent.answer.headers, { "content-type": "application/json" })
    assert.deepEqual(venue.received[0]?.split("\r\n"), [
      "POST /api/v1/trade/orders HTTP/1.1",
      `host: 127.0.0.1:${venue.port}`,
      "connection: keep-alive",
      "content-type: application/json",
      "accept: application/json",
      "accept-encoding: identity",
      `user-agent: countersign/${version}`,
      `traceparent: ${traceparent}`,
      "content-length: 7",
      "",
      '{"a":1}',
    ])
  })

  it("takes the final answer after interim ones", async (t) => {
    const interim = "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
    const venue = await startRawVenue(t, {
      onRequest: (socket) => socket.write(interim + httpText(accepted)),
    })
    const sent = await testUpstream(t, venue.base).send(ask())
    assert.ok(sent.kind === "answered" && sent.answer.status === 200)
  })

  it("tells what the answer's Date says of the clocks, if it has one", async (t) => {
    const hourAgo = new Date(Date.now() - 3_600_000).toUTCString()
    const venue = await startRawVenue(t, {
      onRequest: (socket, count) =>
        socket.write(httpText(accepted, "200 OK", count === 1 ? `Date: ${hourAgo}\r\n` : "")),
    })
    const upstream = testUpstream(t, venue.base)
    const sent = await upstream.send(ask())
    assert.ok(sent.kind === "answered" && sent.venueClock !== undefined)
    assert.ok(sent.venueClock.mostMs <= -3_599_000)
    assert.ok(sent.venueClock.leastMs >= -3_600_000 - 60_000)
    assert.deepEqual(sent.answer.headers, { "content-type": "application/json" })
    const without = await upstream.send(ask())
    assert.ok(without.kind === "answered" && without.venueClock === undefined)
  })

  for (const [headers, atMs, isKept] of [
    ["Date: Mon, 30 Nov 2026 12:00:00 GMT\r\n", Date.UTC(2026, 10, 30, 12), false],
    ["Date: Mon, 30 Nov 2026 12:00:00 GMT\r\nAge: 0\r\n", Date.UTC(2026, 10, 30, 12), false],
    ["Date: Mon, 30 Nov 2026 12:00:00 GMT\r\nAge: 1\r\n", Date.UTC(2026, 10, 30, 12), true],
    ["Age: 0\r\nAge: 0\r\n", undefined, true],
    ["Age: new\r\n", undefined, true],
    ["Date: 2026-11-30T12:00:00Z\r\n", undefined, false],
    ["", undefined, false],
  ] as const) {
    it(`tells when an answer was made that says ${headers.replaceAll("\r\n", " ") || "nothing of it"}`, async (t) => {
      const venue = await startRawVenue(t, {
        onRequest: (socket) => socket.write(httpText(accepted, "200 OK", headers)),
      })
      const sent = await testUpstream(t, venue.base).send(ask())
      assert.ok(sent.kind === "answered")
      assert.deepEqual(sent.made, { atMs, isKept })
    })
  }

  it("doesn't follow a redirect", async (t) => {
    const other = await startRawVenue(t, {})
    const venue = await startRawVenue(t, {
      onRequest: (socket) =>
        socket.write(httpText("", "307 Temporary Redirect", `Location: ${other.base}/v1/x\r\n`)),
    })
    const sent = await testUpstream(t, venue.base).send(ask())
    assert.ok(sent.kind === "answered" && sent.answer.status === 307)
    assert.equal(sent.answer.headers["location"], undefined)
    assert.deepEqual(other.received, [])
  })

  for (const path of ["/v1/../x", "/v1//x", "/v1/x?y", "/v1/%2e", "v1/x", "/v1/a b", "/v1/x\\y"]) {
    it(`refuses the path ${path}`, async (t) => {
      const venue = await startRawVenue(t, {})
      const sent = await testUpstream(t, venue.base).send(ask({ path }))
      assert.equal(sent.kind, "unsent")
      assert.deepEqual(venue.received, [])
    })
  }

  it("reads an answer of exactly the bound and no byte more", async (t) => {
    const bodies = ["a".repeat(1_000), "a".repeat(1_001)]
    const venue = await startRawVenue(t, {
      onRequest: (socket, count) => socket.write(httpText(bodies[count - 1] ?? "")),
    })
    const upstream = testUpstream(t, venue.base, { maxUpstreamAnswerBytes: 1_000 })
    assert.equal((await upstream.send(ask())).kind, "answered")
    const over = await upstream.send(ask())
    assert.ok(over.kind === "unknown" && over.status === 200)
  })

  for (const [encoding, compress] of [
    ["gzip", (text) => gzipSync(text)],
    ["X-GZIP", (text) => gzipSync(text)],
    ["deflate", (text) => deflateSync(text)],
    ["Deflate", (text) => deflateRawSync(text)],
    ["br", (text) => brotliCompressSync(text)],
    ["zstd", (text) => zstdCompressSync(text)],
    ["identity", (text) => Buffer.from(text)],
  ] as readonly (readonly [string, (text: string) => Buffer])[]) {
    const sendFor = async (t: TestContext, text: string) => {
      const body = compress(text)
      const venue = await startRawVenue(t, {
        onRequest(socket) {
          socket.write(httpHead(body.length, `Content-Encoding: ${encoding}\r\n`))
          socket.write(body)
        },
      })
      return testUpstream(t, venue.base, { maxUpstreamAnswerBytes: 1_000 }).send(ask())
    }
    const list = (bytes: number): string => `[${" ".repeat(bytes - 2)}]`

    it(`reads an answer as ${encoding}, up to the bound after decompression`, async (t) => {
      const sent = await sendFor(t, list(1_000))
      assert.ok(sent.kind === "answered")
      assert.equal(sent.answer.body.toString(), list(1_000))
      assert.deepEqual(sent.answer.headers, { "content-type": "application/json" })
      const over = await sendFor(t, list(1_001))
      assert.ok(over.kind === "unknown" && over.status === 200)
    })
  }

  it("claims nothing of a compressed answer that is cut or none, and passes on a coding it doesn't know", async (t) => {
    const whole = gzipSync(accepted)
    const answers = [
      { encoding: "gzip", body: whole.subarray(0, -9) },
      { encoding: "br", body: whole },
      { encoding: "compress", body: whole },
      { encoding: "__proto__", body: whole },
      { encoding: "gzip", body: Buffer.alloc(0) },
    ]
    const venue = await startRawVenue(t, {
      onRequest(socket, count) {
        const { encoding, body } = answers[count - 1] ?? assert.fail()
        socket.write(httpHead(body.length, `Content-Encoding: ${encoding}\r\n`))
        socket.write(body)
      },
    })
    const upstream = testUpstream(t, venue.base)
    assert.equal((await upstream.send(ask())).kind, "unknown")
    assert.equal((await upstream.send(ask())).kind, "unknown")
    for (const encoding of ["compress", "__proto__"]) {
      const passed = await upstream.send(ask())
      assert.ok(passed.kind === "answered")
      assert.equal(passed.answer.headers["content-encoding"], encoding)
      assert.deepEqual(passed.answer.body, whole)
    }
    const empty = await upstream.send(ask())
    assert.ok(empty.kind === "answered")
    assert.equal(empty.answer.body.length, 0)
  })

  it("passes on an answer that nests 64 deep and claims nothing of a deeper one, compressed or not", async (t) => {
    const nested = (depth: number): string =>
      `{"code":"0","msg":"[[\\"[[","data":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`
    const flat = `{"code":"0","data":[${"[],{},".repeat(100)}0]}`
    const page = `<script>${"{[".repeat(100)}</script>`
    const bodies = [nested(64), nested(65), nested(65), nested(100_000), flat, page]
    const venue = await startRawVenue(t, {
      onRequest(socket, count) {
        const text = bodies[count - 1] ?? ""
        const body = count === 3 ? gzipSync(text) : Buffer.from(text)
        socket.write(httpHead(body.length, count === 3 ? "Content-Encoding: gzip\r\n" : ""))
        socket.write(body)
      },
    })
    const upstream = testUpstream(t, venue.base)
    for (const kind of ["answered", "unknown", "unknown", "unknown", "answered", "answered"]) {
      assert.equal((await upstream.send(ask())).kind, kind)
    }
  })
})

describe("unsent: no byte of the request left", () => {
  it("when nobody listens", async (t) => {
    const port = await unusedPort()
    await assertUnsent(testUpstream(t, `http://127.0.0.1:${port}`))
  })

  it("when the name doesn't exist", async (t) => {
    await assertUnsent(testUpstream(t, "https://venue.invalid", { upstreamConnectMs: 300 }))
  })

  it("when the connection isn't accepted in time", async (t) => {
    const port = await fullBacklog(t)
    const base = `http://127.0.0.1:${port}`
    await assertUnsent(testUpstream(t, base, { upstreamConnectMs: 200 }))
  })

  it("when the certificate isn't trusted, whatever the environment says", async (t) => {
    const venue = await startRawVenue(t, { tls: true })
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
    t.after(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"])
    await assertUnsent(testUpstream(t, `https://localhost:${venue.port}`), venue.received)
  })

  it("when the certificate is for another name", async (t) => {
    const venue = await startRawVenue(t, { tls: true })
    const base = `https://127.0.0.1:${venue.port}`
    await assertUnsent(testUpstream(t, base, { ca: testTls.cert }), venue.received)
  })

  it("when the other side doesn't speak TLS", async (t) => {
    const venue = await startRawVenue(t, {
      onConnection: (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    })
    const base = `https://localhost:${venue.port}`
    await assertUnsent(testUpstream(t, base, { ca: testTls.cert }))
    assert.doesNotMatch(venue.received.join(""), /POST/)
  })

  it("when TLS doesn't come about in time", async (t) => {
    const venue = await startRawVenue(t, {})
    const limits = { ca: testTls.cert, upstreamConnectMs: 200 }
    await assertUnsent(testUpstream(t, `https://localhost:${venue.port}`, limits))
    assert.doesNotMatch(venue.received.join(""), /POST/)
  })

  it("when it is held back at the last moment", async (t) => {
    const venue = await startRawVenue(t, {})
    const sent = await testUpstream(t, venue.base).send(ask({ maySend: () => false }))
    assert.equal(sent.kind, "unsent")
    assert.deepEqual(venue.received.join(""), "")
  })

  it("when the deadline passes while it waits, even though it could be sent later", async (t) => {
    const venue = await startRawVenue(t, {
      tls: true,
      onRequest: (socket) => socket.write(httpText(accepted)),
    })
    const way = await closedWay(t, venue.port)
    const upstream = testUpstream(t, `https://localhost:${way.port}`, {
      ca: testTls.cert,
      maxUpstreamConnections: 1,
      upstreamTotalMs: 500,
    })
    assert.equal((await upstream.send(ask({ path: "/v1/first" }))).kind, "unsent")
    way.open()
    assert.equal((await upstream.send(ask({ path: "/v1/second" }))).kind, "answered")
    assert.match(venue.received.join(""), /second/)
    assert.doesNotMatch(venue.received.join(""), /first/)
  })

  it("but not over trusted TLS, where it is answered", async (t) => {
    const venue = await startRawVenue(t, {
      tls: true,
      onRequest: (socket) => socket.write(httpText(accepted)),
    })
    const upstream = testUpstream(t, `https://localhost:${venue.port}`, { ca: testTls.cert })
    assert.equal((await upstream.send(ask())).kind, "answered")
  })
})

describe("unknown: a byte may have left", () => {
  const limits = { upstreamTotalMs: 300, maxUpstreamAnswerBytes: 10_000 }
  const endless = httpText("", "200 OK").replace("Content-Length: 0", "Transfer-Encoding: chunked")

  for (const { when, status = null, ...script } of [
    { when: "it closes before it reads", onConnection: (s: { destroy(): void }) => s.destroy() },
    { when: "it closes after it read", onRequest: (s: { destroy(): void }) => s.destroy() },
    { when: "it says nothing" },
    { when: "it sends garbage", onRequest: (s: Writes) => s.write("SSH-2.0-x\r\n\r\n") },
    { when: "half a head comes", onRequest: (s: Writes) => s.end("HTTP/1.1 200 OK\r\nA: ") },
    {
      when: "half a body comes",
      status: 200,
      onRequest: (s: Writes) => s.end(httpText(accepted).slice(0, -1)),
    },
    {
      when: "a body stops in the middle",
      status: 502,
      onRequest: (s: Writes) => s.write(httpText(accepted, "502 Bad Gateway").slice(0, -1)),
    },
    { when: "an answer has no end", status: 200, onRequest: (s: Writes) => writeForever(s) },
    {
      when: "two lengths contradict each other",
      onRequest: (s: Writes) => s.write(httpText("{}", "200 OK", "Content-Length: 3\r\n")),
    },
    {
      when: "it wants to change the protocol",
      status: 101,
      onRequest: (s: Writes) => s.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
    },
  ]) {
    it(`when ${when}`, async (t) => {
      const venue = await startRawVenue(t, script)
      let asked = 0
      const upstream = testUpstream(t, venue.base, limits)
      const sent = await upstream.send(ask({ maySend: () => (asked++, true) }))
      assert.ok(sent.kind === "unknown")
      assert.equal(sent.status, status)
      assert.equal(asked, 1)
      assert.equal(venue.received.length, 1)
    })
  }

  function writeForever(socket: Writes): void {
    const chunk = `400\r\n${"a".repeat(1_024)}\r\n`
    const more = (): void => {
      if (!socket.destroyed) socket.write(chunk, () => setImmediate(more))
    }
    socket.write(endless)
    more()
  }

  it("when a connection is closed just as it is used again, and it is sent once", async (t) => {
    const venue = await startRawVenue(t, {
      onRequest(socket, count) {
        if (count === 1) socket.write(httpText(accepted))
        else socket.destroy()
      },
    })
    const upstream = testUpstream(t, venue.base, limits)
    assert.equal((await upstream.send(ask())).kind, "answered")
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal((await upstream.send(ask({ path: "/v1/again" }))).kind, "unknown")
    assert.equal(venue.received.join("").split("/v1/again").length, 2)
    assert.equal(venue.received.length, 1)
  })

  it("never, and it is sent once, when idle connections are closed under it", async (t) => {
    const venue = await startRawVenue(t, {
      onRequest: (socket) => socket.end(httpText(accepted)),
    })
    const upstream = testUpstream(t, venue.base, limits)
    for (const name of ["a", "b", "c", "d"]) {
      const sent = await upstream.send(ask({ path: `/v1/order-${name}` }))
      const count = venue.received.join("").split(`/v1/order-${name} `).length - 1
      assert.ok(count <= 1)
      assert.ok(sent.kind === "answered" ? count === 1 : sent.kind === "unknown")
    }
  })

  it("unless the whole answer came, wherever it is cut", async (t) => {
    const answer = httpText(accepted)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: answer.length }), async (length) => {
        const venue = await startRawVenue(t, {
          onRequest: (socket) => socket.end(answer.slice(0, length)),
        })
        const sent = await testUpstream(t, venue.base, limits).send(ask())
        assert.equal(sent.kind, length === answer.length ? "answered" : "unknown")
        assert.equal(venue.received.length, 1)
      }),
      { ...numRuns(20), examples: [[answer.length - 1], [answer.length]] },
    )
  })
})

describe("base address", () => {
  for (const text of [
    "https://venue.example",
    "https://venue.example/api/",
    "http://127.0.0.1:1",
    "http://localhost",
    "http://[::1]:8080",
  ]) {
    it(`can be ${text}`, () => assert.equal(parseBaseUrl(text).protocol.startsWith("http"), true))
  }
  for (const text of [
    "http://venue.example",
    "http://127.0.0.2",
    "http://localhost.example",
    "ftp://localhost",
    "https://user@venue.example",
    "https://:secret@venue.example",
    "https://venue.example?x=1",
    "https://venue.example#x",
    "venue.example",
    "",
  ]) {
    it(`can't be "${text}"`, () =>
      assert.throws(() => parseBaseUrl(text), { code: "config_invalid" }))
  }
})

type Writes = {
  readonly destroyed: boolean
  write(text: string, done?: () => void): unknown
  end(text: string): unknown
}

/** Nobody listens on a port that was free a moment ago and is closed again. */
async function unusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  assert.ok(address !== null && typeof address === "object")
  return address.port
}

/** A port whose process accepts nothing any more and whose queue is full, so that connecting hangs. */
async function fullBacklog(t: TestContext): Promise<number> {
  const script = `
    const server = require("node:net").createServer()
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      require("node:fs").writeSync(1, String(server.address().port))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] })
  t.after(() => child.kill("SIGKILL"))
  const [text] = (await once(child.stdout, "data")) as [Buffer]
  const port = Number(text.toString())
  for (let index = 0; index < 4; index++) {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    t.after(() => socket.destroy())
  }
  await new Promise((resolve) => setTimeout(resolve, 50))
  return port
}

/** A way to `port` on which nothing gets through until it is opened. */
async function closedWay(t: TestContext, port: number) {
  const opened = Promise.withResolvers<undefined>()
  const server = createServer((near) => {
    near.on("error", () => undefined)
    t.after(() => near.destroy())
    void opened.promise.then(() => {
      const far = connect(port, "127.0.0.1")
      far.on("error", () => near.destroy())
      near.pipe(far).pipe(near)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address !== null && typeof address === "object")
  return { port: address.port, open: () => opened.resolve(undefined) }
}
