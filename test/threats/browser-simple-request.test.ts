// What a page can send without asking first: forms, images, plain text; and the asking itself.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { token } from "../support/fake-vault.ts"
import { assertRefused, jsonHeaders, startGate } from "../support/gate.ts"

const paths = ["/v1/trade/orders", "/sign/v1/trade/orders", "/check/v1/trade/orders"]
const authorization = `Bearer ${token}`

describe("a body that isn't declared as JSON", () => {
  for (const type of [
    undefined,
    "",
    "text/plain",
    "text/plain;application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=application/json",
    "application/json;charset=utf-16",
    "application/json;charset=utf-8;charset=utf-16",
    "application/json;charset=iso-8859-1",
    "application/json, text/plain",
    "application/json; x=y",
    "application/jsonp",
    "application/ld+json",
    ["application/json", "text/plain"],
    ["application/json", "application/json"],
  ]) {
    it(`is refused: ${String(type)}`, async (t) => {
      const gate = await startGate(t)
      const given = type === undefined ? {} : { "content-type": type }
      for (const path of paths) {
        const headers = { authorization, ...given }
        const reply = await gate.ask({ method: "POST", path, headers, body: "{}" })
        assertRefused(reply, 415, "unsupported_media_type")
      }
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  for (const encoding of ["gzip", "deflate", "br", "identity", ""]) {
    it(`is refused when it is encoded: ${encoding}`, async (t) => {
      const gate = await startGate(t)
      const headers = { "content-encoding": encoding }
      const reply = await gate.post("/sign/v1/trade/orders", "{}", headers)
      assertRefused(reply, 415, "unsupported_media_type")
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  for (const type of [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
  ]) {
    it(`is read when it is: ${type}`, async (t) => {
      const gate = await startGate(t)
      const reply = await gate.post("/sign/v1/trade/orders", "{}", { "content-type": type })
      assert.equal(reply.status, 200)
    })
  }
})

describe("a preflight", () => {
  it("is refused on every path and allows nothing", async (t) => {
    const gate = await startGate(t)
    const headers = {
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
      "access-control-request-private-network": "true",
    }
    for (const path of [...paths, "/whoami", "/records/r-1", "/healthz", "/readyz"]) {
      assertRefused(await gate.ask({ method: "OPTIONS", path, headers }), 405, "method_not_allowed")
    }
    assertRefused(
      await gate.ask({ method: "OPTIONS", path: "/no", headers }),
      404,
      "unknown_endpoint",
    )
  })
})

describe("an image or a link to a call", () => {
  it("has no effect", async (t) => {
    const gate = await startGate(t)
    for (const path of paths) {
      const isRead = path.startsWith("/v1/")
      for (const method of isRead ? ["HEAD"] : ["GET", "HEAD"]) {
        const reply = await gate.ask({ method, path, headers: jsonHeaders })
        assert.equal(reply.status, 405)
        assert.equal(reply.headers["allow"], isRead ? "POST, GET" : "POST")
      }
      // What reads from the venue needs a token, which no page can attach.
      const bare = await gate.ask({ path })
      if (isRead) assertRefused(bare, 401, "unauthorized")
    }
    assert.deepEqual(gate.vault.calls, [])
  })
})

describe("an upgrade", () => {
  for (const protocol of ["websocket", "h2c, websocket", "tcp"]) {
    it(`is refused: ${protocol}`, async (t) => {
      const gate = await startGate(t)
      const headers = {
        ...jsonHeaders,
        connection: "Upgrade",
        upgrade: protocol,
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-version": "13",
      }
      for (const path of ["/whoami", "/v1/trade/orders", "/"]) {
        const reply = await gate.ask({ path, headers })
        assertRefused(reply, 400, "invalid_header")
      }
      assert.deepEqual(gate.vault.calls, [])
    })
  }
})
