import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Envelope } from "../../../../src/sandbox/answer-request.ts"
import type { VenueFault } from "../../../../src/sandbox/faults.ts"
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts"
import { errorCodes } from "../../../../src/sandbox/state/error-codes.ts"
import { nowMs, stranger, typeA, wallet, type Fields } from "../signed-bodies.ts"
import { pricesOf } from "./price-lines.ts"

const order = { symbol_id: 1, is_buy: true, order_type: "market", quantity: "0.1" }
const resting = { ...order, order_type: "limit", price: "60000" }
const of = `account_address=${wallet.address}`

type Served = {
  readonly clock: { nowMs: number }
  readonly get: (path: string) => Promise<Fields>
  readonly post: (path: string, body: Fields) => Promise<Envelope>
}

async function served(use: (sandbox: Served) => Promise<void>): Promise<void> {
  const clock = { nowMs }
  const path = pricesOf("64000", "64000", "64000", "64000", "65000")
  const accounts = [wallet.address]
  const sandbox = await startSandbox({ port: 0, accounts, path, clock: () => clock.nowMs })
  const asked = async (at: string, init?: RequestInit) =>
    (await (await fetch(sandbox.url + at, init)).json()) as Envelope
  const headers = { "content-type": "application/json" }
  try {
    await use({
      clock,
      get: async (at) => (await asked(at)).data,
      post: (at, body) => asked(at, { method: "POST", body: JSON.stringify(body), headers }),
    })
  } finally {
    await sandbox.close()
  }
}

const lag = { kind: "lag", ms: 3_000 }
const fault = "/__sandbox/fault"
const control = "/__sandbox/market"

describe("the truth of a market", () => {
  it("tells prices, accounts and open orders, and what happened event by event", async () => {
    await served(async ({ get, post }) => {
      await post("/v1/trade/orders", typeA(order))
      await post("/v1/trade/orders", typeA(resting))
      const truth = await get(control)
      const [account] = truth["accounts"] as readonly Fields[]
      assert.ok(account)
      assert.equal(account["account_address"], wallet.address.toLowerCase())
      assert.equal(account["fees"], "3.20032")
      assert.equal((truth["open_orders"] as readonly unknown[]).length, 1)
      const events = await get(`${control}/events?after=1`)
      const list = events["list"] as readonly Fields[]
      assert.deepEqual(
        list.map(({ number, kind }) => [number, kind]),
        [
          [2, "filled"],
          [3, "ended"],
          [4, "accepted"],
        ],
      )
      assert.deepEqual([events["last_event"], events["has_more"]], [4, false])
    })
  })

  it("meets no fault, and doesn't lag", async () => {
    await served(async ({ get, post, clock }) => {
      await post(fault, { ...lag, path: "/" })
      clock.nowMs += 10_000
      await post(control, { account_address: wallet.address, order: resting })
      assert.equal(((await get(control))["open_orders"] as readonly unknown[]).length, 1)
    })
  })
})

describe("a foreign order", () => {
  it("is the account's like any other, though nobody signed it", async () => {
    await served(async ({ get, post }) => {
      const placed = await post(control, { account_address: wallet.address, order })
      assert.deepEqual([placed.code, placed.data["state"]], ["0", "filled"])
      const { list } = await get(`/v1/account/positions?${of}`)
      assert.equal((list as readonly Fields[])[0]?.["quantity"], "0.1")
    })
  })

  const refused = [
    [{ account_address: stranger.address, order }, errorCodes.unknown_account],
    [{ account_address: wallet.address }, errorCodes.missing_field],
    [{ account_address: wallet.address, order: { ...order, price: "1" } }, errorCodes.order_rule_4],
  ] as const
  for (const [body, code] of refused) {
    it(`is refused with ${code}`, async () => {
      await served(async ({ post }) => assert.equal((await post(control, body)).code, code))
    })
  }
})

describe("reads that lag", () => {
  it("show orders, positions, equity and the price of a while ago, all of them of one moment", async () => {
    await served(async ({ get, post, clock }) => {
      clock.nowMs += 2_000
      await post(control, { account_address: wallet.address, order })
      await post(control, { account_address: wallet.address, order: resting })
      clock.nowMs += 2_999
      await post(fault, lag)
      const shown = async () => [
        ((await get(`/v1/trade/open-orders?${of}`))["list"] as readonly unknown[]).length,
        ((await get(`/v1/trade/executions?${of}`))["list"] as readonly unknown[]).length,
        ((await get(`/v1/account/positions?${of}`))["list"] as readonly unknown[]).length,
        (await get(`/v1/account/equity?${of}`))["unrealised_profit"],
        (await get("/v1/market/ticker?symbol_id=1"))["mark_price"],
      ]
      assert.deepEqual(await shown(), [0, 0, 0, "0", "64000"])
      clock.nowMs += 1
      assert.deepEqual(await shown(), [1, 1, 1, "-0.64", "64000"])
      clock.nowMs += 2_000
      assert.deepEqual(await shown(), [1, 1, 1, "99.36", "65000"])
    })
  })

  it("need a market", async () => {
    const faults = [lag as VenueFault]
    await assert.rejects(startSandbox({ port: 0, faults }), { name: "Fault", code: "usage" })
    const sandbox = await startSandbox({ port: 0 })
    try {
      const response = await fetch(sandbox.url + fault, {
        method: "POST",
        body: JSON.stringify(lag),
        headers: { "content-type": "application/json" },
      })
      assert.equal(((await response.json()) as Envelope).code, errorCodes.invalid_field)
      for (const path of [control, "/v1/account/positions", "/v1/account/equity"]) {
        assert.equal((await fetch(sandbox.url + path)).status, 404)
      }
    } finally {
      await sandbox.close()
    }
  })
})
