import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import type { Outcome } from "../../../src/link/calls/both-ways.ts"
import { pathsOf } from "../../../src/vault/config/installation.ts"
import {
  approval,
  approvePath,
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  permissivePolicy,
  revokePath,
  type TestVault,
} from "../../support/open-test-vault.ts"
import { countCommits, readLedger } from "../../support/read-ledger.ts"

const accepted: Outcome = { kind: "accepted", status: 200, code: "0" }

describe("the bot socket's calls", () => {
  let test: TestVault
  let token: string
  let other: string
  let agent: string
  let wallet: string
  before(async () => {
    test = await openTestVault()
    wallet = (await test.addKey({ name: "main", role: "wallet" })).address
    agent = (await test.addKey({ name: "mm", role: "agent", wallet: "main" })).address
    await test.addKey({ name: "spare", role: "agent", wallet: "main" })
    token = await test.addClient({ name: "bot", keys: ["mm", "main"], allowTypeB: true })
    other = await test.addClient({ name: "other", keys: ["spare"] })
  })
  after(() => test.remove())

  async function signedRecord(body: unknown = limitOrder(), changes = {}): Promise<string> {
    const signed = await test.sign(token, body, changes)
    assertSigned(signed)
    return signed.record
  }

  async function stateOf(record: string): Promise<string> {
    const found = await test.bots.record({ token, id: record })
    assert.ok(found.kind === "answer")
    return found.view.state
  }

  it("tell a client its own record, and of another's as much as of none", async () => {
    const record = await signedRecord()
    assert.equal(await stateOf(record), "signed")
    const foreign = await test.bots.record({ token: other, id: record })
    const none = await test.bots.record({ token: other, id: "rec_0" })
    assert.ok(foreign.kind === "refused")
    assert.equal(foreign.refusal.code, "unknown_record")
    assert.deepEqual(foreign, none)
  })

  it("take no word on another client's record", async () => {
    const record = await signedRecord()
    const lie = await test.bots.report({ token: other, record, outcome: accepted })
    assert.equal(outcomeOf(lie), "unknown_record")
    assert.equal(await stateOf(record), "signed")
  })

  it("tell a client its own keys alone", async () => {
    const answer = await test.bots.whoami({ token: other })
    assert.ok(answer.kind === "answer")
    assert.deepEqual(
      answer.whoami.keys.map(({ name }) => name),
      ["spare"],
    )
  })

  for (const [what, venue, known] of [
    ["the network that account operations are for", "", ["Mainnet", [84256]]],
    ["none that venue.yaml has yet to tell", "domain: {chain_id: 5}\n", [null, []]],
    [
      "the one that venue.yaml tells",
      'domain: {chain_id: 5}\ntype_b: {service_chain: "Test", signature_chain_ids: [5, 6]}\n',
      ["Test", [5, 6]],
    ],
  ] as const) {
    it(`tell ${what}`, async (t) => {
      const own = await openTestVault({ venue: `extends: builtin\n${venue}` })
      t.after(() => own.remove())
      await own.addKey({ name: "mm", role: "agent" })
      const answer = await own.bots.whoami({
        token: await own.addClient({ name: "b", keys: ["mm"] }),
      })
      assert.ok(answer.kind === "answer")
      const { service_chain, signature_chain_ids } = answer.whoami
      assert.deepEqual([service_chain, signature_chain_ids], known)
    })
  }

  it("refuse every call with a wrong token", async () => {
    const wrong = `cs_${"x".repeat(43)}`
    const answers = [
      await test.sign(wrong, limitOrder()),
      test.check(wrong, limitOrder()),
      await test.bots.whoami({ token: wrong }),
      await test.bots.record({ token: wrong, id: "rec_0" }),
      await test.bots.report({ token: wrong, record: "rec_0", outcome: accepted }),
    ]
    for (const answer of answers) assert.equal(outcomeOf(answer), "unauthorized")
  })

  it("set an agent's end when its approval was accepted, once", async () => {
    const first = await signedRecord(approval(agent, wallet), { path: approvePath, key: "main" })
    const later = await signedRecord(approval(agent, wallet, { valid_days: 2 }), {
      path: approvePath,
      key: "main",
    })
    const endOf = () => test.vault.active().keys.get("mm")?.expires_at
    await test.bots.report({ token, record: first, outcome: accepted })
    const firstEnd = endOf()
    await test.bots.report({ token, record: later, outcome: accepted })
    assert.notEqual(endOf(), firstEnd)
    const laterEnd = endOf()
    await test.bots.report({ token, record: first, outcome: accepted })
    assert.equal(endOf(), laterEnd, "a word that was heard before changes nothing")
  })

  it("names the order of a batch that policy refuses, where it is only checked too", async (t) => {
    const bounded = permissivePolicy.replace("allow_full_tpsl: true", "max_quantity: '1'")
    const test = await openTestVault({ policies: [bounded] })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    const orders = ["0.1", "0.1", "2"].map((quantity) => limitOrder({ quantity }))
    const changes = { path: "/v1/trade/orders/batch" }
    const checked = test.check(token, { orders }, changes)
    const signed = await test.sign(token, { orders }, changes)
    assert.ok(signed.kind === "refused" && checked.kind === "answer")
    for (const refusal of [checked.report.refusal, signed.refusal]) {
      assert.ok(refusal?.code === "policy_denied")
      assert.equal(refusal.data.path, "/orders/2")
      assert.match(refusal.message, /; path \/orders\/2, asked 2 BTC-PERP, allowed 1\.$/)
    }
  })

  it("end an agent for good when its revocation was accepted", async () => {
    const ask = { path: revokePath, key: "main" }
    const body = { agent_address: agent, signature_chain_id: 842_569_901, service_chain: "Sandbox" }
    const record = await signedRecord(body, ask)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "signed")
    await test.bots.report({ token, record, outcome: accepted })
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "agent_revoked")
    const checked = test.check(token, limitOrder())
    assert.ok(checked.kind === "answer")
    assert.equal(checked.report.refusal?.code, "agent_revoked")
  })

  it("say that the vault is ready as long as its ledger is", async (t) => {
    const own = await openTestVault()
    t.after(() => own.remove())
    assert.deepEqual(await own.bots.health(), { signs: "all", reasons: [] })
    await own.vault.ledger.close()
    assert.deepEqual(await own.bots.health(), { signs: "nothing", reasons: ["ledger_unavailable"] })
  })
})

describe("an accepted revocation", () => {
  it("is one commit with what follows, so that no crash parts them", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "main", role: "wallet" })
    const agent = await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    const token = await test.addClient({ name: "bot", keys: ["main"], allowTypeB: true })
    const signed = await test.sign(
      token,
      { agent_address: agent.address, signature_chain_id: 842_569_901, service_chain: "Sandbox" },
      { path: revokePath },
    )
    assertSigned(signed)
    const file = pathsOf(test.installation).ledgerFile
    await test.vault.ledger.count() // the tables have caught up
    const before = countCommits(`${file}-wal`)
    await test.bots.report({ token, record: signed.record, outcome: accepted })
    assert.equal(countCommits(`${file}-wal`), before + 1)
    await test.close()
    const kinds = readLedger(file).map(({ kind, row }) => row["act"] ?? kind)
    assert.deepEqual(kinds.slice(-4), ["request", "outcome", "agent_revoked", "checkpoint"])
  })
})
