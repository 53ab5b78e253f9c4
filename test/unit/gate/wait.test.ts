import assert from "node:assert/strict"
import { connect } from "node:net"
import { describe, it, type TestContext } from "node:test"

import type { BotResults } from "../../../src/link/methods.ts"
import { signedBody } from "../../support/fake-vault.ts"
import { jsonHeaders, startGate, type TestGate } from "../../support/gate.ts"
import { until } from "../../support/process-tree.ts"

const ordersPath = "/v1/trade/orders"
const refusal: BotResults["sign"] = {
  kind: "refused",
  record: null,
  refusal: {
    code: "10029",
    message: "Rate limit exceeded.",
    data: {
      ...{ scope: "address", max: 2_400, used: 2_400, kept: 0, asked: 1 },
      ...{ frees_at: 1, retry_after_ms: 1 },
    },
  },
}

/** A gate before a vault that signs nothing until it is told that nobody waits any more. */
async function open(t: TestContext): Promise<TestGate> {
  let giveUp: () => void = () => undefined
  const given = new Promise<void>((resolve) => (giveUp = resolve))
  return startGate(t, {
    script: {
      sign: () => given.then(() => refusal),
      abandonWait() {
        giveUp()
        return { abandoned: true }
      },
    },
  })
}

function calls({ vault }: TestGate, method: string): Promise<readonly unknown[]> {
  const found = () => vault.calls.filter((call) => call.method === method)
  return until(() => (found().length > 0 ? found() : undefined), `${method} is called`)
}

/** Sends a call that waits on a connection of its own. */
function send({ port }: TestGate) {
  const socket = connect(port, "127.0.0.1")
  const headers = Object.entries({ ...jsonHeaders, "countersign-wait": "30000" })
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  socket.write(
    `POST /sign${ordersPath} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 2\r\n${lines}\r\n{}`,
  )
  socket.on("error", () => undefined)
  return socket
}

/** That the call which waited was given up, by its own token and id. */
async function assertGivenUp(gate: TestGate): Promise<void> {
  const [given] = (await calls(gate, "abandonWait")) as { params: { token: string; id: string } }[]
  const [sign] = (await calls(gate, "sign")) as {
    params: { token: string; wait: { id: string } }
  }[]
  assert.deepEqual(given?.params, { token: sign?.params.token, id: sign?.params.wait.id })
}

describe("Countersign-Wait", () => {
  it("is told to the vault with a new id each time", async (t) => {
    const gate = await startGate(t)
    for (const path of [`/sign${ordersPath}`, `/sign${ordersPath}`]) {
      await gate.post(path, "{}", { "countersign-wait": "1" })
    }
    await gate.post(`/sign${ordersPath}`)
    const waits = gate.vault.calls.flatMap((call) =>
      call.method === "sign" ? [call.params.wait] : [],
    )
    assert.deepEqual(
      waits.map((wait) => wait?.ms),
      [1, 1, undefined],
    )
    assert.notEqual(waits[0]?.id, waits[1]?.id)
  })

  it("can be up to 30,000 whole milliseconds, on calls for a signature", async (t) => {
    const gate = await startGate(t)
    const status = async (path: string, value: string) => {
      const reply = await gate.post(path, "{}", { "countersign-wait": value })
      return reply.status === 200 ? 200 : [reply.status, reply.envelope.code, reply.envelope.data]
    }
    assert.equal(await status(`/sign${ordersPath}`, "30000"), 200)
    const refused = [400, "invalid_header", { header: "countersign-wait" }]
    for (const value of ["30001", "0", "-1", "01", "1.5", "1e3", "", "soon", "99999999"]) {
      assert.deepEqual(await status(`/sign${ordersPath}`, value), refused, value)
    }
    for (const path of [`/check${ordersPath}`, "/sign/batch", "/heartbeat"]) {
      assert.deepEqual(await status(path, "1"), refused, path)
    }
  })

  it("is given up when the bot closes its connection, or half of it", async (t) => {
    for (const end of ["destroy", "end"] as const) {
      const gate = await open(t)
      const socket = send(gate)
      await calls(gate, "sign")
      socket[end]()
      await assertGivenUp(gate)
    }
  })

  it("is given up when the gate stops, and the bot is answered", async (t) => {
    const gate = await open(t)
    const asked = gate.post(`/sign${ordersPath}`, "{}", { "countersign-wait": "30000" })
    await calls(gate, "sign")
    await Promise.all([gate.stop(), assertGivenUp(gate)])
    assert.equal((await asked).status, 429)
  })

  it("is over with the answer: who hangs up then gives nothing up", async (t) => {
    const gate = await startGate(t)
    const socket = send(gate)
    await new Promise((resolve) => socket.once("data", resolve))
    const closed = new Promise((resolve) => socket.once("close", resolve))
    socket.destroy()
    await closed
    await gate.stop()
    assert.ok(!gate.vault.calls.some(({ method }) => method === "abandonWait"))
  })
})

describe("RateLimit fields", () => {
  const rateLimits = [
    { scope: "address", max: 2_400, left: 2_389, freesInMs: 60_001 },
    { scope: "ip", max: 1_200, left: 0, freesInMs: null },
  ] as const
  const policy = '"address";q=2400;w=60, "ip";q=1200;w=60'
  const stand = '"address";r=2389;t=61, "ip";r=0'

  it("are on what is signed and on what is refused", async (t) => {
    const signed = { kind: "answer", record: "r-1", body: signedBody, expiresAfter: 1 } as const
    for (const answer of [{ ...signed, path: ordersPath }, refusal] as const) {
      const gate = await startGate(t, { script: { sign: () => ({ ...answer, rateLimits }) } })
      const { headers } = await gate.post(`/sign${ordersPath}`)
      assert.deepEqual([headers["ratelimit-policy"], headers["ratelimit"]], [policy, stand])
    }
  })

  it("aren't there where the vault tells of none", async (t) => {
    const gate = await startGate(t)
    const { headers } = await gate.post(`/sign${ordersPath}`)
    assert.deepEqual([headers["ratelimit-policy"], headers["ratelimit"]], [undefined, undefined])
  })
})
