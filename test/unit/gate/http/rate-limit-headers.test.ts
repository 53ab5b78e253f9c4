import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { BotResults } from "../../../../src/link/calls/methods.ts"
import { signedBody } from "../../../support/fake-vault.ts"
import { startGate } from "../../../support/gate.ts"

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

describe("RateLimit fields", () => {
  const rateLimits = [
    { scope: "address", max: 2_400, left: 2_389, freesInMs: 60_001 },
    { scope: "ip", max: 1_200, left: 0, freesInMs: null },
  ] as const
  const policy = '"address";q=2400;w=60, "ip";q=1200;w=60'
  const stand = '"address";r=2389;t=61, "ip";r=0'

  it("are on what is signed and on what is refused", async (t) => {
    const signed = {
      kind: "answer",
      record: "r-1",
      body: signedBody,
      expiresAfter: 1,
      goodForMs: 5,
    } as const
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
