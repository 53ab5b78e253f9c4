import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { startGate, type TestGate } from "../../support/gate.ts"

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
const traceparent = `00-${trace}-00f067aa0ba902b7-01`

function tracesOf({ vault, logged }: TestGate) {
  return {
    signed: vault.calls.map((call) => (call.method === "sign" ? call.params.traceparent : "other")),
    logged: logged.filter(({ event }) => event === "request").map((entry) => entry.trace),
  }
}

describe("a bot's traceparent", () => {
  it("is told to the vault, for the record, and its trace id is in the log", async (t) => {
    const gate = await startGate(t)
    await gate.post("/sign/v1/trade/orders", "{}", { traceparent })
    assert.deepEqual(tracesOf(gate), { signed: [traceparent], logged: [trace] })
  })

  for (const strange of [`${traceparent}-x`, traceparent.toUpperCase(), "canary"]) {
    it(`is nowhere if it is ${strange}`, async (t) => {
      const gate = await startGate(t)
      await gate.post("/sign/v1/trade/orders", "{}", { traceparent: strange })
      assert.deepEqual(tracesOf(gate), { signed: [undefined], logged: [undefined] })
    })
  }
})
