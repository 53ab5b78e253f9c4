import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import type { RecordView } from "../../src/contract/bot-views.ts"
import { sandboxChainId, sandboxServiceChain } from "../../src/sandbox/state/market.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { limitOrder, type Answer } from "../support/bot.ts"
import { sandbox, type Served } from "../support/countersign.ts"
import { until } from "../support/process-tree.ts"
import { startRelay, type Relay } from "../support/relay.ts"

const orders = "/v1/trade/orders"
const byWallet = { "Countersign-Key": "main" }

describe("what the daemon forwards to the sandbox", { timeout: 120_000 }, () => {
  let venue: Served
  let relay: Relay
  let daemon: BotDaemon
  before(async () => {
    venue = await sandbox()
    relay = await startRelay(Number(new URL(venue.url).port))
    daemon = await startBotDaemon(["--venue", "sandbox", "--upstream", relay.url])
  })
  after(async () => {
    await daemon.remove()
    await relay.close()
    await venue.stop()
  })

  /** The record behind an answer, once it has come to `state`: reports make nobody wait. */
  function recordOf(answer: Answer, state: string): Promise<RecordView> {
    const id = answer.headers.get("Countersign-Record") ?? "none"
    return until(async () => {
      const { json } = await daemon.bot.get(`/records/${id}`)
      const record = json.data as unknown as RecordView
      return record.state === state ? record : undefined
    }, `the record is ${state}`)
  }

  async function openOrders(): Promise<readonly string[]> {
    const response = await fetch(`${venue.url}/v1/trade/open-orders`)
    const { data } = (await response.json()) as { data: { list: { order_id: string }[] } }
    return data.list.map((order) => order.order_id)
  }

  const agentBody = () => ({
    service_chain: sandboxServiceChain,
    signature_chain_id: sandboxChainId,
    agent_address: daemon.keys.agent.address,
  })

  it("comes back as the venue refused it, and is recorded as refused", async () => {
    const answer = await daemon.bot.post(orders, limitOrder())
    assert.deepEqual([answer.status, answer.json.code], [400, "90301"])
    assert.equal(answer.headers.get("Countersign-Source"), "venue")
    const { outcome } = await recordOf(answer, "refused")
    assert.deepEqual(outcome, { status: 400, code: "90301", order: null })
  })

  it("approves an agent, whose approval is known from then on", async () => {
    const approval = {
      ...agentBody(),
      ...{ authorized_address: daemon.keys.wallet.address, valid_days: 30, label: "mm" },
    }
    const answer = await daemon.bot.post("/v1/account/approve-agent", approval, byWallet)
    assert.deepEqual([answer.status, answer.json.code], [200, "0"])
    const record = await recordOf(answer, "accepted")
    const { keys } = (await daemon.bot.get("/whoami")).json.data as {
      keys: readonly { name: string; approval: string; expires_at: number }[]
    }
    const agent = keys.find((key) => key.name === "mm")
    assert.equal(agent?.approval, "approved")
    assert.equal(agent.expires_at, record.decided_at + 30 * 86_400_000)
  })

  let orderId = ""

  it("places an order, and is recorded as accepted", async () => {
    const answer = await daemon.bot.post(orders, limitOrder({ client_order_id: "q-1" }))
    assert.deepEqual([answer.status, answer.json.code], [200, "0"])
    orderId = String(answer.json.data["order_id"])
    assert.deepEqual(await openOrders(), [orderId])
    const record = await recordOf(answer, "accepted")
    const { state, tx_hash: hash } = answer.json.data
    const { decided_at: decidedAt, nonce, policy_hash: policyHash } = record
    assert.match(policyHash, /^[0-9a-f]{64}$/)
    assert.deepEqual(record, {
      id: answer.headers.get("Countersign-Record"),
      state: "accepted",
      client: "bot",
      key: "mm",
      operation: "placeOrder",
      nonce,
      expires_after: Math.max(decidedAt, nonce ?? 0) + 15_000,
      decided_at: decidedAt,
      policy_hash: policyHash,
      refusal: null,
      outcome: { status: 200, code: "0", order: { order_id: orderId, state, tx_hash: hash } },
      idempotency_key: null,
      client_order_id: "q-1",
    })
  })

  it("cancels it", async () => {
    const answer = await daemon.bot.post(`${orders}/cancel`, { order_id: orderId })
    assert.deepEqual([answer.status, answer.json.code], [200, "0"])
    assert.deepEqual(await openOrders(), [])
    await recordOf(answer, "accepted")
  })

  it("is unknown when the answer is lost, though the venue has it", async () => {
    relay.interceptNext((toDaemon) => toDaemon.destroy())
    const answer = await daemon.bot.post(orders, limitOrder())
    assert.deepEqual([answer.status, answer.json.code], [504, "upstream_outcome_unknown"])
    assert.equal(answer.headers.get("Countersign-Source"), "daemon")
    assert.equal((await openOrders()).length, 1)
    const { id, expires_after: expiresAfter, outcome } = await recordOf(answer, "unknown")
    assert.deepEqual(answer.json.data, { record: id, expires_after: expiresAfter })
    assert.equal(outcome, null)
  })

  it("is unknown when the answer isn't the venue's envelope, and comes back as it is", async () => {
    const page = "<html>not ours</html>"
    relay.interceptNext((toDaemon) => {
      toDaemon.write(`HTTP/1.1 200 OK\r\ncontent-length: ${page.length}\r\n\r\n${page}`)
    })
    const reply = await daemon.post(orders, limitOrder())
    assert.deepEqual([reply.status, reply.text], [200, page])
    assert.equal(reply.headers["countersign-source"], "venue")
    const id = String(reply.headers["countersign-record"])
    const known = { headers: new Headers({ "Countersign-Record": id }) }
    const { outcome } = await recordOf(known as Answer, "unknown")
    assert.deepEqual(outcome, { status: 200, code: null, order: null })
  })

  it("revokes an agent, which never signs again", async () => {
    const answer = await daemon.bot.post("/v1/account/revoke-agent", agentBody(), byWallet)
    assert.deepEqual([answer.status, answer.json.code], [200, "0"])
    await recordOf(answer, "accepted")
    const refused = await daemon.bot.post(orders, limitOrder())
    assert.deepEqual([refused.status, refused.json.code], [403, "agent_revoked"])
  })

  it("is only signed while the venue can't be reached", async () => {
    await relay.close()
    const answer = await daemon.bot.post(orders, limitOrder(), byWallet)
    assert.deepEqual([answer.status, answer.json.code], [502, "upstream_unreachable"])
    const { id, expires_after: expiresAfter, outcome } = await recordOf(answer, "signed")
    assert.deepEqual(answer.json.data, { record: id, expires_after: expiresAfter })
    assert.equal(outcome, null)
  })
})
