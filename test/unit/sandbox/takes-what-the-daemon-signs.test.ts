import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { answerRequest } from "../../../src/sandbox/answer-request.ts"
import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { createVenue, type Venue } from "../../../src/sandbox/state/venue.ts"
import { builtinEndpoints } from "../../../src/venue/builtin-profile.ts"
import type { OperationId } from "../../../src/venue/profile.ts"
import { assertSigned, openTestVault, type TestVault } from "../../support/open-test-vault.ts"
import type { Fields } from "./signed-bodies.ts"

const order = { symbol_id: 1, is_buy: true, order_type: "limit", quantity: "1", price: "60000" }
const typeB = { service_chain: "Sandbox", signature_chain_id: 842_569_901 }
const everything = `policy: everything
rules:
  - name: all
    endpoints: [${builtinEndpoints.map(({ id }) => id).join(", ")}]
    agent_addresses: held
`

// The daemon signs with its own hashing and the profile; the sandbox recovers with its own.
describe("the sandbox", () => {
  let test: TestVault
  let token: string
  let walletAddress: string
  let agentAddress: string
  let venue: Venue
  before(async () => {
    const profile = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
    const whole = profile.replaceAll(/^( *)#(?=transfer:|withdraw:)/gm, "$1")
    test = await openTestVault({ policies: [everything], venue: whole })
    const main = await test.addKey({ name: "main", role: "wallet" })
    const mm = await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    walletAddress = main.address
    agentAddress = mm.address
    token = await test.addClient({ name: "bot", keys: ["mm", "main"], allowTypeB: true })
    venue = createVenue([walletAddress])
  })
  after(() => test.remove())

  async function play(operation: OperationId, body: Fields, key = "main"): Promise<Fields> {
    const { path = "" } = builtinEndpoints.find(({ id }) => id === operation) ?? {}
    const signed = await test.sign(token, body, { path, key })
    assertSigned(signed)
    const request = {
      method: "POST",
      path,
      ip: "127.0.0.1",
      query: new URLSearchParams(),
      contentType: "application/json",
      body: Buffer.from(signed.body),
    }
    const { envelope } = answerRequest(request, { venue, nowMs: Date.now() }, "trace")
    assert.equal(envelope.code, "0", `${operation}: ${envelope.msg}`)
    return envelope.data
  }

  it("takes every operation that the daemon signs with the sandbox's profile", async () => {
    const approval = { authorized_address: walletAddress, valid_days: 30, label: "mm" }
    const agent = { ...typeB, agent_address: agentAddress }
    await play("approveAgent", { ...agent, ...approval })
    await play("renewAgent", { ...agent, valid_days: 60 })
    const { order_id } = await play("placeOrder", order, "mm")
    await play("modifyOrder", { ...order, order_id, price: "61000" }, "mm")
    await play("chaseOrder", { order_id }, "mm")
    await play("cancelOrder", { order_id }, "mm")
    const { list } = await play("placeBatch", { orders: [order, order] }, "mm")
    const ids = (list as readonly Fields[]).map((item) => item["order_id"])
    await play("modifyBatch", { orders: ids.map((id) => ({ ...order, order_id: id })) }, "mm")
    await play("cancelBatch", { order_ids: ids }, "mm")
    await play("cancelAll", {}, "mm")
    await play("setPositionMode", { position_mode: "hedge" }, "mm")
    await play("setLeverage", { symbol_id: 1, leverage: 5 }, "mm")
    await play("adjustIsolatedMargin", { symbol_id: 1, amount: "10", is_add: true }, "mm")
    const { sub_address } = await play("createSub", { ...typeB, label: "desk" })
    const sum = { ...typeB, asset: "USD", amount: "10" }
    const transfer = { ...sum, source: walletAddress, destination: sub_address }
    await play("transfer", transfer)
    await play("withdraw", { ...sum, destination: walletAddress })
    await play("revokeAgent", agent)
    assert.deepEqual(
      venue.records.transactions.map(({ path }) => path).sort(),
      builtinEndpoints.map(({ path }) => path).sort(),
    )
  })
})
