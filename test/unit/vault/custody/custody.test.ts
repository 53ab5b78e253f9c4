import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"
import { utf8 } from "../../../../src/std/bytes.ts"
import { setImmediate as nextTurn } from "node:timers/promises"

import { walletKeysDue } from "../../../../src/vault/custody/custody.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import {
  approvePath,
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
} from "../../../support/open-test-vault.ts"

let test: TestVault
let token: string

async function open(settings = ""): Promise<void> {
  test = await openTestVault({ keys: "on_disk", settings })
  await test.addKey({ name: "main", role: "wallet" })
  await test.addKey({ name: "mm", role: "agent", wallet: "main" })
  token = await test.addClient({ name: "bot", keys: ["mm", "main"], allowTypeB: true })
}

describe("locking the keys", () => {
  beforeEach(() => open())
  afterEach(() => test.remove())

  it("refuses with locked, takes no nonce, and checks say so too", async () => {
    assertSigned(await test.sign(token, limitOrder()))
    const { address } = test.vault.active().keys.get("mm")!
    const nonce = test.vault.ledger.lastNonce(address)
    await test.admin.lock()
    const refused = await test.sign(token, limitOrder())
    assert.equal(outcomeOf(refused), "locked")
    assert.match(JSON.stringify(refused), /countersign unlock/)
    assert.equal(test.vault.ledger.lastNonce(address), nonce)
    const checked = test.check(token, limitOrder())
    assert.equal(checked.kind === "answer" && checked.report.refusal?.code, "locked")
  })

  it("says locked to whoever asks for the state, and of each key", async () => {
    assert.deepEqual(await test.bots.health(), { signs: "all", reasons: [] })
    await test.admin.lock()
    assert.deepEqual(await test.bots.health(), { signs: "nothing", reasons: ["locked"] })
    assert.equal((await test.admin.status()).state.reasons[0]?.code, "locked")
    assert.deepEqual(
      (await test.admin.listKeys()).map(({ locked }) => locked),
      [true, true],
    )
  })

  it("lets in no key while it is locked", async () => {
    await test.admin.lock()
    const adding = test.addKey({ name: "late", role: "agent" })
    await assert.rejects(adding, { code: "keyring_locked" })
    assert.equal(test.vault.active().keys.has("late"), false)
    await assert.rejects(test.admin.removeKey({ name: "mm" }), { code: "usage" })
  })

  it("ends with an unlock, after which the same keys sign, and both are recorded", async () => {
    const before = await test.vault.ledger.count()
    await test.admin.lock()
    const secret = utf8("a passphrase of a test")
    const { keys, state } = await test.admin.unlock({ secret })
    assert.deepEqual([keys, state.signs], [2, "all"])
    assertSigned(await test.sign(token, limitOrder()))
    assert.equal(await test.vault.ledger.count(), before + 3)
  })

  it("stays when the passphrase is wrong", async () => {
    await test.admin.lock()
    const secret = utf8("another")
    await assert.rejects(test.admin.unlock({ secret }), { code: "passphrase_wrong" })
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "locked")
  })

  it("answers a request that was reserved before with a signature or not at all", async () => {
    const signing = test.sign(token, limitOrder()).then(outcomeOf, codeOf)
    await test.admin.lock()
    assert.match(await signing, /^(signed|locked|keyring_locked)$/)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "locked")
  })
})

describe("locking keys that are in memory alone", () => {
  it("is refused, since it would lose them", async () => {
    const volatile = await openTestVault()
    try {
      await volatile.addKey({ name: "mm", role: "agent" })
      await assert.rejects(volatile.admin.lock(), { code: "usage", message: /would lose them/ })
      assert.equal((await volatile.admin.status()).state.signs, "all")
    } finally {
      await volatile.remove()
    }
  })
})

describe("wallet keys that lock themselves", () => {
  afterEach(() => test.remove())

  const at = (ms: number) => ({
    ...test.vault,
    now: () => ledgerTime(test.vault.unlockedAtMs() + ms),
  })
  const due = (by: "lifetime" | "idle", ms: number) =>
    walletKeysDue(at(ms), by).map(({ name }) => name)

  it("do so once their lifetime has ended, agent keys never", async () => {
    await open("wallet_keys: {lifetime: 1h}\n")
    assert.deepEqual(due("lifetime", 3_599_999), [])
    assert.deepEqual(due("lifetime", 3_600_000), ["main"])
    assert.deepEqual(due("idle", 3_600_000), [])
  })

  it("do so once they signed nothing for long", async () => {
    await open("wallet_keys: {lock_on_idle: 1m}\n")
    assert.deepEqual(due("idle", 59_999), [])
    assert.deepEqual(due("idle", 60_000), ["main"])
    const { vault } = test
    while (vault.now() <= vault.unlockedAtMs()) await nextTurn()
    assertSigned(await test.sign(token, approval(), { path: approvePath, key: "main" }))
    assert.deepEqual(due("idle", 60_000), [])
    assert.deepEqual(due("idle", 120_000), ["main"])
  })

  it("leave agents signing, and account operations locked", async () => {
    await open()
    await test.vault.lock("idle", ["main"])
    assertSigned(await test.sign(token, limitOrder()))
    const wallet = await test.sign(token, approval(), { path: approvePath, key: "main" })
    assert.equal(outcomeOf(wallet), "locked")
    const { signs, reasons } = (await test.admin.status()).state
    assert.deepEqual(
      [signs, reasons.map(({ code, name }) => [code, name])],
      ["all", [["locked", "main"]]],
    )
    assert.deepEqual(walletKeysDue(at(10 ** 9), "idle"), [])
  })

  it("don't, unless countersign.yaml says so", async () => {
    await open()
    assert.deepEqual([...due("idle", 10 ** 12), ...due("lifetime", 10 ** 12)], [])
  })
})

describe("removing a key", () => {
  beforeEach(() => open())
  afterEach(() => test.remove())

  it("waits until no client uses it", async () => {
    await assert.rejects(test.admin.removeKey({ name: "mm" }), {
      code: "usage",
      message: /client bot uses the key mm/,
    })
    await test.admin.revokeClient({ name: "bot" })
    assert.equal((await test.admin.removeKey({ name: "mm" })).approval, "removed")
    assert.equal(test.vault.keyring.addressOf("mm"), undefined)
  })

  it("frees neither its name nor its address, also after a restart", async () => {
    const secret = new Uint8Array(32).fill(5)
    await test.addKey({ name: "spare", role: "agent", secret: Uint8Array.from(secret) })
    await test.admin.removeKey({ name: "spare" })
    test = await test.reopen()
    const sameName = test.addKey({ name: "spare", role: "agent" })
    await assert.rejects(sameName, { code: "name_taken" })
    const sameKey = test.addKey({ name: "other", role: "agent", secret })
    await assert.rejects(sameKey, { code: "name_taken", message: /spare has this address/ })
    await assert.rejects(test.addClient({ name: "late", keys: ["spare"] }), { code: "usage" })
  })

  it("is finished by a start when it was cut off before the store", async () => {
    await test.addKey({ name: "spare", role: "agent" })
    await test.vault.act({ act: "key_removed", name: "spare" })
    test = await test.reopen()
    assert.equal(test.vault.keyring.addressOf("spare"), undefined)
    test = await test.reopen()
    assert.equal(test.vault.keyring.addressOf("spare"), undefined)
  })

  it("can be said twice", async () => {
    await test.addKey({ name: "spare", role: "agent" })
    await test.admin.removeKey({ name: "spare" })
    const records = await test.vault.ledger.count()
    assert.equal((await test.admin.removeKey({ name: "spare" })).approval, "removed")
    assert.equal(await test.vault.ledger.count(), records)
    await assert.rejects(test.admin.removeKey({ name: "nobody" }), { code: "name_unknown" })
  })
})

describe("the targets of a key", () => {
  beforeEach(() => open())
  afterEach(() => test.remove())

  it("are replaced as a whole, and outlast a restart", async () => {
    const target = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
    assert.deepEqual((await test.admin.setTargets({ name: "mm", targets: [target] })).targets, [
      target,
    ])
    test = await test.reopen()
    assert.deepEqual(test.vault.active().keys.get("mm")?.targets, [target])
    assert.deepEqual((await test.admin.setTargets({ name: "mm", targets: [] })).targets, [])
  })

  it("are addresses whose checksum is right", async () => {
    const wrong = "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf"
    await assert.rejects(test.admin.setTargets({ name: "mm", targets: [wrong] }), { code: "usage" })
    await assert.rejects(test.admin.setTargets({ name: "nobody", targets: [] }), {
      code: "name_unknown",
    })
  })
})

describe("a client's token", () => {
  beforeEach(() => open())
  afterEach(() => test.remove())

  it("is refused once another took its place", async () => {
    const { token: next } = await test.admin.rotateToken({ name: "bot" })
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "unauthorized")
    assertSigned(await test.sign(next, limitOrder()))
    test = await test.reopen()
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "unauthorized")
    assertSigned(await test.sign(next, limitOrder()))
  })

  it("is refused for good once the client is revoked, and its name stays taken", async () => {
    assert.equal((await test.admin.revokeClient({ name: "bot" })).revoked, true)
    assert.equal((await test.admin.revokeClient({ name: "bot" })).revoked, true)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "unauthorized")
    await assert.rejects(test.admin.rotateToken({ name: "bot" }), { code: "usage" })
    await assert.rejects(test.addClient({ name: "bot", keys: ["mm"] }), { code: "name_taken" })
    test = await test.reopen()
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "unauthorized")
    await assert.rejects(test.admin.revokeClient({ name: "nobody" }), { code: "name_unknown" })
  })
})

function codeOf(error: unknown): string {
  return (error as { code: string }).code
}

function approval(): Record<string, unknown> {
  const { keys, profile } = test.vault.active()
  return {
    service_chain: profile.typeB.serviceChain,
    signature_chain_id: profile.typeB.signatureChainIds[0],
    agent_address: keys.get("mm")!.address,
    authorized_address: keys.get("main")!.address,
    valid_days: 1,
    label: "mm",
  }
}
