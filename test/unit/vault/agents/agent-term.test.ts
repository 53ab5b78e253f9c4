import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { renewAgentType, revokeAgentType } from "../../../../src/sandbox/signing/typed-hash.ts"
import {
  accepted,
  approve,
  askElsewhere,
  failsWith,
  openAgentVault,
  without,
  type AgentVault,
} from "../../../support/agent-keys.ts"
import { actBeforeTurn } from "../../../support/before-turn.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import { limitOrder, outcomeOf } from "../../../support/open-test-vault.ts"
import { recordOf } from "../../../support/ledger-ask.ts"

const dayMs = 86_400_000
const renewal = { agent: "mm", validDays: 20, label: "desk" }

/** The sandbox's venue with other words for one operation. */
function venueWith(change: (venue: string) => string): string {
  return change(sandboxProfile({ url: sandboxUrl, asOf: new Date() }))
}

async function opened(t: TestContext, venue?: string): Promise<AgentVault> {
  const test = await openAgentVault(venue === undefined ? {} : { venue })
  t.after(() => test.remove())
  return test
}

function fieldsOf({ body }: { readonly body: string }): Record<string, unknown> {
  const filled = JSON.parse(body) as Record<string, unknown>
  return without(filled, "nonce", "expires_after", "signature")
}

describe("the revocation of an agent", () => {
  it("is signed by its wallet with the fields that the struct names", async (t) => {
    const test = await opened(t)
    const { keys } = test.vault.active()
    const signed = await test.admin.revokeAgent({ agent: "mm" })
    assert.equal(signed.path, "/v1/account/revoke-agent")
    assert.deepEqual(fieldsOf(signed), {
      service_chain: "Sandbox",
      signature_chain_id: 842_569_901,
      agent_address: keys.get("mm")?.address,
      signer_address: keys.get("main")?.address,
    })
  })

  it("ends the agent once the venue has accepted it, and not before", async (t) => {
    const test = await opened(t)
    await approve(test, "mm")
    const { record } = await test.admin.revokeAgent({ agent: "mm" })
    assert.equal(outcomeOf(await test.sign(test.token, limitOrder())), "signed")
    const { key } = await test.admin.settleOperation({ record, outcome: accepted })
    assert.equal(key?.approval, "revoked")
    assert.equal(outcomeOf(await test.sign(test.token, limitOrder())), "agent_revoked")
    const again = () => test.admin.revokeAgent({ agent: "mm" })
    await failsWith(again, "usage", /revoked already/)
  })

  it("is signed for a retired agent, which the venue still takes", async (t) => {
    const test = await opened(t)
    await test.addKey({ name: "mm-2", role: "agent", wallet: "main" })
    await approve(test, "mm-2")
    await test.admin.replaceKey({ from: "mm", to: "mm-2" })
    const { record } = await test.admin.revokeAgent({ agent: "mm" })
    const { key } = await test.admin.settleOperation({ record, outcome: accepted })
    assert.equal(key?.approval, "revoked")
  })

  it("is the wallet's own when it isn't held here", async (t) => {
    const test = await opened(t)
    await test.addKey({ name: "far", role: "agent" })
    const revoke = () => test.admin.revokeAgent({ agent: "far" })
    await failsWith(revoke, "usage", /no wallet key held here; send revokeAgent/)
    const { record } = await askElsewhere(test, { agent: "far" })
    await test.admin.settleOperation({ record, outcome: accepted })
    await failsWith(revoke, "usage", /isn't held here; send revokeAgent/)
  })

  it("is refused for what is no agent", async (t) => {
    const test = await opened(t)
    const revoke = (agent: string) => () => test.admin.revokeAgent({ agent })
    await failsWith(revoke("main"), "usage", /wallet key/)
    await failsWith(revoke("nobody"), "name_unknown", /no key named nobody/)
  })
})

describe("the renewal of an agent", () => {
  it("gives the days, and the approval's end is counted from the renewal", async (t) => {
    const test = await opened(t)
    await approve(test, "mm", 1)
    const signed = await test.admin.renewAgent(renewal)
    assert.equal(fieldsOf(signed)["valid_days"], 20)
    const { key } = await test.admin.settleOperation({ record: signed.record, outcome: accepted })
    const record = await recordOf(test.vault.ledger, signed.record, ledgerTime(Date.now()))
    assert.equal(key?.expires_at, (record?.decided_at ?? 0) + 20 * dayMs)
  })

  it("is refused for an agent that has ended", async (t) => {
    const test = await opened(t)
    await test.vault.act({ act: "agent_revoked", name: "mm", record: "r" })
    await failsWith(() => test.admin.renewAgent(renewal), "usage", /revoked and never signs again/)
  })

  it("is refused for an agent that ends on another host meanwhile", async (t) => {
    const test = await opened(t)
    actBeforeTurn(t, test, { act: "agent_revoked", name: "mm", record: "r" })
    await failsWith(() => test.admin.renewAgent(renewal), "usage", /revoked and never signs again/)
  })

  it("fills in label and authorizing address where the struct has them", async (t) => {
    const full = renewAgentType.replace(
      "uint32 validDays",
      "address authorizedAddress,uint64 validDays,string label",
    )
    const test = await opened(
      t,
      venueWith((text) => text.replace(renewAgentType, full)),
    )
    const fields = fieldsOf(await test.admin.renewAgent(renewal))
    const { keys } = test.vault.active()
    assert.equal(fields["label"], "desk")
    assert.equal(fields["authorized_address"], keys.get("main")?.address)
    assert.equal(fields["valid_days"], 20)
  })
})

describe("what the venue hasn't disclosed of an agent's end", () => {
  const addLine =
    /doesn't tell how revokeAgent is signed here; add to venue.yaml.*revokeAgent: \{signing: B/

  it("is named with the line to add", async (t) => {
    const entry = new RegExp(` {2}revokeAgent:\\n.*\\n.*\\n`)
    const test = await opened(
      t,
      venueWith((text) => text.replace(entry, "")),
    )
    await failsWith(() => test.admin.revokeAgent({ agent: "mm" }), "undisclosed", addLine)
    assert.equal((await test.admin.renewAgent(renewal)).path, "/v1/account/renew-agent")
  })

  const unfillable = [
    ["uint256 amount", "a field that nobody here knows"],
    ["uint32 validDays", "days, which a revocation isn't asked for"],
    ["string agentAddress2", "a field named almost like one"],
  ] as const
  for (const [field, name] of unfillable) {
    it(`is never guessed: ${name}`, async (t) => {
      const other = revokeAgentType.replace("uint64 nonce", `${field},uint64 nonce`)
      const test = await opened(
        t,
        venueWith((text) => text.replace(revokeAgentType, other)),
      )
      const words = new RegExp(`has the field "${field}", which Countersign can't fill in`)
      await failsWith(() => test.admin.revokeAgent({ agent: "mm" }), "undisclosed", words)
    })
  }

  it("is never guessed: a known name of another type", async (t) => {
    const other = revokeAgentType.replace("address agentAddress", "string agentAddress")
    const test = await opened(
      t,
      venueWith((text) => text.replace(revokeAgentType, other)),
    )
    const words = /has the field "string agentAddress"/
    await failsWith(() => test.admin.revokeAgent({ agent: "mm" }), "undisclosed", words)
  })

  it("is the body of a Type A operation, whose tag alone says too little", async (t) => {
    const entry = / {2}revokeAgent:\n.*\n.*\n/
    const test = await opened(
      t,
      venueWith((text) => text.replace(entry, "  revokeAgent: {signing: A, action_tag: 99}\n")),
    )
    const words = /Type A, but not which fields its body has/
    await failsWith(() => test.admin.revokeAgent({ agent: "mm" }), "undisclosed", words)
  })
})
