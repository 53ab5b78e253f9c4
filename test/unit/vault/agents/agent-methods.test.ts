import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"

import { parseAddress } from "../../../../src/venue/address.ts"
import {
  accepted,
  approve,
  askElsewhere,
  failsWith,
  methodsAt,
  openAgentVault,
  type AgentVault,
} from "../../../support/agent-keys.ts"
import {
  assertSigned,
  limitOrder,
  outcomeOf,
  readBody,
  writePolicies,
  type SignedAnswer,
} from "../../../support/open-test-vault.ts"

const stopBeforeMs = 6 * 3_600_000
const account = parseAddress("0x52908400098527886E0F7030069857D2E4169EE7")!
const swap = { from: "mm", to: "mm-2" }

describe("a key in another one's place", () => {
  let test: AgentVault
  beforeEach(async () => {
    test = await openAgentVault()
    await test.addKey({ name: "mm-2", role: "agent", wallet: "main" })
    await approve(test, "mm-2")
  })
  afterEach(() => test.remove())

  const addressOf = (name: string) => test.vault.active().keys.get(name)?.address
  const replace = () => test.admin.replaceKey(swap)

  it("signs what the clients ask from then on", async () => {
    const before = await test.sign(test.token, limitOrder())
    assertSigned(before)
    assert.equal(readBody(before)["signer_address"], addressOf("mm"))
    const answer = await replace()
    assert.deepEqual(answer.clients, ["bot"])
    assert.deepEqual([answer.from.approval, answer.to.approval], ["retired", "approved"])
    const after = await test.sign(test.token, limitOrder())
    assertSigned(after)
    assert.equal(readBody(after)["signer_address"], addressOf("mm-2"))
  })

  it("leaves nothing to the old one, by whatever name a bot asks for it", async () => {
    await replace()
    const byHeader = await test.sign(test.token, limitOrder(), { key: "mm" })
    assert.equal(outcomeOf(byHeader), "key_not_allowed")
    const byAddress = await test.sign(test.token, limitOrder({ signer_address: addressOf("mm") }))
    assert.equal(outcomeOf(byAddress), "key_not_allowed")
  })

  it("answers what was judged before, and signs nothing with the old one after it", async () => {
    const ask = () => test.sign(test.token, limitOrder())
    const before = Array.from({ length: 20 }, ask)
    const replaced = replace()
    const after = Array.from({ length: 20 }, ask)
    const answers = await Promise.all([...before, ...after])
    await replaced
    const signers = answers.map((answer) => {
      assertSigned(answer)
      return readBody(answer)["signer_address"]
    })
    assert.deepEqual(new Set(signers.slice(0, 20)), new Set([addressOf("mm")]))
    assert.deepEqual(new Set(signers.slice(20)), new Set([addressOf("mm-2")]))
    const nonces = answers.map((answer) => readBody(answer as SignedAnswer)["nonce"])
    assert.equal(new Set(nonces.slice(0, 20)).size, 20)
  })

  it("stands where the old one stood, in every client's list, once", async () => {
    const both = await test.addClient({ name: "both", keys: ["main", "mm", "mm-2"] })
    assert.deepEqual((await replace()).clients, ["bot", "both"])
    const keysOf = (name: string) =>
      test.vault.active().clients.find((client) => client.name === name)?.keys
    assert.deepEqual(keysOf("bot"), ["mm-2"])
    assert.deepEqual(keysOf("both"), ["main", "mm-2"])
    assert.notEqual(both, "")
  })

  it("takes the old one's targets, unless it has its own", async () => {
    await test.admin.setTargets({ name: "mm", targets: [account] })
    assert.deepEqual((await replace()).to.targets, [account])
    const order = limitOrder({ target_address: account })
    assert.equal(outcomeOf(await test.sign(test.token, order)), "signed")

    await test.addKey({ name: "mm-3", role: "agent", wallet: "main" })
    await approve(test, "mm-3")
    const own = addressOf("main")!
    await test.admin.setTargets({ name: "mm-3", targets: [own] })
    const answer = await test.admin.replaceKey({ from: "mm-2", to: "mm-3" })
    assert.deepEqual(answer.to.targets, [own])
  })

  it("may be asked for again, which changes nothing", async () => {
    await replace()
    const entries = await test.vault.ledger.count()
    const again = await replace()
    assert.deepEqual(again.clients, [])
    assert.equal(again.from.approval, "retired")
    assert.equal(await test.vault.ledger.count(), entries)
  })

  it("can follow a key that the venue has revoked", async () => {
    await test.vault.act({ act: "agent_revoked", name: "mm", record: "r" })
    assert.equal(outcomeOf(await test.sign(test.token, limitOrder())), "agent_revoked")
    const answer = await replace()
    assert.deepEqual([answer.from.approval, answer.clients], ["revoked", ["bot"]])
    assert.equal(outcomeOf(await test.sign(test.token, limitOrder())), "signed")
  })

  it("is an approved agent, until the time before its end in which it would stop the bots", async () => {
    await test.addKey({ name: "new", role: "agent", wallet: "main" })
    const toNew = () => test.admin.replaceKey({ from: "mm", to: "new" })
    await failsWith(toNew, "usage", /approval of new isn't known here/)
    const endMs = test.vault.active().keys.get("mm-2")!.expires_at!
    const at = (nowMs: number) => methodsAt(test, nowMs).replaceKey(swap)
    await failsWith(() => at(endMs - stopBeforeMs), "usage", /approval of mm-2 ends too soon/)
    assert.deepEqual((await at(endMs - stopBeforeMs - 1)).clients, ["bot"])
  })

  it("is another agent key in use of the same wallet", async () => {
    const put = (from: string, to: string) => () => test.admin.replaceKey({ from, to })
    await failsWith(put("mm", "mm"), "usage", /own place/)
    await failsWith(put("mm", "main"), "usage", /wallet key/)
    await failsWith(put("main", "mm"), "usage", /wallet key/)
    await failsWith(put("mm", "nobody"), "name_unknown", /nobody/)
    await failsWith(put("nobody", "mm"), "name_unknown", /nobody/)
    await test.addKey({ name: "second", role: "wallet" })
    await test.addKey({ name: "foreign", role: "agent", wallet: "second" })
    await approve(test, "foreign")
    await failsWith(put("mm", "foreign"), "usage", /aren't agents of one wallet/)
    for (const name of ["stray", "stray-2"]) await test.addKey({ name, role: "agent" })
    await failsWith(put("stray", "stray-2"), "usage", /aren't agents of one wallet/)
    await test.vault.act({ act: "key_removed", name: "mm-2" })
    await failsWith(put("mm", "mm-2"), "usage", /mm-2 is removed/)
  })

  it("may be of a wallet elsewhere", async () => {
    for (const name of ["far", "far-2"]) {
      await test.addKey({ name, role: "agent" })
      const { record } = await askElsewhere(test, { agent: name })
      await test.admin.settleOperation({ record, outcome: accepted })
    }
    const answer = await test.admin.replaceKey({ from: "far", to: "far-2" })
    assert.equal(answer.from.approval, "retired")
  })

  it("isn't taken while a policy speaks of the old one alone: what it denies would end with it", async () => {
    const named = (keys: string) => `policy: named
applies_to: {keys: [${keys}]}
deny: [{name: no, order_types: [market]}]
`
    const all = "policy: all\nrules: [{name: all, endpoints: [placeOrder]}]\n"
    await writePolicies(test.installation, [all, named("mm")])
    await test.admin.reload({})
    await failsWith(replace, "config_invalid", /policy named applies to the key mm and not to mm-2/)
    assert.equal(test.vault.active().keys.get("mm")?.approval, "unknown")
    await writePolicies(test.installation, [all, named("mm, mm-2")])
    await test.admin.reload({})
    assert.deepEqual((await replace()).clients, ["bot"])
  })
})

describe("a key in another one's place, after a restart", () => {
  it("is there still, with the targets, and the old one is retired", async (t) => {
    const test = await openAgentVault({ keys: "on_disk" })
    let open = test
    t.after(() => open.remove())
    await test.addKey({ name: "mm-2", role: "agent", wallet: "main" })
    await approve(test, "mm-2")
    await test.admin.setTargets({ name: "mm", targets: [account] })
    await test.admin.replaceKey(swap)
    open = { ...(await test.reopen()), token: test.token }
    const { keys, clients } = open.vault.active()
    assert.equal(keys.get("mm")?.approval, "retired")
    assert.deepEqual(keys.get("mm-2")?.targets, [account])
    assert.deepEqual(clients[0]?.keys, ["mm-2"])
    assert.equal(outcomeOf(await open.sign(test.token, limitOrder())), "signed")
  })
})
