import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { assertRefused, startGate } from "../../../support/gate.ts"

const path = "/sign/v1/trade/orders"

describe("an offer that a client makes by itself", () => {
  it("is ignored where it is h2c, as Java's HttpClient sends it", async (t) => {
    const gate = await startGate(t)
    for (const upgrade of ["h2c", "H2C"]) {
      const offer = { connection: "Upgrade, HTTP2-Settings", upgrade, "http2-settings": "AAEAAEAA" }
      assert.equal((await gate.post(path, "{}", offer)).status, 200)
      assert.equal((await gate.ask({ path: "/healthz", headers: offer })).status, 200)
    }
  })

  it("is refused where it is for another protocol, alone or beside h2c", async (t) => {
    const gate = await startGate(t)
    for (const upgrade of ["websocket", "h2", "h2c, websocket", "TLS/1.0", ""]) {
      const reply = await gate.ask({
        path: "/healthz",
        headers: { connection: "Upgrade", upgrade },
      })
      assertRefused(reply, 400, "invalid_header")
    }
  })
})

describe("what a client may say and a server may ignore", () => {
  const trace = `${"a".repeat(32)}-${"b".repeat(16)}`
  const ignored: readonly (readonly [name: string, value: string])[] = [
    ["te", "trailers, deflate;q=0.5"],
    ["http2-settings", "AAEAAEAA"],
    ["accept", "text/html"],
    ["accept-encoding", "br, gzip;q=0.1, identity;q=0"],
    ["accept-language", "*"],
    ["accept-charset", "utf-16"],
    ["priority", "u=0, i"],
    ["sec-ch-ua", '"Bots";v="1"'],
    ["sec-fetch-mode", "cors"],
    ["sec-gpc", "1"],
    ["dnt", "1"],
    ["cache-control", "no-cache"],
    ["want-content-digest", "sha-256=1"],
    ["traceparent", `00-${trace}-01`],
    ["traceparent", `01-${trace}-01`],
    ["traceparent", `cc-${trace}-01-what-comes-later`],
    ["traceparent", "ff"],
    ["tracestate", "rojo=00f067aa0ba902b7"],
    ["baggage", "bot=mm"],
    ["forwarded", "for=192.0.2.1"],
    ["keep-alive", "timeout=5"],
    ["prefer", "respond-async"],
  ]
  for (const [name, value] of ignored) {
    it(`is ignored: ${name}: ${value}`, async (t) => {
      const gate = await startGate(t)
      const reply = await gate.post(path, "{}", { [name]: value })
      assert.equal(reply.status, 200)
      assert.equal(reply.headers["content-encoding"], undefined)
      assert.match(String(reply.headers["content-type"]), /^application\/json/)
    })
  }
})

describe("a look-up whose query can't be decoded", () => {
  it("is refused, and not answered as if nothing was found", async (t) => {
    const gate = await startGate(t)
    for (const query of ["client_order_id=a%ff", "client_order_id=a%", "idempotency_key=%C3"]) {
      const headers = { authorization: `Bearer cs_${"a".repeat(43)}` }
      const reply = await gate.ask({ path: `/records?${query}`, headers })
      assertRefused(reply, 400, "invalid_header")
    }
    assert.deepEqual(gate.vault.calls, [])
  })
})
