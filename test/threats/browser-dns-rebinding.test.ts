// A page's own name resolves to 127.0.0.1: its requests arrive with its name in Host.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { ownHosts } from "../../src/gate/http/admit.ts"
import { askRaw } from "../support/ask-raw.ts"
import { token } from "../support/fake-vault.ts"
import { assertRefused, startGate } from "../support/gate.ts"

/** A call with a good token whose headers besides are `lines`; HOST stands for ours. */
function post(port: number, lines: readonly string[], first = "POST /sign/v1/x HTTP/1.1"): string {
  const own = [`Authorization: Bearer ${token}`, "Content-Type: application/json"]
  const all = [first, ...lines, ...own, "Content-Length: 2", "Connection: close", "", "{}"]
  return all.join("\r\n").replaceAll("HOST", `127.0.0.1:${port}`)
}

describe("a Host of another name", () => {
  for (const host of [
    "evil.example:PORT",
    "127.0.0.1.evil.example:PORT",
    "localhost.:PORT",
    "127.0.0.1",
    "localhost",
    "127.0.0.1:1",
    "127.0.0.1:0PORT",
    "127.1:PORT",
    "0.0.0.0:PORT",
    "127.0.0.2:PORT",
    "[::]:PORT",
    "::1:PORT",
    "user@127.0.0.1:PORT",
    "127.0.0.1:PORT,evil.example",
    "127.0.0.1:PORT/",
    "",
  ]) {
    it(`is refused before anything is done: "${host}"`, async (t) => {
      const gate = await startGate(t)
      const line = `Host: ${host.replace("PORT", String(gate.port))}`
      for (const first of [
        "POST /sign/v1/x HTTP/1.1",
        "GET /healthz HTTP/1.1",
        "GET /no HTTP/1.1",
      ]) {
        const reply = await askRaw(gate.port, post(gate.port, [line], first))
        assert.ok(reply)
        assertRefused(reply, 421, "misdirected_host")
      }
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  for (const host of ["127.0.0.1", "localhost", "LocalHost", "[::1]", "bots.internal"]) {
    it(`is served when it is ours: ${host}`, async (t) => {
      const gate = await startGate(t, { allowedHosts: ["Bots.internal"] })
      const reply = await askRaw(gate.port, post(gate.port, [`Host: ${host}:${gate.port}`]))
      assert.equal(reply?.status, 200)
    })
  }

  it("may leave the port out where it is HTTP's default", () => {
    assert.equal(ownHosts([], 80).has("localhost"), true)
    assert.equal(ownHosts([], 80).has("localhost:80"), true)
    assert.equal(ownHosts([], 8420).has("localhost"), false)
  })
})

describe("a Host that isn't one", () => {
  for (const [what, lines] of [
    ["two, the good one first", ["Host: HOST", "Host: evil.example"]],
    ["two, the good one last", ["Host: evil.example", "Host: HOST"]],
    ["two that are equal", ["Host: HOST", "host: HOST"]],
    ["none", []],
  ] as const) {
    for (const version of ["HTTP/1.1", "HTTP/1.0"]) {
      it(`is refused: ${what}, ${version}`, async (t) => {
        const gate = await startGate(t)
        const text = post(gate.port, lines, `POST /sign/v1/x ${version}`)
        const reply = await askRaw(gate.port, text)
        assert.ok(reply)
        assertRefused(reply, 400, "invalid_header")
        assert.deepEqual(gate.vault.calls, [])
      })
    }
  }
})

describe("a request target that names a host itself", () => {
  for (const target of [
    "http://evil.example/healthz",
    "http://HOST/healthz",
    "http://[::1/healthz",
    "http://127.0.0.1:port/healthz",
    "*",
    "evil.example:443",
  ]) {
    it(`is refused: ${target}`, async (t) => {
      const gate = await startGate(t)
      const first = `GET ${target} HTTP/1.1`
      const reply = await askRaw(gate.port, post(gate.port, ["Host: HOST"], first))
      assert.ok(reply)
      assertRefused(reply, 400, "invalid_header")
    })
  }
})
