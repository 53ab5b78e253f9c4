import assert from "node:assert/strict"
import { rm } from "node:fs/promises"
import { describe, it, type TestContext } from "node:test"

import type { Profile } from "../../src/venue/profile.ts"
import { agentStruct, placeOrderTag } from "../../src/venue/builtin-profile.ts"
import { actionHash, canonicalJson, typeADigest } from "../../src/venue/signing-hash.ts"
import type { Address } from "../../src/venue/address.ts"
import { recoverAddress } from "../../src/vault/keyring/signature.ts"
import { makeActiveSet } from "../../src/vault/active/active-set.ts"
import { pathsOf } from "../../src/vault/config/installation.ts"
import { reload } from "../../src/vault/operator/files-in-force.ts"
import { signRequest } from "../../src/vault/request/sign-request.ts"
import type { Vault } from "../../src/vault/vault.ts"
import {
  assertSigned,
  callOf,
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
  type VaultAsk,
} from "../support/open-test-vault.ts"
import { withPaper } from "../support/paper-site.ts"

const policy = `policy: mm
applies_to: {keys: [mm]}
rules:
  - {name: quote, endpoints: [placeOrder], symbols: [BTC-PERP]}
  - {name: cancel, endpoints: [cancelOrder]}
limits:
  - {name: day, count: requests, window: 24h, max: "3"}
  - {name: ever, sum: submitted_notional, window: ever, max: "100000"}
`
const unlimited = policy.replace(/limits:[\s\S]*/, "")

async function openSite(t: TestContext, ask: VaultAsk = {}) {
  const test = await openTestVault({ ...withPaper, policies: [policy], ...ask })
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet" })
  const live = await test.addKey({ name: "mm", role: "agent", wallet: "main" })
  const paper = await test.addKey({ name: "mm.paper", role: "agent" })
  const tokens = {
    live: await test.addClient({ name: "bot", keys: ["mm"] }),
    paper: await test.addClient({ name: "try", keys: ["mm.paper"] }),
  }
  return { test, live, paper, tokens }
}

/** Who signed a body, if it is meant for the network of `profile`. */
function signerOf(text: string, { domain, canonicalForm }: Profile): string | undefined {
  const { signer_address, nonce, expires_after, signature, ...business } = JSON.parse(text) as {
    readonly signer_address: Address
    readonly nonce: number
    readonly expires_after: number
    readonly signature: Parameters<typeof recoverAddress>[0]
  }
  const action = canonicalJson(business, canonicalForm)
  return recoverAddress(
    signature,
    typeADigest({
      domain,
      struct: agentStruct,
      parties: { signer: signer_address, target: undefined },
      actionHash: actionHash(placeOrderTag, action),
      validity: { nonce, expiresAfterMs: expires_after },
    }),
  )
}

/** As {@link TestVault.sign}, of a vault whose set is another. */
async function signUnder(
  test: TestVault,
  token: string,
  change: Partial<ReturnType<Vault["active"]>>,
) {
  const set = test.vault.active()
  const other = makeActiveSet({ ...set, ...change }, [...set.keys.values()], set.clients)
  return signRequest(callOf(token, limitOrder()), { ...test.vault, active: () => other })
}

describe("what a paper key signs", () => {
  it("is for paper's network, and under the main one names an address that no live account knows", async (t) => {
    const { test, paper, tokens } = await openSite(t, { policies: [unlimited] })
    const set = test.vault.active()
    assert.ok(set.paper)
    const live = new Set([...set.keys.values()].map(({ address }) => address))
    live.delete(paper.address as Address)
    for (let made = 0; made < 1_000; made += 1) {
      const signed = await test.sign(tokens.paper, limitOrder({ price: String(60_000 + made) }))
      assertSigned(signed)
      assert.equal(signed.paper, true)
      assert.equal(signerOf(signed.body, set.paper.profile), paper.address)
      const underMain = signerOf(signed.body, set.profile)
      assert.notEqual(underMain, paper.address)
      assert.ok(!live.has(underMain as Address))
    }
  })

  it("is for paper's network or nothing where the profiles are mixed up, and a live key's for the main one", async (t) => {
    const anyKey = unlimited.replace(/applies_to.*\n/, "")
    const { test, paper: key, tokens } = await openSite(t, { policies: [anyKey] })
    const { profile, paper } = test.vault.active()
    assert.ok(paper)
    const swapped = { profile: paper.profile, paper: { ...paper, profile } }
    const signed = await signUnder(test, tokens.paper, swapped)
    assertSigned(signed)
    assert.equal(signed.paper, true)
    assert.equal(signerOf(signed.body, paper.profile), key.address)
    assert.equal(outcomeOf(await signUnder(test, tokens.live, swapped)), "wrong_network")
    const [live, none] = [{ paper: { ...paper, profile } }, { paper: undefined }]
    assert.equal(outcomeOf(await signUnder(test, tokens.paper, none)), "wrong_network")
    assert.equal(outcomeOf(await signUnder(test, tokens.paper, live)), "wrong_network")
    assert.equal(outcomeOf(await signUnder(test, tokens.live, live)), "signed")
  })

  it("is by its own address, so a paper key of a fault in the choice signs for nobody", async (t) => {
    const { live, paper } = await openSite(t)
    assert.notEqual(paper.address, live.address)
    assert.equal(paper.wallet, paper.address)
    assert.notEqual(paper.network, live.network)
    assert.equal(paper.approval, "unknown")
  })
})

describe("a client", () => {
  it("of paper can't use a live key, and a live one no paper key", async (t) => {
    const { test, live, paper, tokens } = await openSite(t)
    const asked = (token: string, key: string) => test.sign(token, limitOrder(), { key })
    const by = (token: string, signer: string) =>
      test.sign(token, limitOrder({ signer_address: signer }))
    const byName = await asked(tokens.paper, "mm")
    assertSigned(byName) // which means mm.paper there
    assert.equal(
      (JSON.parse(byName.body) as Record<string, unknown>)["signer_address"],
      paper.address,
    )
    assert.equal(outcomeOf(await asked(tokens.live, "mm.paper")), "key_not_allowed")
    assert.equal(outcomeOf(await by(tokens.paper, live.address)), "key_not_allowed")
    assert.equal(outcomeOf(await by(tokens.live, paper.address)), "key_not_allowed")
  })

  it("has paper keys or live keys for good, and a token that says which", async (t) => {
    const { test, tokens } = await openSite(t)
    const { admin } = test
    assert.match(tokens.paper, /^cs_paper_[\w-]{43}$/)
    assert.match(tokens.live, /^cs_[\w-]{43}$/)
    assert.ok(!tokens.live.startsWith("cs_paper_"))
    assert.match((await admin.rotateToken({ name: "try" })).token, /^cs_paper_/)
    const mixed = { message: /^A client has paper keys or live keys, not both/ }
    const both = { name: "both", keys: ["mm", "mm.paper"] }
    await assert.rejects(test.addClient(both), mixed)
    await assert.rejects(test.addClient({ ...both, keys: ["mm.paper", "mm"] }), mixed)
    await assert.rejects(admin.setClient({ name: "try", keys: ["mm"] }), mixed)
    await assert.rejects(admin.setClient({ name: "bot", keys: ["mm.paper"] }), mixed)
  })

  it("of paper has no rights, and signs no account operation", async (t) => {
    const { test } = await openSite(t)
    const ask = { name: "more", keys: ["mm.paper"] }
    const none = { message: "A paper client has no rights, and signs no account operations." }
    await assert.rejects(test.addClient({ ...ask, rights: ["prices"] }), none)
    await assert.rejects(test.addClient({ ...ask, allowTypeB: true }), none)
    await assert.rejects(test.admin.setClient({ name: "try", rights: ["freeze"] }), none)
    await assert.rejects(test.admin.setClient({ name: "try", allowTypeB: true }), none)
  })
})

describe("a paper key", () => {
  it("stands for an agent key, of which its name says which", async (t) => {
    const { test } = await openSite(t)
    const wrong = { message: /is the name of a paper key, so .* must be an agent key/ }
    await assert.rejects(test.addKey({ name: "nobody.paper", role: "agent" }), wrong)
    await assert.rejects(test.addKey({ name: "main.paper", role: "agent" }), wrong)
    await assert.rejects(test.addKey({ name: "mm.paper.paper", role: "agent" }), wrong)
    await test.addKey({ name: "mm2", role: "agent", wallet: "main" })
    await assert.rejects(test.addKey({ name: "mm2.paper", role: "wallet" }), wrong)
    const owned = { name: "mm2.paper", role: "agent", wallet: "main" } as const
    await assert.rejects(test.addKey(owned), wrong)
  })

  it("isn't made without a venue for paper, which says what to run", async (t) => {
    const test = await openTestVault({ venue: withPaper.venue })
    t.after(() => test.remove())
    await test.addKey({ name: "main", role: "wallet" })
    await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    await assert.rejects(test.addKey({ name: "mm.paper", role: "agent" }), {
      message: /Run: countersign sandbox --paper, .* then countersign policy reload/,
    })
  })

  it("is approved nowhere, and is asked about by no warning and no panic", async (t) => {
    const { test } = await openSite(t)
    const { admin } = test
    await assert.rejects(admin.approveAgent({ agent: "mm.paper", validDays: 3, label: "" }), {
      message: /made for another network/,
    })
    const { requests, unsigned } = await admin.panic({ reason: "test" })
    const keys = [...requests, ...unsigned].map(({ key }) => key)
    assert.deepEqual(keys, ["mm"])
  })
})

describe("limits", () => {
  const spent = (answer: Parameters<typeof outcomeOf>[0]) => outcomeOf(answer)

  async function spendAll({ test }: { readonly test: TestVault }, token: string): Promise<void> {
    for (let made = 0; made < 3; made += 1) assertSigned(await test.sign(token, limitOrder()))
    assert.equal(spent(await test.sign(token, limitOrder())), "limit_exhausted")
  }

  for (const [first, other] of [
    ["paper", "live"],
    ["live", "paper"],
  ] as const) {
    it(`of ${other} lose nothing to ${first}, after a reload and a restart neither`, async (t) => {
      const site = await openSite(t, { keys: "on_disk" })
      await spendAll(site, site.tokens[first])
      await reload(site.test.vault)
      assert.equal(spent(await site.test.sign(site.tokens[first], limitOrder())), "limit_exhausted")
      const reopened = await site.test.reopen()
      t.after(() => reopened.close())
      assert.equal(spent(await reopened.sign(site.tokens[first], limitOrder())), "limit_exhausted")
      await spendAll({ test: reopened }, site.tokens[other])
    })
  }

  it("are told to a client as its own stand", async (t) => {
    const { test, tokens } = await openSite(t)
    assertSigned(await test.sign(tokens.paper, limitOrder()))
    const used = async (token: string) => {
      const told = await test.bots.limits({ token })
      assert.ok(told.kind === "answer")
      return told.limits.find(({ limit }) => limit === "day")?.used
    }
    assert.equal(await used(tokens.paper), "1")
    assert.equal(await used(tokens.live), "0")
  })
})

describe("an idempotency key and a hold", () => {
  it("of paper and of a live client are two, whatever their names", async (t) => {
    const held = `${unlimited}hold:\n  - {name: ask, endpoints: [placeOrder]}\n`
    const { test, tokens } = await openSite(t, { policies: [held] })
    const idempotencyKey = "one"
    const ask = (token: string) => test.sign(token, limitOrder(), { idempotencyKey })
    assert.equal(outcomeOf(await ask(tokens.paper)), "approval_required")
    assert.equal(outcomeOf(await ask(tokens.live)), "approval_required")
    const holds = await test.admin.listHolds()
    assert.deepEqual(holds.map(({ client, key }) => `${client} ${key}`).sort(), [
      "bot mm",
      "try mm.paper",
    ])
    const paper = holds.find(({ client }) => client === "try")
    await test.admin.decideHold({
      ...{ id: paper?.id ?? "", decision: "released" },
      policy_hash: test.vault.active().policyHash,
    })
    assert.equal(outcomeOf(await ask(tokens.live)), "approval_required")
    assert.equal(outcomeOf(await ask(tokens.paper)), "signed")
  })
})

describe("a freeze of everything", () => {
  it("stops paper too, but for its cancels", async (t) => {
    const { test, tokens } = await openSite(t)
    await test.admin.freeze({ scope: "all", name: null, reason: "test", cancels: true })
    assert.equal(outcomeOf(await test.sign(tokens.paper, limitOrder())), "frozen")
    const cancel = await test.sign(tokens.paper, { order_id: "1" }, { path: cancelPath })
    assert.equal(outcomeOf(cancel), "signed")
  })
})

describe("without its venue-paper.yaml", () => {
  it("paper is refused with what to do, and what is live goes on", async (t) => {
    const { test, tokens } = await openSite(t)
    await rm(pathsOf(test.installation).paperFile)
    await reload(test.vault)
    const refused = await test.sign(tokens.paper, limitOrder())
    assert.equal(outcomeOf(refused), "wrong_network")
    assert.ok(refused.kind === "refused")
    assert.match(refused.refusal.message, /no venue-paper.yaml .* countersign sandbox --paper/)
    assertSigned(await test.sign(tokens.live, limitOrder()))
    const { whoami } = (await test.bots.whoami({ token: tokens.paper })) as {
      readonly whoami: { readonly paper: boolean }
    }
    assert.equal(whoami.paper, true)
  })
})
