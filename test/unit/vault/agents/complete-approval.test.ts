import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"

import { Signature, Wallet } from "ethers"

import type { TypedOperation } from "../../../../src/contract/views.ts"
import {
  accepted,
  approve,
  askElsewhere,
  elsewhere,
  failsWith,
  methodsAt,
  openAgentVault,
  signedOf,
  signTyped,
  type AgentVault,
} from "../../../support/agent-keys.ts"
import { limitOrder, outcomeOf } from "../../../support/open-test-vault.ts"

const stranger = new Wallet(`0x${"02".repeat(32)}`)
/** SEC 2: the order of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe("the signature of a wallet elsewhere", () => {
  let test: AgentVault
  let operation: TypedOperation
  let signature: string
  beforeEach(async () => {
    test = await openAgentVault()
    await test.addKey({ name: "far", role: "agent" })
    operation = await askElsewhere(test, { agent: "far" })
    signature = signTyped(operation)
  })
  afterEach(() => test.remove())

  const complete = (changes: { record?: string; signature?: string } = {}) =>
    test.admin.completeApproval({ record: operation.record, signature, ...changes })

  it("makes the approval one to send", async () => {
    const signed = await complete()
    const body = JSON.parse(signed.body) as Record<string, unknown>
    const { r, s, v } = Signature.from(signature)
    assert.deepEqual(body["signature"], { r, s, v })
    assert.equal(body["signer_address"], elsewhere.address)
    assert.equal(body["nonce"], operation.typed_data.message["nonce"])
    assert.equal(body["expires_after"], operation.expires_after)
    assert.equal(signed.expires_after, operation.expires_after)
    assert.equal(signed.record, operation.record)
    assert.equal(signed.path, "/v1/account/approve-agent")
  })

  it("approves the agent, and says whose it is, once the venue has accepted it", async () => {
    await complete()
    const { key } = await test.admin.settleOperation({
      record: operation.record,
      outcome: accepted,
    })
    assert.deepEqual(
      [key?.name, key?.approval, key?.wallet],
      ["far", "approved", elsewhere.address],
    )
    const token = await test.addClient({ name: "far-bot", keys: ["far"] })
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "signed")
    const again = await askElsewhere(test, { agent: "far" })
    assert.equal(again.signer, elsewhere.address)
  })

  it("may have v as the recovery id, and spaces around it", async () => {
    const { v } = Signature.from(signature)
    const plain = `${signature.slice(0, -2)}0${v - 27}`
    const { body } = await complete({ signature: ` ${plain}\n` })
    assert.equal(body, (await complete()).body)
  })

  it("is kept nowhere: the same one gives the same body again, until the venue has answered", async () => {
    const { good_for_ms: goodForMs, ...first } = await complete()
    const again = async () => {
      const { good_for_ms: leftMs, ...same } = await complete()
      assert.ok(leftMs <= goodForMs)
      return same
    }
    assert.deepEqual(await again(), first)
    const { record } = operation
    await test.admin.settleOperation({ record, outcome: { kind: "sent" } })
    await test.admin.settleOperation({ record, outcome: { kind: "unknown", status: null } })
    assert.deepEqual(await again(), first)
    await test.admin.settleOperation({ record, outcome: accepted })
    await failsWith(complete, "usage", /accepted this approval already/)
  })

  it("is refused after a refusal of the venue", async () => {
    const outcome = { kind: "refused", status: 400, code: "90306" } as const
    await test.admin.settleOperation({ record: operation.record, outcome })
    await failsWith(complete, "usage", /refused this approval already/)
  })

  it("is taken until the last millisecond before it expires, and not from then on", async () => {
    const ask = { record: operation.record, signature }
    const at = (nowMs: number) => methodsAt(test, nowMs).completeApproval(ask)
    assert.equal((await at(operation.expires_after - 1)).record, operation.record)
    for (const late of [0, 1]) {
      await failsWith(() => at(operation.expires_after + late), "usage", /expired at 20/)
    }
  })

  it("is refused when it is another wallet's, with a sentence that says whose", async () => {
    const other = signTyped(operation, stranger)
    const words = new RegExp(`that of ${stranger.address}.*${elsewhere.address} must sign`)
    await failsWith(() => complete({ signature: other }), "usage", words)
  })

  it("is refused when it is over another approval", async () => {
    const other = await askElsewhere(test, { agent: "far", validDays: 29 })
    const words = /is that of 0x.* must sign it/
    await failsWith(() => complete({ record: other.record }), "usage", words)
  })

  it("is refused with a high s, and when it is none", async () => {
    const { r, s, v } = Signature.from(signature)
    const high = (order - BigInt(s)).toString(16).padStart(64, "0")
    const flipped = `${r}${high}${(55 - v).toString(16)}`
    await failsWith(() => complete({ signature: flipped }), "usage", /EIP-2/)
    await failsWith(() => complete({ signature: "0x" }), "usage", /130 hex digits/)
    const nobodys = `0x${"00".repeat(31)}05${"22".repeat(32)}1b`
    await failsWith(() => complete({ signature: nobodys }), "usage", /No key made|is that of/)
  })

  it("is refused for what isn't an approval that waits for one", async () => {
    const nothing = /No approval with this record waits/
    await failsWith(() => complete({ record: "rec_none" }), "name_unknown", nothing)
    const here = signedOf(await test.admin.approveAgent({ agent: "mm", validDays: 1, label: "" }))
    await failsWith(() => complete({ record: here.record }), "name_unknown", nothing)
    const revocation = await test.admin.revokeAgent({ agent: "mm" })
    await failsWith(() => complete({ record: revocation.record }), "name_unknown", nothing)
    const bots = await test.sign(test.token, limitOrder())
    const record = bots.kind === "answer" ? bots.record : ""
    await failsWith(() => complete({ record }), "name_unknown", nothing)
  })

  it("is refused once the agent has ended", async () => {
    await test.vault.act({ act: "key_removed", name: "far" })
    await failsWith(complete, "usage", /far is removed/)
  })

  it("doesn't change an agent that another wallet approved meanwhile", async () => {
    await complete()
    const wallet = test.vault.active().keys.get("main")!.address
    const expiresAtMs = Date.now() + 1_000_000
    await test.vault.act({
      act: "agent_approved",
      name: "far",
      expires_at: expiresAtMs,
      record: "r",
      wallet,
    })
    const { key } = await test.admin.settleOperation({
      record: operation.record,
      outcome: accepted,
    })
    assert.deepEqual([key?.wallet, key?.expires_at], [wallet, expiresAtMs])
  })
})

describe("the end of an operator's record", () => {
  it("is heard once: a later word changes nothing", async (t) => {
    const test = await openAgentVault()
    t.after(() => test.remove())
    const { record } = await approve(test, "mm", 30)
    const until = test.vault.active().keys.get("mm")?.expires_at
    const revocation = await test.admin.revokeAgent({ agent: "mm" })
    await test.admin.settleOperation({ record: revocation.record, outcome: accepted })
    const { key } = await test.admin.settleOperation({ record, outcome: accepted })
    assert.deepEqual([key?.approval, key?.expires_at], ["revoked", until])
  })

  it("is refused for records that are no operator's", async (t) => {
    const test = await openAgentVault()
    t.after(() => test.remove())
    const settle = () => test.admin.settleOperation({ record: "rec_none", outcome: accepted })
    await failsWith(settle, "name_unknown", /operator has sent nothing/)
  })
})
