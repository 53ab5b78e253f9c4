// Slow loris: connections that send a byte now and then, to hold what others need.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { readReply } from "../support/ask-raw.ts"
import { assertRefused, jsonHeaders, startGate } from "../support/gate.ts"
import { connectRaw, type RawPeer } from "../support/link-peer.ts"

const limits = { headersTimeoutMs: 150, requestTimeoutMs: 300, connectionCheckMs: 20 }
const start = "POST /sign/v1/x HTTP/1.1\r\n"

function fullHead(port: number, lines: readonly string[]): string {
  const own = Object.entries(jsonHeaders).map(([name, value]) => `${name}: ${value}`)
  return `${start}${[`Host: 127.0.0.1:${port}`, ...own, ...lines, "", ""].join("\r\n")}`
}

describe("a client that is slow", () => {
  for (const [what, text] of [
    ["says nothing", ""],
    ["sends half a line", "POST /si"],
    ["sends no end of its headers", `${start}Host: a\r\n`],
  ] as const) {
    it(`is told so and disconnected when it ${what}`, async (t) => {
      const gate = await startGate(t, { limits })
      const peer = await connectRaw(gate.port)
      peer.send(text)
      const reply = await readReply(peer)
      assert.ok(reply)
      assertRefused(reply, 408, "request_timeout")
      assert.deepEqual(gate.vault.calls, [])
    })
  }

  it("is told so when its body stops coming", async (t) => {
    const gate = await startGate(t, { limits })
    const peer = await connectRaw(gate.port)
    peer.send(`${fullHead(gate.port, ["Content-Length: 3"])}{}`)
    const reply = await readReply(peer)
    assert.ok(reply)
    assertRefused(reply, 408, "request_timeout")
    assert.deepEqual(gate.vault.calls, [])
  })

  it("gains nothing by a byte now and then", async (t) => {
    const gate = await startGate(t, { limits })
    const peer = await connectRaw(gate.port)
    peer.send(`${start}X: `)
    const drip = setInterval(() => peer.send("a"), 10)
    t.after(() => clearInterval(drip))
    const reply = await readReply(peer)
    assert.ok(reply)
    assertRefused(reply, 408, "request_timeout")
  })

  it("is disconnected when it is silent between requests", async (t) => {
    const gate = await startGate(t, { limits: { keepAliveMs: 50 } })
    const peer = await connectRaw(gate.port)
    peer.send(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\n\r\n`)
    assert.match((await peer.line()) ?? "", / 200 /)
    await peer.closed()
  })

  it("doesn't keep others from being served, 500 of them", async (t) => {
    const gate = await startGate(t)
    const slow: RawPeer[] = []
    t.after(() => slow.forEach((peer) => peer.socket.destroy()))
    for (let count = 0; count < 500; count++) {
      const peer = await connectRaw(gate.port)
      peer.send(`${start}X: `)
      slow.push(peer)
    }
    assert.equal((await gate.post("/sign/v1/trade/orders")).status, 200)
  })

  it("makes room for a new one when all connections are taken", async (t) => {
    const gate = await startGate(t, { limits: { maxConnections: 3 } })
    const idle = [
      await connectRaw(gate.port),
      await connectRaw(gate.port),
      await connectRaw(gate.port),
    ]
    t.after(() => idle.forEach((peer) => peer.socket.destroy()))
    assert.equal((await gate.post("/sign/v1/trade/orders")).status, 200)
    await idle[0]?.closed()
    assert.deepEqual(
      idle.map(({ socket }) => socket.closed),
      [true, false, false],
    )
  })
})
