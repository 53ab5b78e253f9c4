import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import type { Outcome } from "../../src/link/calls/both-ways.ts"
import {
  approval,
  approvePath,
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  readBody,
  revokePath,
  type TestVault,
} from "../support/open-test-vault.ts"

const accepted: Outcome = { kind: "accepted", status: 200, code: "0" }
const lies: readonly Outcome[] = [
  { kind: "unsent" },
  { kind: "refused", status: 400, code: "1" },
  accepted,
  { kind: "unknown", status: null },
  { kind: "sent" },
]

describe("a gate that lies about what became of a request", () => {
  let test: TestVault
  let token: string
  let wallet: string
  let ownAgent: string
  let foreignAgent: string
  before(async () => {
    test = await openTestVault()
    wallet = (await test.addKey({ name: "main", role: "wallet" })).address
    await test.addKey({ name: "other-main", role: "wallet" })
    ownAgent = (await test.addKey({ name: "mm", role: "agent", wallet: "main" })).address
    const foreign = { name: "other-mm", role: "agent", wallet: "other-main" } as const
    foreignAgent = (await test.addKey(foreign)).address
    token = await test.addClient({ name: "bot", keys: ["mm", "main"], allowTypeB: true })
  })
  after(() => test.remove())

  const revocation = (agent: string) => ({
    agent_address: agent,
    signature_chain_id: 842_569_901,
    service_chain: "Sandbox",
  })

  async function signed(body: unknown, changes = {}) {
    const answer = await test.sign(token, body, changes)
    assertSigned(answer)
    return answer
  }

  it("frees no nonce, whatever it says", async () => {
    let last = 0
    for (const outcome of lies) {
      const answer = await signed(limitOrder())
      const nonce = readBody(answer)["nonce"] as number
      assert.ok(nonce > last)
      last = nonce
      await test.bots.report({ token, record: answer.record, outcome })
    }
  })

  it("changes no binding by words on anything but agents", async () => {
    const { policyHash } = test.vault.active()
    const { record } = await signed(limitOrder())
    for (const outcome of lies) await test.bots.report({ token, record, outcome })
    assert.equal(test.vault.active().policyHash, policyHash)
  })

  it("changes nothing by a word on a request that was refused here", async () => {
    const { policyHash } = test.vault.active()
    const body = approval(`0x${"e".repeat(40)}`, wallet)
    const refused = await test.sign(token, body, { path: approvePath, key: "main" })
    assert.ok(refused.kind === "refused")
    const lie = test.bots.report({ token, record: refused.record ?? "", outcome: accepted })
    await assert.rejects(lie, { code: "name_unknown" })
    assert.equal(test.vault.active().policyHash, policyHash)
  })

  it("can't end the agent of another wallet", async () => {
    const answer = await signed(revocation(foreignAgent), { path: revokePath, key: "main" })
    await test.bots.report({ token, record: answer.record, outcome: accepted })
    assert.equal(test.vault.active().keys.get("other-mm")?.approval, "unknown")
  })

  it("can't make an end later by telling an old approval again", async () => {
    const ask = { path: approvePath, key: "main" }
    const long = await signed(approval(ownAgent, wallet, { valid_days: 90 }), ask)
    const short = await signed(approval(ownAgent, wallet, { valid_days: 1 }), ask)
    const tell = (record: string) => test.bots.report({ token, record, outcome: accepted })
    await tell(long.record)
    await tell(short.record)
    await tell(long.record)
    const end = test.vault.active().keys.get("mm")?.expires_at ?? Infinity
    assert.ok(end < test.vault.now() + 2 * 86_400_000)
  })

  it("can't bring a revoked agent back", async () => {
    const again = await signed(approval(ownAgent, wallet), { path: approvePath, key: "main" })
    const end = await signed(revocation(ownAgent), { path: revokePath, key: "main" })
    for (const { record } of [end, again]) {
      await test.bots.report({ token, record, outcome: accepted })
    }
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "agent_revoked")
  })
})
