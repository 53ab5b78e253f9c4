import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { gateLimits } from "../../../../src/gate/process/gate-limits.ts"
import { token } from "../../../support/fake-vault.ts"
import { jsonHeaders, startGate, type TestGate } from "../../../support/gate.ts"
import { connectRaw, type RawPeer } from "../../../support/link-peer.ts"

const { maxPipelined } = gateLimits

function whoami({ port }: Pick<TestGate, "port">, version = "HTTP/1.1"): string {
  return `GET /whoami ${version}\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`
}

async function answersOn(peer: RawPeer, count: number): Promise<number> {
  let answers = 0
  while (answers < count) {
    const line = await peer.line()
    if (line === undefined) return answers
    // It comes right after the body of the answer before it.
    if (line.includes("HTTP/1.1 200")) answers += 1
  }
  return answers
}

async function connectTo(t: TestContext, gate: TestGate): Promise<RawPeer> {
  const peer = await connectRaw(gate.port)
  t.after(() => peer.socket.destroy())
  return peer
}

describe("a connection with several requests", () => {
  it(`gets ${maxPipelined} answered that it sent at once, and later as many again`, async (t) => {
    const gate = await startGate(t)
    const peer = await connectTo(t, gate)
    for (let time = 0; time < 2; time++) {
      peer.send(whoami(gate).repeat(maxPipelined))
      assert.equal(await answersOn(peer, maxPipelined), maxPipelined)
    }
  })

  it("is cut before anything is asked of the vault when it sends one more at once", async (t) => {
    const gate = await startGate(t)
    const peer = await connectTo(t, gate)
    peer.send(whoami(gate).repeat(maxPipelined + 1))
    assert.equal(await answersOn(peer, 1), 0)
    assert.deepEqual(gate.vault.calls, [])
  })

  for (const [how, partBytes] of [
    ["byte by byte", 1],
    ["cut in the middle of its lines", 40],
  ] as const) {
    it(`is cut at one more while the others are at work, sent ${how}`, async (t) => {
      const waiting = Promise.withResolvers<never>()
      const gate = await startGate(t, { script: { whoami: () => waiting.promise } })
      const peer = await connectTo(t, gate)
      peer.socket.setNoDelay(true)
      const text = whoami(gate).repeat(maxPipelined + 1)
      for (let at = 0; at < text.length; at += partBytes) {
        peer.send(text.slice(at, at + partBytes))
        if (at % 5 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      assert.equal(await answersOn(peer, 1), 0)
      await peer.closed()
      assert.ok(gate.vault.calls.length <= maxPipelined)
    })
  }

  it("may write first lines of requests into a body", async (t) => {
    const gate = await startGate(t)
    const body = JSON.stringify({ note: "GET /x HTTP/1.1 ".repeat(2 * maxPipelined) })
    assert.equal((await gate.post("/sign/v1/trade/orders", body)).status, 200)
  })

  it("costs the vault nothing when it sends 20,000, fifty of them", async (t) => {
    const gate = await startGate(t)
    const peers = await Promise.all(Array.from({ length: 50 }, () => connectTo(t, gate)))
    const flood = Buffer.from(whoami(gate).repeat(20_000))
    for (const peer of peers) peer.send(flood)
    await Promise.all(peers.map((peer) => peer.closed()))
    assert.equal((await gate.ask({ path: "/whoami", headers: jsonHeaders })).status, 200)
    assert.ok(gate.vault.calls.length < peers.length * maxPipelined)
  })
})

describe("when all connections are taken", () => {
  it("the owner with the most loses the one that asked longest ago", async (t) => {
    const gate = await startGate(t, { limits: { maxConnections: 4 } })
    await gate.ask({ path: "/whoami", headers: jsonHeaders }) // by now the gate knows the client
    const own = await connectTo(t, gate)
    own.send(whoami(gate))
    assert.equal(await answersOn(own, 1), 1)
    const others = [
      await connectTo(t, gate),
      await connectTo(t, gate),
      await connectTo(t, gate),
      await connectTo(t, gate),
    ]
    await others[0]?.closed()
    own.send(whoami(gate))
    assert.equal(await answersOn(own, 1), 1)
    assert.deepEqual(
      others.map(({ socket }) => socket.closed),
      [true, false, false, false],
    )
  })
})
