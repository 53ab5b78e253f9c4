import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { sandboxChainId, sandboxServiceChain } from "../../src/sandbox/state/market.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { bot, limitOrder, type Bot } from "../support/bot.ts"
import { statusJson } from "../support/countersign.ts"
import { addClient } from "../support/trading-keys.ts"

const path = "/sign/v1/trade/orders"
const network = {
  service_chain: sandboxServiceChain,
  signature_chain_ids: [sandboxChainId],
}
/** By venue.yaml and the one policy, which is for every client. */
const reach = {
  symbols: [
    { symbol_id: 1, name: "BTC-PERP" },
    { symbol_id: 2, name: "ETH-PERP" },
    { symbol_id: 3, name: "BTC-USD" },
  ],
  operations: ["placeOrder", "cancelOrder", "cancelAll", "approveAgent", "revokeAgent"],
  reads: [],
}
const approvePath = "/sign/v1/account/approve-agent"

describe("what a bot sees of the daemon", { timeout: 120_000 }, () => {
  let daemon: BotDaemon
  /** Has the agent key alone. */
  let agentBot: Bot
  /** Has the wallet key, and was added without --allow-type-b. */
  let walletBot: Bot
  before(async () => {
    daemon = await startBotDaemon(["--venue", "sandbox"])
    const { dir, url } = daemon
    agentBot = bot(url, await addClient(dir, "agent-bot", ["--keys", "mm"]))
    walletBot = bot(
      url,
      await addClient(dir, "wallet-bot", ["--keys", "main", "--right", "metrics"]),
    )
  })
  after(() => daemon.remove())

  const status = () => statusJson<{ records: number; policy_hash: string }>(["--dir", daemon.dir])

  const approval = () => ({
    service_chain: sandboxServiceChain,
    signature_chain_id: sandboxChainId,
    agent_address: daemon.keys.agent.address,
    authorized_address: daemon.keys.wallet.address,
    valid_days: 30,
    label: "mm",
  })

  it("/whoami tells its name, its keys and what it may do", async () => {
    const { wallet, agent } = daemon.keys
    assert.deepEqual((await daemon.bot.get("/whoami")).json.data, {
      client: "bot",
      keys: [agent, wallet],
      default_key: "mm",
      rights: [],
      ...{ allow_type_b: true, forward_only: false, paper: false },
      ...reach,
      ...network,
    })
    assert.deepEqual((await walletBot.get("/whoami")).json.data, {
      client: "wallet-bot",
      keys: [wallet],
      default_key: "main",
      rights: ["metrics"],
      ...{ allow_type_b: false, forward_only: false, paper: false },
      ...reach,
      ...network,
    })
  })

  it("/records tells what was signed, to its client alone", async () => {
    const answer = await daemon.bot.post(path, limitOrder())
    const id = answer.headers.get("Countersign-Record") ?? "none"
    const record = (await daemon.bot.get(`/records/${id}`)).json.data
    const { policy_hash: policyHash } = await status()
    assert.deepEqual(record, {
      id,
      state: "signed",
      client: "bot",
      key: "mm",
      operation: "placeOrder",
      nonce: answer.json["nonce"],
      expires_after: answer.json["expires_after"],
      decided_at: record["decided_at"],
      policy_hash: policyHash,
      refusal: null,
      outcome: null,
      idempotency_key: null,
      client_order_id: null,
    })
    assert.equal(
      Number(record.expires_after),
      Math.max(Number(record.decided_at), Number(record.nonce)) + 15_000,
    )

    const ofNobody = `rec_${"0".repeat(26)}`
    const others = await Promise.all([
      agentBot.get(`/records/${id}`),
      daemon.bot.get(`/records/${ofNobody}`),
      agentBot.get(`/records/${ofNobody}`),
    ])
    for (const other of others) {
      assert.deepEqual([other.status, other.json.code], [404, "unknown_record"])
      assert.equal(other.text, others[0].text)
    }
    for (const strange of ["/records/", "/records/a%20b", "/records/../whoami"]) {
      assert.notEqual((await daemon.bot.get(strange)).json.data["id"], id)
    }
  })

  it("/check tells whether and why, and counts nothing", async () => {
    const { records } = await status()
    const allowed = (await daemon.bot.post("/check/v1/trade/orders", limitOrder())).json.data
    const file = "policies/trading.yaml"
    const quote = { policy: "trading", rule: "quote", file, line: 3 }
    const missed = (rule: string, line: number) => ({
      ...{ policy: "trading", rule, file, line },
      verdict: "does_not_match",
      reason: "endpoint_not_covered",
    })
    const others = [missed("get-out", 8), missed("own-agents", 10), missed("end-agents", 13)]
    assert.deepEqual(allowed, {
      would_sign: true,
      refusal: null,
      verdicts: [{ ...quote, verdict: "allows", reason: null }, ...others],
      ...{ limits: [], do: null },
    })

    const over = limitOrder({ quantity: "0.50001" })
    const denied = (await daemon.bot.post("/check/v1/trade/orders", over)).json.data
    const reason = "quantity_over_max"
    const refusal = denied["refusal"] as { code: string; data: unknown; message: string }
    assert.equal(denied["would_sign"], false)
    assert.deepEqual([refusal.code, denied["do"]], ["policy_denied", "fix_request"])
    const evidence = { asked: "0.50001 BTC-PERP", allowed: "0.5" }
    assert.deepEqual(refusal.data, { ...quote, reason, ...evidence })
    assert.deepEqual(denied["verdicts"], [
      { ...quote, verdict: "does_not_match", reason },
      ...others,
    ])

    const broken = await daemon.bot.post("/check/v1/trade/orders", "{")
    assert.equal(broken.status, 200)
    assert.deepEqual(broken.json.data["verdicts"], [])
    assert.equal((broken.json.data["refusal"] as { code: string }).code, "invalid_json")
    assert.equal((await status()).records, records)

    const signed = await daemon.bot.post(path, over)
    assert.deepEqual([signed.status, signed.json.code], [403, "policy_denied"])
    assert.deepEqual(signed.json.data, refusal.data)
  })

  describe("the key is", () => {
    const signerOf = async (body: object, headers = {}): Promise<unknown> => {
      const { json } = await daemon.bot.post(path, limitOrder({ ...body }), headers)
      return json["signer_address"] ?? json.code
    }

    it("the client's first, unless the header or signer_address names another", async () => {
      const { wallet, agent } = daemon.keys
      const named = { "Countersign-Key": "main" }
      assert.equal(await signerOf({}), agent.address)
      assert.equal(await signerOf({}, named), wallet.address)
      assert.equal(await signerOf({ signer_address: wallet.address }), wallet.address)
      assert.equal(await signerOf({ signer_address: wallet.address.toLowerCase() }), wallet.address)
      assert.equal(await signerOf({ signer_address: wallet.address }, named), wallet.address)
    })

    it("refused when header and signer_address disagree", async () => {
      const body = limitOrder({ signer_address: daemon.keys.wallet.address })
      const answer = await daemon.bot.post(path, body, { "Countersign-Key": "mm" })
      assert.deepEqual([answer.status, answer.json.code], [400, "invalid_request"])
      const [error] = answer.json.data["errors"] as { path: string; rule: string }[]
      assert.deepEqual([error?.path, error?.rule], ["/signer_address", "signer_disagrees"])
    })

    it("refused when the client hasn't got it, be it another's or nobody's", async () => {
      for (const key of ["main", "nobody"]) {
        const answer = await agentBot.post(path, limitOrder(), { "Countersign-Key": key })
        assert.deepEqual([answer.status, answer.json.code], [403, "key_not_allowed"])
        assert.deepEqual(answer.json.data, { key })
      }
      const foreign = limitOrder({ signer_address: daemon.keys.wallet.address })
      const answer = await agentBot.post(path, foreign)
      assert.deepEqual([answer.status, answer.json.code], [403, "key_not_allowed"])
      assert.deepEqual(answer.json.data, { key: null })
    })

    it("refused when it is a wallet's and the client has no --allow-type-b", async () => {
      for (const [at, body] of [
        [path, limitOrder()],
        [approvePath, approval()],
      ] as const) {
        const answer = await walletBot.post(at, body)
        assert.deepEqual([answer.status, answer.json.code], [403, "key_not_allowed"])
        assert.match(answer.json.msg, /have --allow-type-b/)
      }
    })

    it("refused when it is an agent's and the operation an account's, whatever else it could be", async () => {
      for (const headers of [{}, { "Countersign-Key": "mm" }]) {
        const answer = await daemon.bot.post(approvePath, approval(), headers)
        assert.deepEqual([answer.status, answer.json.code], [403, "wallet_key_required"])
        assert.deepEqual(answer.json.data, { key: "mm" })
      }
      const byWallet = await daemon.bot.post(approvePath, approval(), { "Countersign-Key": "main" })
      assert.equal(byWallet.json["signer_address"], daemon.keys.wallet.address)
    })

    it("refused for an account that it may not operate", async () => {
      const target = daemon.keys.wallet.address
      const answer = await daemon.bot.post(path, limitOrder({ target_address: target }))
      assert.deepEqual([answer.status, answer.json.code], [403, "target_not_allowed"])
      assert.deepEqual(answer.json.data, { key: "mm", target })
      const own = { target_address: daemon.keys.agent.address }
      const signed = await daemon.bot.post(path, limitOrder(own))
      assert.equal(signed.json["target_address"], daemon.keys.agent.address)
    })
  })
})
