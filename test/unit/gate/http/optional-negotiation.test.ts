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
