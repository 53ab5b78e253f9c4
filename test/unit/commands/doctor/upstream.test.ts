import assert from "node:assert/strict"
import { once } from "node:events"
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { describe, it, type TestContext } from "node:test"

import {
  reach,
  type Reached,
  upstreamFinding,
} from "../../../../src/commands/doctor/upstream-finding.ts"
import { startConnectProxy } from "../../../support/connect-proxy.ts"
import { testTls } from "../../../support/tls.ts"

const answering = (reached: Reached) => () => Promise.resolve(reached)
const venueFile = "/d/venue.yaml"

describe("doctor on the venue", () => {
  it("warns without base_url, and connects nowhere", async () => {
    const found = await upstreamFinding({ baseUrl: undefined, venueFile }, () =>
      assert.fail("it connected"),
    )
    assert.deepEqual([found.state, found.fix], ["warn", "add base_url to /d/venue.yaml"])
  })

  it("is ok where somebody answers, and says that the certificate was looked at", async () => {
    const reached = answering({ kind: "reached" })
    const https = await upstreamFinding({ baseUrl: "https://venue.example", venueFile }, reached)
    assert.deepEqual([https.state, https.fix], ["ok", null])
    assert.match(https.message, /certificate is valid/)
    const http = await upstreamFinding({ baseUrl: "http://127.0.0.1:8421", venueFile }, reached)
    assert.doesNotMatch(http.message, /certificate/)
  })

  const failures: readonly (readonly [string, string, RegExp, string])[] = [
    ["https://venue.example/v", "ENOTFOUND", /nobody knows/, "getent hosts venue.example"],
    ["https://venue.example/v", "ETIMEDOUT", /doesn't answer/, "curl -v https://venue.example"],
    ["https://venue.example", "CERT_HAS_EXPIRED", /expired/, "curl -v https://venue.example"],
    ["https://venue.example", "EODD", /\(EODD\)/, "curl -v https://venue.example"],
    ["http://127.0.0.1:8421", "ECONNREFUSED", /refuses/, "countersign sandbox --port 8421"],
  ]
  for (const [baseUrl, code, says, fix] of failures) {
    it(`fails with ${code} from ${baseUrl}, and says what to run`, async () => {
      const found = await upstreamFinding(
        { baseUrl, venueFile },
        answering({ kind: "failed", code }),
      )
      assert.equal(found.state, "fail")
      assert.match(found.message, says)
      assert.equal(found.fix, fix)
    })
  }
})

describe("reaching a venue", () => {
  async function listening(t: TestContext, server: Server): Promise<number> {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    t.after(() => server.close())
    return (server.address() as AddressInfo).port
  }

  it("connects, and sends not a byte", async (t) => {
    let ended: (bytes: number) => void = () => undefined
    const received = new Promise<number>((resolve) => (ended = resolve))
    const server = createTcpServer((socket) => {
      let bytes = 0
      socket.on("data", (chunk) => (bytes += chunk.length))
      socket.on("error", () => undefined)
      socket.on("close", () => ended(bytes))
    })
    const port = await listening(t, server)
    assert.deepEqual(await reach(new URL(`http://127.0.0.1:${port}/v`)), { kind: "reached" })
    assert.equal(await received, 0)
  })

  it("tells that nobody listens", async (t) => {
    const server = createTcpServer()
    const port = await listening(t, server)
    server.close()
    await once(server, "close")
    assert.deepEqual(await reach(new URL(`http://127.0.0.1:${port}`)), {
      kind: "failed",
      code: "ECONNREFUSED",
    })
  })

  it("refuses a certificate that no authority signed, also where the environment says otherwise", async (t) => {
    const port = await listening(
      t,
      createTlsServer(testTls).on("tlsClientError", () => undefined),
    )
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
    t.after(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"])
    const reached = await reach(new URL(`https://localhost:${port}`))
    assert.deepEqual(reached, { kind: "failed", code: "DEPTH_ZERO_SELF_SIGNED_CERT" })
  })

  it("trusts the authorities that are configured, and goes through the proxy that is", async (t) => {
    const venue = createTlsServer(testTls).on("tlsClientError", () => undefined)
    const url = new URL(`https://localhost:${await listening(t, venue)}`)
    const proxy = await startConnectProxy(t)
    assert.deepEqual(await reach(url, { ca: testTls.cert }), { kind: "reached" })
    const through = { ca: testTls.cert, proxy: proxy.url }
    assert.deepEqual(await reach(url, through), { kind: "reached" })
    assert.equal(proxy.asked.length, 1)
    assert.deepEqual(await reach(url, { proxy: proxy.url }), {
      kind: "failed",
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    })
  })

  it("tells what the proxy answered, or that there is none", async (t) => {
    const url = new URL("https://localhost:9")
    const onConnect = (socket: Socket) => void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n")
    const { url: proxy } = await startConnectProxy(t, { onConnect })
    assert.deepEqual(await reach(url, { proxy }), { kind: "failed", code: "PROXY_ANSWERED_403" })
    const none = createTcpServer()
    const gone = `http://127.0.0.1:${await listening(t, none)}`
    none.close()
    await once(none, "close")
    assert.deepEqual(await reach(url, { proxy: gone }), {
      kind: "failed",
      code: "PROXY_ECONNREFUSED",
    })
  })

  it("gives up on one that takes the connection and never speaks TLS", async (t) => {
    const server = createTcpServer((socket) => void socket.on("error", () => undefined))
    const port = await listening(t, server)
    const reached = await reach(new URL(`https://127.0.0.1:${port}`), { limitMs: 50 })
    assert.deepEqual(reached, { kind: "failed", code: "ETIMEDOUT" })
  })
})
