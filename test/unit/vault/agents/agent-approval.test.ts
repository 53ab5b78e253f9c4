import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"

import { verifyTypedData, ZeroAddress } from "ethers"

import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { sandboxChainId } from "../../../../src/sandbox/state/market.ts"
import { mainVenueText } from "../../../../src/commands/init/init-texts.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import {
  accepted,
  approve,
  askElsewhere,
  elsewhere,
  failsWith,
  openAgentVault,
  signedOf,
  signTyped,
  without,
  type AgentVault,
} from "../../../support/agent-keys.ts"
import { actBeforeTurn } from "../../../support/before-turn.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import {
  approval,
  approvePath,
  assertSigned,
  limitOrder,
  outcomeOf,
} from "../../../support/open-test-vault.ts"
import { replay } from "../../../../src/audit/replay.ts"
import { parseFileSet } from "../../../../src/vault/config/load-files.ts"
import { adminOf } from "../../../support/admin-of.ts"
import { readLedger } from "../../../support/read-ledger.ts"
import { recordOf } from "../../../support/ledger-ask.ts"

const dayMs = 86_400_000
const ask = { agent: "mm", validDays: 30, label: "desk" }
const approveAgentFields = [
  { name: "signerAddress", type: "address" },
  { name: "serviceChain", type: "string" },
  { name: "agentAddress", type: "address" },
  { name: "authorizedAddress", type: "address" },
  { name: "validDays", type: "uint32" },
  { name: "label", type: "string" },
  { name: "nonce", type: "uint64" },
  { name: "expiresAfter", type: "uint64" },
]

/** The signer of an approval's body, as ethers recovers it by the interface's struct. */
function signerOf(body: Record<string, unknown>): string {
  const { signature, ...rest } = body as { signature: { r: string; s: string; v: number } }
  const values = rest as Record<string, unknown>
  const domain = {
    name: "Service",
    version: "1",
    chainId: Number(values["signature_chain_id"]),
    verifyingContract: ZeroAddress,
  }
  const message = Object.fromEntries(
    approveAgentFields.map(({ name }) => [
      name,
      values[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)],
    ]),
  )
  return verifyTypedData(domain, { ApproveAgent: approveAgentFields }, message, signature)
}

describe("the approval of an agent whose wallet key is held here", () => {
  let test: AgentVault
  beforeEach(async () => void (test = await openAgentVault()))
  afterEach(() => test.remove())

  it("is signed by the wallet, with what the profile says", async () => {
    const { admin, vault } = test
    const signed = signedOf(await admin.approveAgent(ask))
    const [main, mm] = [vault.active().keys.get("main"), vault.active().keys.get("mm")]
    const body = JSON.parse(signed.body) as Record<string, unknown>
    const { nonce, expires_after } = body
    assert.deepEqual(without(body, "nonce", "expires_after", "signature"), {
      service_chain: "Sandbox",
      signature_chain_id: 842_569_901,
      agent_address: mm?.address,
      authorized_address: main?.address,
      valid_days: 30,
      label: "desk",
      signer_address: main?.address,
    })
    assert.equal(signerOf(body), main?.address)
    assert.equal(signed.path, approvePath)
    assert.equal(signed.base_url, vault.active().profile.baseUrl)
    assert.equal(signed.expires_after, expires_after)
    assert.equal(Number(expires_after) - Number(nonce), 60_000)
  })

  it("is recorded as the operator's before it is signed, and counts in no limit", async () => {
    const signed = signedOf(await test.admin.approveAgent(ask))
    await test.close()
    const rows = readLedger(pathsOf(test.installation).ledgerFile)
    const row = rows.find(({ id }) => id === signed.record)?.row
    const told = ["client", "key", "operation", "rule", "target", "purpose"].map(
      (name) => row?.[name],
    )
    assert.deepEqual(told, ["operator", "main", "approveAgent", "operator", null, "forward"])
  })

  it("needs no policy", async () => {
    const bare = await openAgentVault({ policies: ["policy: none\n"] })
    try {
      assert.equal((await bare.admin.approveAgent(ask)).kind, "signed")
    } finally {
      await bare.remove()
    }
  })

  it("makes the agent approved until its end once the venue has accepted it", async () => {
    const { record } = signedOf(await test.admin.approveAgent(ask))
    const before = await test.admin.settleOperation({ record, outcome: { kind: "sent" } })
    assert.equal(before.key?.approval, "unknown")
    const { key } = await test.admin.settleOperation({ record, outcome: accepted })
    const stored = await recordOf(test.vault.ledger, record, ledgerTime(Date.now()))
    assert.equal(key?.approval, "approved")
    assert.equal(key.expires_at, (stored?.decided_at ?? 0) + 30 * dayMs)
    assert.equal(key.wallet, "main")
  })

  for (const outcome of [
    { kind: "refused", status: 400, code: "90306" },
    { kind: "unknown", status: null },
    { kind: "unsent" },
  ] as const) {
    it(`leaves the agent as it was when the outcome is ${outcome.kind}`, async () => {
      const { record } = signedOf(await test.admin.approveAgent(ask))
      const { key } = await test.admin.settleOperation({ record, outcome })
      assert.deepEqual([key?.approval, key?.expires_at], ["unknown", null])
    })
  }

  it("is good for as long as the operator says", async () => {
    const signed = signedOf(await test.admin.approveAgent({ ...ask, expiresInMs: 5_000 }))
    const { nonce } = JSON.parse(signed.body) as { nonce: number }
    assert.equal(signed.expires_after - nonce, 5_000)
  })

  it("goes to 90 days and no further", async () => {
    assert.equal((await test.admin.approveAgent({ ...ask, validDays: 90 })).kind, "signed")
    for (const validDays of [91, Number.NaN]) {
      await failsWith(() => test.admin.approveAgent({ ...ask, validDays }), "usage", /90 days/)
    }
    await failsWith(() => test.admin.approveAgent({ ...ask, validDays: 0 }), "usage", /valid_days/)
  })

  it("is refused for what isn't an agent key in use of a wallet held here", async () => {
    const { admin, vault } = test
    const approving = (agent: string) => () => admin.approveAgent({ ...ask, agent })
    await failsWith(approving("nobody"), "name_unknown", /no key named nobody/)
    await failsWith(approving("main"), "usage", /wallet key/)
    await test.addKey({ name: "orphan", role: "agent" })
    await failsWith(approving("orphan"), "usage", /--external/)
    for (const act of ["agent_revoked", "key_removed"] as const) {
      await test.addKey({ name: act, role: "agent", wallet: "main" })
      await vault.act({ act, name: act, record: "r" })
      await failsWith(approving(act), "usage", /never signs again/)
    }
    assert.equal(await recordsOf(test), 0)
  })

  it("is refused when the wallet key is removed, and records nothing", async () => {
    await test.vault.act({ act: "key_removed", name: "main" })
    await failsWith(() => test.admin.approveAgent(ask), "usage", /main is removed/)
    assert.equal(await recordsOf(test), 0)
  })

  for (const wallet of [undefined, elsewhere.address]) {
    const signer = wallet === undefined ? "here" : "elsewhere"
    it(`is refused where the agent is removed on another host meanwhile, signed ${signer}`, async (t) => {
      const held = wallet === undefined ? { wallet: "main" } : {}
      await test.addKey({ name: "new", role: "agent", ...held })
      actBeforeTurn(t, test, { act: "key_removed", name: "new" })
      const approving = () =>
        test.admin.approveAgent({ ...ask, agent: "new", ...(wallet && { wallet }) })
      await failsWith(approving, "usage", /removed and never signs again/)
      assert.equal(await recordsOf(test), 0)
    })
  }

  it("is refused where the wallet key is removed on another host meanwhile", async (t) => {
    actBeforeTurn(t, test, { act: "key_removed", name: "main" })
    await failsWith(() => test.admin.approveAgent(ask), "usage", /main is removed/)
    assert.equal(await recordsOf(test), 0)
  })

  it("is refused for a label that is no text", async () => {
    await failsWith(() => test.admin.approveAgent({ ...ask, label: "\ud800" }), "usage", /./)
  })

  /** Requests on record. */
  async function recordsOf({ vault }: AgentVault): Promise<number> {
    const records: string[] = []
    for await (const { id } of vault.ledger.history(0)) records.push(id)
    return records.length
  }
})

describe("the approval of an agent on the way", () => {
  it("is refused while the wallet key is locked, and takes no nonce", async (t) => {
    const test = await openAgentVault({ keys: "on_disk" })
    t.after(() => test.remove())
    await test.vault.lock("operator", ["main"])
    await failsWith(() => test.admin.approveAgent(ask), "keyring_locked", /countersign unlock/)
    const { address } = test.vault.active().keys.get("main")!
    assert.equal(test.vault.ledger.lastNonce(address), undefined)
  })

  it("is refused without a base_url, since it couldn't be sent", async (t) => {
    const test = await openAgentVault({ venue: mainVenueText(undefined) })
    t.after(() => test.remove())
    await failsWith(() => test.admin.approveAgent(ask), "undisclosed", /base_url: https/)
  })

  it("lets a bot's orders be signed by the agent, and outlives a restart", async (t) => {
    const test = await openAgentVault({ keys: "on_disk" })
    let open = test
    t.after(() => open.remove())
    await approve(test, "mm")
    open = { ...(await test.reopen()), token: test.token }
    assert.equal(open.vault.active().keys.get("mm")?.approval, "approved")
    assert.equal(outcomeOf(await open.sign(test.token, limitOrder())), "signed")
  })

  it("is no request that limits or a replay speak of", async (t) => {
    const used = async ({ admin }: Pick<AgentVault, "admin">) =>
      (await admin.listLimits()).map((limit) => limit.used)
    const limited = `policy: p
rules: [{name: all, endpoints: [approveAgent]}]
limits: [{name: few, endpoints: [approveAgent], count: requests, window: 1h, max: "1", per: all}]
`
    const test = await openAgentVault({ policies: [limited], keys: "on_disk" })
    let open = test
    t.after(() => open.remove())
    await approve(test, "mm")
    await approve(test, "mm")
    assert.deepEqual(await used(test), ["0"])
    open = { ...(await test.reopen()), token: test.token }
    assert.deepEqual(await used(open), ["0"])
    const texts = [{ name: "policies/0.yaml", text: "policy: none\n" }]
    const files = open.vault.active().texts.filter(({ name }) => !name.startsWith("policies/"))
    const other = parseFileSet([...files, ...texts])
    assert.ok(other.ok)
    const since = Date.now() - dayMs
    const replayed = await adminOf(open).readLedger((ledger) => replay(ledger, other.value, since))
    assert.equal(replayed.requests, 0)
  })
})

describe("the approval of an agent by a wallet elsewhere", () => {
  let test: AgentVault
  beforeEach(async () => {
    test = await openAgentVault()
    await test.addKey({ name: "far", role: "agent" })
  })
  afterEach(() => test.remove())

  it("is described as that wallet has to sign it, and good for a quarter of an hour", async () => {
    const operation = await askElsewhere(test, { agent: "far" })
    const { typed_data: typed } = operation
    assert.equal(operation.signer, elsewhere.address)
    assert.equal(typed.primaryType, "ApproveAgent")
    assert.deepEqual(typed.types["ApproveAgent"], approveAgentFields)
    assert.equal(typed.message["signerAddress"], elsewhere.address)
    assert.equal(typed.message["authorizedAddress"], elsewhere.address)
    assert.equal(typed.message["agentAddress"], test.vault.active().keys.get("far")?.address)
    assert.equal(typed.message["expiresAfter"], operation.expires_after)
    assert.equal(operation.expires_after - Number(typed.message["nonce"]), 15 * 60_000)
  })

  it("is for the first chain id that venue.yaml lists, or for the one of them that is asked for", async (t) => {
    const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() }).replace(
      /signature_chain_ids: \[(\d+)\]/,
      "signature_chain_ids: [$1, 10]",
    )
    const two = await openAgentVault({ venue })
    t.after(() => two.remove())
    await two.addKey({ name: "far", role: "agent" })
    const chainOf = async (changes: { readonly chainId?: number }) =>
      (await askElsewhere(two, { agent: "far", ...changes })).typed_data.domain["chainId"]
    assert.equal(await chainOf({}), sandboxChainId)
    assert.equal(await chainOf({ chainId: 10 }), 10)
    await failsWith(
      () => askElsewhere(two, { agent: "far", chainId: 11 }),
      "usage",
      new RegExp(`has no 11; it has ${sandboxChainId}, 10\\.`),
    )
    const chosen = await askElsewhere(two, { agent: "far", chainId: 10 })
    const { body } = await two.admin.completeApproval({
      record: chosen.record,
      signature: signTyped(chosen),
    })
    assert.match(body, /"signature_chain_id":10,/)
  })

  it("takes another nonce each time", async () => {
    const nonces = await Promise.all(
      [1, 2, 3].map(
        async () => (await askElsewhere(test, { agent: "far" })).typed_data.message["nonce"],
      ),
    )
    assert.equal(new Set(nonces).size, 3)
  })

  it("takes the wallet's address in any case, but no wrong checksum", async () => {
    const lower = elsewhere.address.toLowerCase()
    assert.equal(
      (await askElsewhere(test, { agent: "far", wallet: lower })).signer,
      elsewhere.address,
    )
    const wrong = elsewhere.address.replace("c", "C")
    assert.notEqual(wrong, elsewhere.address)
    await failsWith(() => askElsewhere(test, { agent: "far", wallet: wrong }), "usage", /checksum/)
  })

  it("is refused for the address of a key held here", async () => {
    for (const name of ["main", "mm"]) {
      const wallet = test.vault.active().keys.get(name)!.address
      await failsWith(() => askElsewhere(test, { agent: "far", wallet }), "usage", /held here/)
    }
  })

  it("is refused for another wallet's agent", async () => {
    await failsWith(() => askElsewhere(test), "usage", /agent of main/)
    const other = "0x52908400098527886E0F7030069857D2E4169EE7"
    await test.vault.act({
      act: "agent_approved",
      name: "far",
      expires_at: Date.now() + dayMs,
      record: "r",
      wallet: test.vault.active().keys.get("main")!.address,
    })
    await failsWith(() => askElsewhere(test, { agent: "far", wallet: other }), "usage", /agent of/)
  })
})

describe("the name of the operator", () => {
  it("isn't a client's, so no bot's record passes for the operator's", async (t) => {
    const test = await openAgentVault()
    t.after(() => test.remove())
    await failsWith(() => test.addClient({ name: "operator", keys: ["mm"] }), "name_taken", /./)
    const bot = await test.addClient({ name: "ops", keys: ["main"], allowTypeB: true })
    const { keys } = test.vault.active()
    const body = approval(keys.get("mm")!.address, keys.get("main")!.address)
    const signed = await test.sign(bot, body, { path: approvePath })
    assertSigned(signed)
    const { record } = signed
    const settle = () => test.admin.settleOperation({ record, outcome: accepted })
    await failsWith(settle, "name_unknown", /operator has sent nothing/)
    assert.equal(keys.get("mm")?.approval, "unknown")
  })
})
