// A page of another origin calls us by our own name, as any page on the web can.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { assertRefused, jsonHeaders, startGate } from "../support/gate.ts"

describe("a request that a browser marks as another site's", () => {
  for (const [name, value] of [
    ["origin", "http://localhost:3000"],
    ["origin", "https://127.0.0.1:PORT"],
    ["origin", "http://127.0.0.1"],
    ["origin", "http://evil.example"],
    ["origin", "http://http://127.0.0.1:PORT"],
    ["origin", "null"],
    ["origin", ""],
    ["origin", ["http://127.0.0.1:PORT", "http://evil.example"]],
    ["sec-fetch-site", "cross-site"],
    ["sec-fetch-site", "same-site"],
    ["sec-fetch-site", ""],
    ["sec-fetch-site", ["none", "cross-site"]],
  ] as const) {
    it(`is refused, with a good token too: ${name} ${String(value)}`, async (t) => {
      const gate = await startGate(t)
      const values = [value].flat().map((text) => text.replace("PORT", String(gate.port)))
      const headers = { ...jsonHeaders, [name]: values }
      for (const path of ["/sign/v1/trade/orders", "/whoami", "/healthz", "/nowhere"]) {
        for (const method of ["GET", "POST", "OPTIONS"]) {
          assertRefused(await gate.ask({ method, path, headers }), 403, "origin_refused")
        }
      }
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  for (const [name, value] of [
    ["origin", "http://127.0.0.1:PORT"],
    ["origin", "http://localhost:PORT"],
    ["sec-fetch-site", "same-origin"],
    ["sec-fetch-site", "none"],
  ] as const) {
    it(`is served when it is ours: ${name} ${value}`, async (t) => {
      const gate = await startGate(t)
      const headers = { [name]: value.replace("PORT", String(gate.port)) }
      const reply = await gate.post("/sign/v1/trade/orders", "{}", headers)
      assert.equal(reply.status, 200)
      for (const header of Object.keys(reply.headers))
        assert.doesNotMatch(header, /^access-control/)
    })
  }
})
