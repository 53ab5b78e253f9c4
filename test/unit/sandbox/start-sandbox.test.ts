import assert from "node:assert/strict"
import { connect } from "node:net"
import { describe, it } from "node:test"

import type { Envelope } from "../../../src/sandbox/answer-request.ts"
import { startSandbox, type Sandbox } from "../../../src/sandbox/start-sandbox.ts"
import { errorCodes, type ErrorName } from "../../../src/sandbox/state/error-codes.ts"
import { nowMs, typeA, wallet } from "./signed-bodies.ts"

const order = { symbol_id: 1, is_buy: true, order_type: "market", quantity: "1" }
describe("the sandbox as a server", () => {
  it("takes an order over HTTP and logs one readable line", async () => {
    const lines: string[] = []
    await withSandbox(async ({ url }) => {
      const { status, envelope } = await post(`${url}/v1/trade/orders`, typeA(order))
      assert.deepEqual([status, envelope.code, envelope.trace_code], [200, "0", ""])
    }, lines)
    assert.deepEqual(lines, ["POST /v1/trade/orders 200 0 order 1000001 filled"])
  })

  it("answers a refusal with HTTP 400 and a trace_code, and logs why", async () => {
    const lines: string[] = []
    await withSandbox(async ({ url }) => {
      const { status, envelope } = await post(`${url}/v1/trade/orders`, {})
      assert.deepEqual([status, envelope.code], [400, errorCodes.missing_field])
      assert.notEqual(envelope.trace_code, "")
    }, lines)
    assert.match(lines.join("\n"), /^POST \/v1\/trade\/orders 400 90102 missing_field: [^\n]+$/)
  })

  it("reads the query of a list", async () => {
    await withSandbox(async ({ url }) => {
      const response = await fetch(`${url}/v1/trade/open-orders?limit=0`)
      assert.equal(await codeOf(response), errorCodes.invalid_query)
    })
  })

  const refused: readonly { name: string; path: string; init: RequestInit; error: ErrorName }[] = [
    { name: "an unknown path", path: "/v1/nothing", init: {}, error: "unknown_path" },
    {
      name: "GET where POST is due",
      path: "/v1/trade/orders",
      init: {},
      error: "method_not_allowed",
    },
    {
      name: "POST where GET is due",
      path: "/v1/trade/open-orders",
      init: jsonBody("{}"),
      error: "method_not_allowed",
    },
    {
      name: "another content type",
      path: "/v1/trade/orders",
      init: { method: "POST", body: "{}", headers: { "content-type": "text/plain" } },
      error: "not_json",
    },
    {
      name: "text that isn't JSON",
      path: "/v1/trade/orders",
      init: jsonBody("{"),
      error: "not_json",
    },
    { name: "an array", path: "/v1/trade/orders", init: jsonBody("[]"), error: "not_json" },
    { name: "null", path: "/v1/trade/orders", init: jsonBody("null"), error: "not_json" },
    {
      name: "a byte order mark",
      path: "/v1/trade/orders",
      init: jsonBody("\ufeff{}"),
      error: "not_json",
    },
    {
      name: "bytes that aren't UTF-8",
      path: "/v1/trade/orders",
      init: jsonBody(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)),
      error: "not_json",
    },
    {
      name: "a body of over 64 KiB",
      path: "/v1/trade/orders",
      init: jsonBody(`{"a":"${"x".repeat(65_536)}"}`),
      error: "body_too_large",
    },
  ]
  for (const { name, path, init, error } of refused) {
    it(`refuses ${name}`, async () => {
      await withSandbox(async ({ url }) => {
        assert.equal(await codeOf(await fetch(url + path, init)), errorCodes[error])
      })
    })
  }

  it("takes a body of 64 KiB to the byte", async () => {
    const empty = JSON.stringify({ a: "" })
    const body = JSON.stringify({ a: "x".repeat(65_536 - empty.length) })
    await withSandbox(async ({ url }) => {
      const response = await fetch(`${url}/v1/trade/orders`, jsonBody(body))
      assert.equal(await codeOf(response), errorCodes.missing_field)
    })
  })

  it("goes on after a caller that leaves in the middle of its body", async () => {
    await withSandbox(async ({ url, port }) => {
      const socket = connect(port, "127.0.0.1")
      await new Promise((resolve) => socket.once("connect", resolve))
      socket.write("POST /v1/trade/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
      const closed = new Promise((resolve) => socket.once("close", resolve))
      socket.destroy()
      await closed
      assert.equal((await post(`${url}/v1/trade/orders`, typeA(order))).status, 200)
    })
  })

  it("says which port is in use", async () => {
    await withSandbox(async ({ port }) => {
      await assert.rejects(startSandbox({ port }), { name: "Fault", code: "port_in_use" })
    })
  })

  it("may be closed twice", async () => {
    const sandbox = await startSandbox({ port: 0 })
    await sandbox.close()
    await sandbox.close()
  })
})

async function withSandbox(
  use: (sandbox: Sandbox) => Promise<void>,
  lines: string[] = [],
): Promise<void> {
  const sandbox = await startSandbox({
    port: 0,
    accounts: [wallet.address],
    clock: () => nowMs,
    log: (line) => lines.push(line),
  })
  try {
    await use(sandbox)
  } finally {
    await sandbox.close()
  }
}

async function post(
  url: string,
  body: unknown,
): Promise<{ readonly status: number; readonly envelope: Envelope }> {
  const response = await fetch(url, jsonBody(JSON.stringify(body)))
  return { status: response.status, envelope: (await response.json()) as Envelope }
}

function jsonBody(body: string | Uint8Array<ArrayBuffer>): RequestInit {
  return { method: "POST", body, headers: { "content-type": "application/json" } }
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as Envelope).code
}
