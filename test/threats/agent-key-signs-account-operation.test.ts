import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { limitOrder, openTestVault, outcomeOf, type TestVault } from "../support/open-test-vault.ts"

const withdraw =
  "Withdraw(address signerAddress,string serviceChain,address to,uint256 amount,uint64 nonce,uint64 expiresAfter)"
const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() }).replace(
  "\nagent_message_with_target",
  `\n  withdraw: {signing: B, struct: "${withdraw}"}\n\nagent_message_with_target`,
)
const everything = `policy: everything
rules:
  - {name: all, endpoints: [placeOrder, approveAgent, revokeAgent, withdraw]}
`

describe("an account operation", () => {
  let test: TestVault
  let trader: string
  let plain: string
  let agentAddress: string
  let bodies: readonly { readonly path: string; readonly body: Record<string, unknown> }[]
  before(async () => {
    test = await openTestVault({ venue, policies: [everything] })
    const wallet = await test.addKey({ name: "main", role: "wallet" })
    agentAddress = (await test.addKey({ name: "mm", role: "agent", wallet: "main" })).address
    trader = await test.addClient({ name: "trader", keys: ["mm", "main"], allowTypeB: true })
    plain = await test.addClient({ name: "plain", keys: ["mm", "main"] })
    const chain = { service_chain: "Sandbox", signature_chain_id: 842_569_901 }
    const approving = { authorized_address: wallet.address, valid_days: 1, label: "" }
    bodies = [
      {
        path: "/v1/account/approve-agent",
        body: { ...chain, ...approving, agent_address: agentAddress },
      },
      { path: "/v1/account/revoke-agent", body: { ...chain, agent_address: agentAddress } },
      { path: "/v1/account/withdraw", body: { ...chain, to: agentAddress, amount: "1" } },
    ]
  })
  after(() => test.remove())

  it("is signed by the wallet key for a client that may use it", async () => {
    for (const { path, body } of bodies) {
      assert.equal(outcomeOf(await test.sign(trader, body, { path, key: "main" })), "signed", path)
    }
  })

  it("is never signed by an agent key, however it is chosen", async () => {
    for (const { path, body } of bodies) {
      const named = { ...body, signer_address: agentAddress }
      const answers = [
        await test.sign(trader, body, { path }),
        await test.sign(trader, body, { path, key: "mm" }),
        await test.sign(trader, named, { path }),
        await test.sign(trader, named, { path, key: "mm" }),
      ]
      assert.deepEqual(new Set(answers.map(outcomeOf)), new Set(["wallet_key_required"]), path)
    }
  })

  it("is never signed for a client that was added without wallet keys in mind", async () => {
    for (const { path, body } of bodies) {
      const answer = await test.sign(plain, body, { path, key: "main" })
      assert.equal(outcomeOf(answer), "key_not_allowed", path)
    }
    assert.equal(outcomeOf(await test.sign(plain, limitOrder())), "signed")
  })

  it("isn't signed for another account", async () => {
    for (const { path, body } of bodies) {
      const targeted = { ...body, target_address: agentAddress }
      const answer = await test.sign(trader, targeted, { path, key: "main" })
      assert.equal(outcomeOf(answer), "invalid_request", path)
    }
  })
})
