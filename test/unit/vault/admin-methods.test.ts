import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { mainVenueText } from "../../../src/commands/init/init-texts.ts"
import { generateSecret } from "../../../src/vault/keyring/generate-secret.ts"
import { hashToken } from "../../../src/vault/request/authorize.ts"
import { openTestVault, type TestVault } from "../../support/open-test-vault.ts"
import { pairOf } from "../../support/key-pair.ts"

// SEC 2: the order of the curve's group.
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function secretOf(number: bigint): Uint8Array {
  return Buffer.from(number.toString(16).padStart(64, "0"), "hex")
}

describe("adding a key", () => {
  let test: TestVault
  before(async () => {
    test = await openTestVault()
    await test.addKey({ name: "main", role: "wallet" })
  })
  after(() => test.remove())

  it("answers its public side, bound to the network of the profile", async () => {
    const key = await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    assert.equal(key.network, test.vault.active().profile.network)
    assert.deepEqual(
      [key.role, key.wallet, key.approval, key.targets],
      ["agent", "main", "unknown", []],
    )
    assert.equal(test.vault.keyring.addressOf("mm"), key.address)
  })

  it("refuses a name that is taken", async () => {
    await assert.rejects(test.addKey({ name: "main", role: "wallet" }), { code: "name_taken" })
  })

  it("refuses the same key under another name", async () => {
    const secret = generateSecret()
    await test.addKey({ name: "once", role: "agent", secret })
    const again = test.addKey({ name: "twice", role: "wallet", secret })
    await assert.rejects(again, { code: "name_taken", message: /key once has this address/ })
  })

  it("refuses the same key under another name that comes at the same time", async () => {
    const secret = generateSecret()
    const results = await Promise.allSettled([
      test.addKey({ name: "left", role: "agent", secret }),
      test.addKey({ name: "right", role: "wallet", secret }),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "rejected"],
    )
    assert.equal(test.vault.active().keys.has("right"), false)
    await test.addKey({ name: "later", role: "agent" }) // a refusal stops nobody else
  })

  for (const [what, secret, fits] of [
    ["zero", 0n, false],
    ["the order of the curve less one", order - 1n, true],
    ["the order of the curve", order, false],
  ] as const) {
    it(`${fits ? "takes" : "refuses"} ${what}`, async () => {
      const added = test.addKey({ name: `edge-${fits}`, role: "agent", secret: secretOf(secret) })
      if (fits) await added
      else await assert.rejects(added, { code: "key_invalid" })
    })
  }

  it("refuses anything but 32 bytes", async () => {
    for (const secret of [
      new Uint8Array(0),
      new Uint8Array(31).fill(1),
      new Uint8Array(33).fill(1),
    ]) {
      const added = test.addKey({ name: "length", role: "agent", secret })
      await assert.rejects(added, { code: "key_invalid" })
    }
  })

  it("refuses a wallet that isn't here, one that is an agent, and a wallet's own wallet", async () => {
    const agent = { name: "other", role: "agent" } as const
    await assert.rejects(test.addKey({ ...agent, wallet: "nobody" }), { code: "name_unknown" })
    await assert.rejects(test.addKey({ ...agent, wallet: "mm" }), { code: "name_unknown" })
    const wallet = test.addKey({ name: "other", role: "wallet", wallet: "main" })
    await assert.rejects(wallet, { code: "usage" })
  })
})

describe("an addition of a key that was cut off before the ledger had it", () => {
  let test: TestVault
  const secret = generateSecret()
  before(async () => {
    test = await openTestVault()
    await test.vault.keyring.add("mm", pairOf(Uint8Array.from(secret)))
  })
  after(() => test.remove())

  it("isn't finished by another key, and says which file is in the way", async () => {
    const expected = { code: "name_taken", message: /keystore\/mm\.json/ }
    const other = test.addKey({ name: "mm", role: "agent", secret: generateSecret() })
    await assert.rejects(other, expected)
    await assert.rejects(test.addKey({ name: "mm", role: "agent" }), expected)
    assert.equal(test.vault.active().keys.size, 0)
  })

  it("is finished by importing the same key again", async () => {
    const key = await test.addKey({ name: "mm", role: "agent", secret })
    assert.equal(test.vault.active().keys.get("mm")?.address, key.address)
  })
})

describe("a published test key", () => {
  it("is refused on every network but the sandbox's", async (t) => {
    const main = await openTestVault({ venue: mainVenueText(undefined) })
    t.after(() => main.remove())
    const added = main.addKey({ name: "one", role: "wallet", secret: secretOf(1n) })
    await assert.rejects(added, { code: "key_invalid", message: /published test key/ })
    assert.equal(main.vault.keyring.addressOf("one"), undefined)

    const sandbox = await openTestVault()
    t.after(() => sandbox.remove())
    await sandbox.addKey({ name: "one", role: "wallet", secret: secretOf(1n) })
  })
})

describe("adding a client", () => {
  let test: TestVault
  before(async () => {
    test = await openTestVault()
    await test.addKey({ name: "mm", role: "agent" })
  })
  after(() => test.remove())

  it("answers a token of 256 bits once, and keeps its hash alone", async () => {
    const token = await test.addClient({ name: "bot", keys: ["mm", "mm"] })
    assert.match(token, /^cs_[A-Za-z0-9_-]{43}$/)
    const [client] = test.vault.active().clients
    assert.equal(client?.token_hash, hashToken(token))
    assert.deepEqual(client.keys, ["mm"])
    assert.equal(JSON.stringify(await test.admin.listClients()).includes(client.token_hash), false)
  })

  it("refuses a name that is taken, also at the same time, and keys that aren't here", async () => {
    await assert.rejects(test.addClient({ name: "bot", keys: ["mm"] }), { code: "name_taken" })
    const both = await Promise.allSettled(
      ["twin", "twin"].map((name) => test.addClient({ name, keys: ["mm"] })),
    )
    assert.deepEqual(
      both.map(({ status }) => status),
      ["fulfilled", "rejected"],
    )
    const unknown = test.addClient({ name: "other", keys: ["mm", "xx"] })
    await assert.rejects(unknown, { code: "name_unknown", message: /no key xx/ })
  })
})
