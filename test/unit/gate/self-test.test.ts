import assert from "node:assert/strict"
import { createServer, type RequestListener } from "node:http"
import { describe, it } from "node:test"

import { answersItself } from "../../../src/gate/run-gate.ts"
import { startGate } from "../../support/gate.ts"

const generousMs = 30_000

describe("the gate's test of itself", () => {
  it("succeeds on a gate that serves, over and over", async (t) => {
    const gate = await startGate(t)
    for (let time = 0; time < 3; time += 1) {
      assert.equal(await answersItself(gate.http, generousMs), true)
    }
    assert.deepEqual(gate.vault.calls, [])
  })

  it("succeeds while the vault is away", async (t) => {
    const gate = await startGate(t)
    await gate.vault.close()
    assert.equal(await answersItself(gate.http, generousMs), true)
  })

  it("succeeds while as many requests are at work as can be", async (t) => {
    const gate = await startGate(t, { limits: { maxInFlight: 0 } })
    assert.equal(await answersItself(gate.http, generousMs), true)
  })

  it("succeeds on any server that answers 200", async () => {
    const server = createServer((_, response) => response.end("x"))
    assert.equal(await answersItself(server, generousMs), true)
  })

  const broken: Readonly<Record<string, RequestListener>> = {
    "says that it broke": (_, response) => response.writeHead(500).end(),
    "hangs up": (request) => request.socket.destroy(),
    "answers half": (_, response) => response.writeHead(200, { "content-length": 2 }).write("x"),
  }
  for (const [what, listener] of Object.entries(broken)) {
    it(`fails on a server that ${what}`, async () => {
      // What never ends is cut at the deadline.
      assert.equal(await answersItself(createServer(listener), 100), false)
    })
  }

  it("fails on a server that never answers", async () => {
    assert.equal(await answersItself(createServer(), 100), false)
  })
})
