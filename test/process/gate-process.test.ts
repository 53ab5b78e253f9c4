import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:net"
import { describe, it, type TestContext } from "node:test"

import type { OpenSigning } from "../../src/contract/signing.ts"
import { orderText } from "../support/bot.ts"
import { startFakeVault, token } from "../support/fake-vault.ts"
import { askHttp, jsonHeaders } from "../support/gate.ts"
import { startGateProcess } from "../support/gate-process.ts"

/** A gate before a vault that answers `/readyz` only when `release` is called. */
async function startHeld(t: TestContext) {
  const held = Promise.withResolvers<OpenSigning>()
  const asked = Promise.withResolvers<undefined>()
  const vault = await startFakeVault({
    health() {
      asked.resolve(undefined)
      return held.promise
    },
  })
  t.after(() => vault.close())
  const gate = await startGateProcess(t, [
    "--port",
    "0",
    "--bot-socket",
    vault.path,
    "--log-requests",
  ])
  const reply = askHttp(gate.message.port ?? 0, { path: "/readyz" })
  await asked.promise
  return { gate, reply, release: () => held.resolve({ signs: "all", reasons: [] } as const) }
}

describe("the gate's process", () => {
  it("says which port it listens on", async (t) => {
    const gate = await startGateProcess(t, ["--port", "0", "--bot-socket", "/nowhere"])
    assert.equal(gate.message.type, "ready")
    const reply = await askHttp(gate.message.port ?? 0, { path: "/healthz" })
    assert.equal(reply.status, 200)
  })

  for (const stop of ["SIGTERM", "SIGINT", "disconnect"] as const) {
    it(`finishes what is at work and exits 0 at ${stop}`, async (t) => {
      const { gate, reply, release } = await startHeld(t)
      if (stop === "disconnect") gate.child.disconnect()
      else gate.child.kill(stop)
      while (!gate.stderr().includes("stopping")) await once(gate.child.stderr!, "data")
      release()
      assert.equal((await reply).status, 200)
      assert.equal(await gate.ended, 0)
    })
  }

  it("says that the port is in use", async (t) => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    t.after(() => server.close())
    const address = server.address()
    assert.ok(address !== null && typeof address === "object")
    const args = ["--port", String(address.port), "--bot-socket", "/nowhere"]
    const gate = await startGateProcess(t, args)
    assert.deepEqual(gate.message, {
      type: "failed",
      code: "port_in_use",
      message: `Port ${address.port} on 127.0.0.1 is in use; stop the other program or choose another port.`,
    })
    assert.equal(await gate.ended, 1)
  })

  for (const [what, args, code] of [
    ["an address that isn't this machine's", ["--host", "203.0.113.1"], "port_unusable"],
    ["a base_url without TLS", ["--upstream", "http://venue.example"], "config_invalid"],
    ["an argument it doesn't know", ["--token", "x"], "usage"],
  ] as const) {
    it(`doesn't start with ${what}`, async (t) => {
      const all = ["--port", "0", "--bot-socket", "/nowhere", ...args]
      const gate = await startGateProcess(t, all)
      assert.equal(gate.message.type, "failed")
      assert.equal(gate.message.code, code)
      assert.equal(await gate.ended, 1)
    })
  }

  it("logs requests when it is told to, by route and not by path", async (t) => {
    const vault = await startFakeVault()
    t.after(() => vault.close())
    const args = ["--port", "0", "--bot-socket", vault.path, "--log-requests"]
    const gate = await startGateProcess(t, args)
    const ask = { method: "POST", path: "/sign/v1/canary", headers: jsonHeaders, body: orderText }
    assert.equal((await askHttp(gate.message.port ?? 0, ask)).status, 200)
    gate.child.kill("SIGTERM")
    await gate.ended
    const pattern =
      /"event":"request","method":"POST","route":"\/sign\/v1\/\*path","status":200,"record":"r-1","ms":\d+\}/
    assert.match(gate.stderr(), pattern)
    assert.doesNotMatch(gate.stderr(), /canary/)
  })

  it("listens on every name that it is told, and logs no token", async (t) => {
    const args = ["--port", "0", "--bot-socket", "/nowhere", "--allowed-host", "a.internal"]
    const gate = await startGateProcess(t, [...args, "--allowed-host", "b.internal"])
    const port = gate.message.port ?? 0
    for (const name of ["a.internal", "b.internal", "localhost"]) {
      const headers = { ...jsonHeaders, host: `${name}:${port}` }
      const reply = await askHttp(port, { method: "POST", path: "/sign/v1/x", headers, body: "{}" })
      assert.equal(reply.status, 503)
    }
    gate.child.kill("SIGTERM")
    assert.equal(await gate.ended, 0)
    assert.match(gate.stderr(), /"code":"vault_unavailable"/)
    assert.equal(gate.stderr().includes(token), false)
  })
})
