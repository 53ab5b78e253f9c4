import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { utf8 } from "../../src/std/bytes.ts"
import { keccak256 } from "../../src/std/keccak.ts"
import { Fault } from "../../src/std/fault.ts"
import { type KeyStore, openKeyring, provenPair } from "../../src/vault/keyring/keyring.ts"
import { openVault } from "../../src/vault/open-vault.ts"
import type { Digest } from "../../src/venue/signing-hash.ts"
import { makeTestInstallation, openTestVault } from "../support/open-test-vault.ts"
import { pairOf } from "../support/key-pair.ts"
import { nobleCurve } from "../../src/vault/keyring/curve.ts"

// A key that isn't needed any more is overwritten where it lay: the very bytes that the store handed over,
// to which these tests keep a reference. Copies that V8 made are beyond reach; SECURITY.md says so.

const digest = keccak256(Uint8Array.of(1)) as Digest
const zeros = new Uint8Array(32)

function secretOf(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte)
}

/** A store that remembers all bytes that crossed it, and breaks where a test says so. */
function watchedStore(
  bytes: Readonly<Record<string, number>>,
  failures: { readonly load?: string; readonly save?: boolean } = {},
) {
  const crossed: Uint8Array[] = []
  let isLocked = false
  const cross = (secret: Uint8Array): Uint8Array => {
    crossed.push(secret)
    return secret
  }
  const broken = new Fault("keystore_unavailable", "The disk is gone.")
  const store: KeyStore = {
    backend: "memory",
    names: () => Promise.resolve(Object.keys(bytes)),
    load: (name) =>
      failures.load === name
        ? Promise.reject(broken)
        : Promise.resolve(pairOf(cross(secretOf(bytes[name]!)))),
    save: (_name, { secret }) => {
      cross(secret)
      return failures.save === true ? Promise.reject(broken) : Promise.resolve()
    },
    remove: () => Promise.resolve(),
    lock: () => (isLocked = true),
  }
  return { store, crossed, isLocked: () => isLocked }
}

function assertOverwritten(crossed: readonly Uint8Array[], count: number): void {
  assert.deepEqual(
    crossed,
    Array.from({ length: count }, () => zeros),
  )
}

describe("a key in memory", () => {
  it("is overwritten by a lock, loaded or added since, and the store is locked", async () => {
    const { store, crossed, isLocked } = watchedStore({ a: 1, b: 2 })
    const keyring = await openKeyring(store, nobleCurve)
    await keyring.add("c", pairOf(secretOf(3)))
    assert.deepEqual(crossed, [1, 2, 3].map(secretOf))
    keyring.sign("c", digest)
    assert.equal(isLocked(), false)
    keyring.lock()
    assertOverwritten(crossed, 3)
    assert.equal(isLocked(), true)
  })

  it("is overwritten when it alone is removed or locked, and the others are kept", async () => {
    const { store, crossed } = watchedStore({ a: 1, b: 2, c: 3 })
    const keyring = await openKeyring(store, nobleCurve)
    await keyring.remove("b")
    assert.deepEqual(crossed, [secretOf(1), zeros, secretOf(3)])
    keyring.lock(["a"])
    assert.deepEqual(crossed, [zeros, zeros, secretOf(3)])
  })

  it("is overwritten when the next one can't be loaded", async () => {
    const { store, crossed, isLocked } = watchedStore({ a: 1, b: 2, c: 3 }, { load: "c" })
    await assert.rejects(openKeyring(store, nobleCurve), { code: "keystore_unavailable" })
    assertOverwritten(crossed, 2)
    assert.equal(isLocked(), true)
  })

  it("is overwritten when it isn't the one that was kept, or none", () => {
    const { publicKey } = pairOf(secretOf(2))
    const [another, none] = [secretOf(1), secretOf(0xff)]
    assert.equal(provenPair(another, { publicKey }, nobleCurve), undefined)
    assert.equal(provenPair(none, {}, nobleCurve), undefined)
    assertOverwritten([another, none], 2)
  })

  it("is overwritten when it couldn't be saved", async () => {
    const { store, crossed } = watchedStore({}, { save: true })
    const keyring = await openKeyring(store, nobleCurve)
    const given = secretOf(1)
    await assert.rejects(keyring.add("a", pairOf(given)), { code: "keystore_unavailable" })
    assertOverwritten([...crossed, given], 2)
  })

  it("is overwritten when an unlock brings another key under its name", async () => {
    const first = watchedStore({ a: 1 })
    const keyring = await openKeyring(first.store, nobleCurve)
    keyring.lock()
    const changed = watchedStore({ a: 2, b: 3 })
    await assert.rejects(
      keyring.unlock(changed.store, (name) => keyring.addressOf(name)),
      { code: "keystore_invalid" },
    )
    assertOverwritten([...first.crossed, ...changed.crossed], 3)
    assert.equal(changed.isLocked(), true)
  })

  it("is replaced by an unlock, and the old bytes are overwritten", async () => {
    const [first, second] = [watchedStore({ a: 1 }), watchedStore({ a: 1 })]
    const keyring = await openKeyring(first.store, nobleCurve)
    await keyring.unlock(second.store, (name) => keyring.addressOf(name))
    assertOverwritten(first.crossed, 1)
    assert.deepEqual(second.crossed, [secretOf(1)])
    keyring.lock()
    assertOverwritten(second.crossed, 1)
  })

  it("isn't held any more once the vault is closed", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    test.vault.keyring.sign("mm", digest)
    await test.vault.close()
    assert.throws(() => test.vault.keyring.sign("mm", digest), { code: "keyring_locked" })
  })
})

describe("a passphrase in memory", () => {
  for (const [what, word, code] of [
    ["has opened the key store", "a passphrase of a test", undefined],
    ["was wrong", "another passphrase of a test", "passphrase_wrong"],
  ] as const) {
    it(`is overwritten once it ${what}`, async (t) => {
      const made = await makeTestInstallation({ keys: "on_disk" })
      t.after(() => made.remove())
      const passphrase = utf8(word)
      const opening = openVault(made.installation, () => Promise.resolve(passphrase))
      if (code === undefined) await (await opening).close()
      else await assert.rejects(opening, { code })
      assert.deepEqual(passphrase, new Uint8Array(word.length))
    })
  }
})
