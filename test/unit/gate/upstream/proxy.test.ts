import assert from "node:assert/strict"
import { createServer, type AddressInfo, type Socket } from "node:net"
import { describe, it } from "node:test"

import type { SendAsk, Upstream } from "../../../../src/gate/upstream/upstream.ts"
import { startConnectProxy } from "../../../support/connect-proxy.ts"
import { testUpstream } from "../../../support/gate.ts"
import { httpText, startRawVenue } from "../../../support/raw-venue.ts"
import { acceptedAnswer as accepted, assertUnasked, sendAsk } from "../../../support/send-ask.ts"
import { testTls } from "../../../support/tls.ts"

const { cert: ca } = testTls

const ask = (changes: Partial<SendAsk> = {}) => sendAsk({ body: '{"canary":1}', ...changes })

/** Sends, and asserts that nothing left: neither was leave asked, nor did `received` get the request. */
async function assertUnsent(upstream: Upstream, received: readonly string[] = []): Promise<void> {
  await assertUnasked(upstream, ask())
  assert.doesNotMatch(received.join(""), /POST|canary/)
}

describe("sending through a proxy", () => {
  it("tunnels to an https venue, and the proxy sees a name, a port and no word more", async (t) => {
    const venue = await startRawVenue(t, {
      tls: true,
      onRequest: (socket) => socket.write(httpText(accepted)),
    })
    const proxy = await startConnectProxy(t)
    const base = `https://localhost:${venue.port}`
    const upstream = testUpstream(t, base, { ca, proxy: proxy.url })
    for (const name of ["first", "second"]) {
      const sent = await upstream.send(ask({ path: `/v1/${name}` }))
      assert.ok(sent.kind === "answered")
      assert.equal(sent.answer.body.toString(), accepted)
      await new Promise((resolve) => setImmediate(resolve)) // until its connection is idle
    }
    assert.deepEqual(proxy.asked, [
      `CONNECT localhost:${venue.port}\nhost: localhost:${venue.port}\nconnection: close\nproxy-connection: keep-alive\n`,
    ])
    assert.doesNotMatch(proxy.bytes(), /POST|canary|first/)
    const [received = ""] = venue.received
    assert.equal(venue.received.length, 1, "the tunnel is used again")
    assert.match(received, /^POST \/v1\/first HTTP\/1\.1\r\n/)
    assert.doesNotMatch(received, /proxy/i)
    assert.match(received, new RegExp(`^host: localhost:${venue.port}\r$`, "m"))
  })

  it("isn't done to loopback over http", async (t) => {
    const venue = await startRawVenue(t, {
      onRequest: (socket) => socket.write(httpText(accepted)),
    })
    const proxy = await startConnectProxy(t)
    const sent = await testUpstream(t, venue.base, { proxy: proxy.url }).send(ask())
    assert.equal(sent.kind, "answered")
    assert.deepEqual(proxy.asked, [])
  })

  it("isn't done by what the environment says", async (t) => {
    const venue = await startRawVenue(t, {
      tls: true,
      onRequest: (socket) => socket.write(httpText(accepted)),
    })
    const proxy = await startConnectProxy(t)
    process.env["HTTPS_PROXY"] = process.env["https_proxy"] = proxy.url
    process.env["NODE_USE_ENV_PROXY"] = "1"
    t.after(() => {
      delete process.env["HTTPS_PROXY"]
      delete process.env["https_proxy"]
      delete process.env["NODE_USE_ENV_PROXY"]
    })
    const upstream = testUpstream(t, `https://localhost:${venue.port}`, { ca })
    assert.equal((await upstream.send(ask())).kind, "answered")
    assert.deepEqual(proxy.asked, [])
  })
})

describe("unsent through a proxy: no byte of the request left", () => {
  it("when nobody listens where the proxy should be", async (t) => {
    const venue = await startRawVenue(t, { tls: true })
    const proxy = `http://127.0.0.1:${await unusedPort()}`
    const base = `https://localhost:${venue.port}`
    await assertUnsent(testUpstream(t, base, { ca, proxy }), venue.received)
    assert.deepEqual(venue.received, [])
  })

  const close = (text: string) => (socket: Socket) => void socket.end(text)
  for (const [what, onConnect] of [
    ["asks for credentials", close("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")],
    ["forbids the venue", close("HTTP/1.1 403 Forbidden\r\n\r\n")],
    ["can't reach the venue", close("HTTP/1.1 502 Bad Gateway\r\n\r\n")],
    ["says yes, but not 200", close("HTTP/1.1 204 No Content\r\n\r\n")],
    ["hangs up", (socket: Socket) => void socket.destroy()],
    ["resets", (socket: Socket) => void socket.resetAndDestroy()],
    ["speaks no HTTP", close("SSH-2.0-x\r\n\r\n")],
    [
      "opens no tunnel to it, and answers itself",
      close(`HTTP/1.1 200 OK\r\n\r\n${httpText("{}")}`),
    ],
  ] as const) {
    it(`when it ${what}`, async (t) => {
      const proxy = await startConnectProxy(t, { onConnect })
      await assertUnsent(testUpstream(t, "https://localhost:9", { ca, proxy: proxy.url }))
      assert.doesNotMatch(proxy.bytes(), /POST|canary/)
    })
  }

  it("when it never answers, and the deadline passes", async (t) => {
    const proxy = await startConnectProxy(t, { onConnect: () => undefined })
    const limits = { upstreamTotalMs: 200, upstreamConnectMs: 100 }
    const upstream = testUpstream(t, "https://localhost:9", { ca, proxy: proxy.url, ...limits })
    await assertUnsent(upstream)
    assert.doesNotMatch(proxy.bytes(), /POST|canary/)
  })

  it("when the tunnel breaks in the middle of TLS", async (t) => {
    const venue = await startRawVenue(t, { tls: true })
    const proxy = await startConnectProxy(t, { onFirstBytes: (socket) => void socket.destroy() })
    const base = `https://localhost:${venue.port}`
    await assertUnsent(testUpstream(t, base, { ca, proxy: proxy.url }), venue.received)
  })

  it("when the tunnel ends at a certificate that isn't trusted", async (t) => {
    const venue = await startRawVenue(t, { tls: true })
    const proxy = await startConnectProxy(t)
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
    t.after(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"])
    const upstream = testUpstream(t, `https://localhost:${venue.port}`, { proxy: proxy.url })
    await assertUnsent(upstream, venue.received)
  })

  it("when the tunnel ends at a certificate for another name", async (t) => {
    const venue = await startRawVenue(t, { tls: true })
    const proxy = await startConnectProxy(t)
    const base = `https://127.0.0.1:${venue.port}`
    await assertUnsent(testUpstream(t, base, { ca, proxy: proxy.url }), venue.received)
  })
})

describe("unknown through a proxy: a byte may have left", () => {
  it("when the tunnel breaks once the request is in it, and it is sent once", async (t) => {
    let tunnelled: Socket | undefined
    const venue = await startRawVenue(t, { tls: true, onRequest: () => tunnelled?.destroy() })
    const proxy = await startConnectProxy(t, { onFirstBytes: (socket) => (tunnelled = socket) })
    let asked = 0
    const upstream = testUpstream(t, `https://localhost:${venue.port}`, { ca, proxy: proxy.url })
    const sent = await upstream.send(ask({ maySend: () => (asked++, true) }))
    assert.deepEqual([sent.kind, asked], ["unknown", 1])
    assert.equal(venue.received.join("").split("canary").length, 2)
  })

  it("when the venue says nothing", async (t) => {
    const venue = await startRawVenue(t, { tls: true })
    const proxy = await startConnectProxy(t)
    const options = { ca, proxy: proxy.url, upstreamTotalMs: 1_000 }
    const sent = await testUpstream(t, `https://localhost:${venue.port}`, options).send(ask())
    // Where the machine is so slow that TLS took the second, nothing left: never is anything else told.
    const left = venue.received.join("").includes("POST")
    assert.equal(sent.kind, left ? "unknown" : "unsent")
  })
})

async function unusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
