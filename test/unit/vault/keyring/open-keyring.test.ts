import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { keccak256 } from "../../../../src/std/keccak.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { type KeyStore, openKeyring } from "../../../../src/vault/keyring/keyring.ts"
import { memoryStore } from "../../../../src/vault/custody/open-key-store.ts"
import type { Digest } from "../../../../src/venue/signing-hash.ts"
import { signDigest } from "../../../support/sign-digest.ts"
import { addressOfSecret, pairOf } from "../../../support/key-pair.ts"
import { nobleCurve } from "../../../../src/vault/keyring/curve.ts"

const digest = keccak256(Uint8Array.of(1)) as Digest
const zeros = new Uint8Array(32)

function secretOf(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte)
}

async function storeWith(names: Readonly<Record<string, number>>): Promise<KeyStore> {
  const store = memoryStore()
  for (const [name, byte] of Object.entries(names)) await store.save(name, pairOf(secretOf(byte)))
  return store
}

describe("openKeyring", () => {
  it("signs with each key that the store holds", async () => {
    const keyring = await openKeyring(await storeWith({ a: 1, b: 2 }), nobleCurve)
    assert.equal(keyring.addressOf("a"), addressOfSecret(secretOf(1)))
    assert.equal(keyring.addressOf("b"), addressOfSecret(secretOf(2)))
    assert.deepEqual(keyring.sign("a", digest), signDigest(secretOf(1), digest))
    assert.deepEqual(keyring.sign("b", digest), signDigest(secretOf(2), digest))
  })

  it("keeps nothing when one key can't be loaded", async () => {
    const loaded: Uint8Array[] = []
    const inner = await storeWith({ a: 1, b: 2 })
    const store: KeyStore = {
      ...inner,
      load: async (name) => {
        if (name === "b") throw new Fault("keystore_invalid", "b is broken")
        const pair = await inner.load(name)
        loaded.push(pair.secret)
        return pair
      },
    }
    await assert.rejects(openKeyring(store, nobleCurve), { code: "keystore_invalid" })
    assert.deepEqual(loaded, [zeros])
    await assert.rejects(inner.load("a"), { code: "keyring_locked" })
  })

  it("overwrites also a key that comes in after another couldn't be loaded", async () => {
    const failed = Promise.withResolvers<undefined>()
    const late = secretOf(1)
    const store: KeyStore = {
      ...(await storeWith({ a: 1, b: 2 })),
      load: async (name) => {
        if (name === "a") {
          await failed.promise
          return pairOf(late)
        }
        failed.resolve(undefined)
        throw new Fault("keystore_invalid", "b is broken")
      },
    }
    await assert.rejects(openKeyring(store, nobleCurve), { code: "keystore_invalid" })
    assert.deepEqual(late, zeros)
  })

  it("tells of the first in the store's order that can't be loaded, whichever failed first", async () => {
    const failed = Promise.withResolvers<undefined>()
    const store: KeyStore = {
      ...(await storeWith({ a: 1, b: 2 })),
      load: async (name) => {
        if (name === "a") await failed.promise
        else failed.resolve(undefined)
        throw new Fault("keystore_invalid", `${name} is broken`)
      },
    }
    await assert.rejects(openKeyring(store, nobleCurve), { message: "a is broken" })
  })

  it("signs with more keys than it loads at a time", async () => {
    const names = ["a", "b", "c", "d", "e", "f"]
    const numbered = Object.fromEntries(names.map((name, index) => [name, index + 1]))
    const keyring = await openKeyring(await storeWith(numbered), nobleCurve)
    for (const [index, name] of names.entries()) {
      assert.equal(keyring.addressOf(name), addressOfSecret(secretOf(index + 1)))
    }
  })
})

describe("a keyring", () => {
  it("knows nothing of other names", async () => {
    const keyring = await openKeyring(await storeWith({ a: 1 }), nobleCurve)
    for (const name of ["b", "", "__proto__", "toString"]) {
      assert.equal(keyring.addressOf(name), undefined)
      assert.throws(() => keyring.sign(name, digest), { code: "key_not_found" })
    }
  })

  for (const [kind, make] of [
    ["Uint8Array", (byte: number) => secretOf(byte)],
    ["Buffer", (byte: number) => Buffer.alloc(32, byte)],
  ] as const) {
    it(`stores and holds a key given as ${kind}, and overwrites what it was given`, async () => {
      const store = await storeWith({})
      const keyring = await openKeyring(store, nobleCurve)
      const given = make(3)
      const address = await keyring.add("c", pairOf(given))
      assert.equal(address, addressOfSecret(secretOf(3)))
      assert.equal(keyring.addressOf("c"), address)
      assert.deepEqual(keyring.sign("c", digest), signDigest(secretOf(3), digest))
      assert.deepEqual((await store.load("c")).secret, secretOf(3))
      assert.deepEqual(Uint8Array.from(given), zeros)
    })
  }

  it("overwrites also what it refuses to add", async () => {
    const keyring = await openKeyring(await storeWith({ a: 1 }), nobleCurve)
    const taken = secretOf(4)
    await assert.rejects(keyring.add("a", pairOf(taken)), { code: "name_taken" })
    assert.deepEqual(taken, zeros)
    assert.equal(keyring.addressOf("a"), addressOfSecret(secretOf(1)))

    const tooLarge = secretOf(0xff)
    await assert.rejects(keyring.add("b", pairOf(tooLarge)), { code: "key_invalid" })
    assert.deepEqual(tooLarge, zeros)
    const short = new Uint8Array(31).fill(1)
    await assert.rejects(keyring.add("b", pairOf(short)), { code: "key_invalid" })
    assert.deepEqual(short, new Uint8Array(31))
    const another = { ...pairOf(secretOf(5)), publicKey: pairOf(secretOf(6)).publicKey }
    await assert.rejects(keyring.add("b", another), { code: "key_invalid" })
    assert.deepEqual(another.secret, zeros)
  })

  it("holds a key only after the store has it", async () => {
    const inner = await storeWith({})
    const store: KeyStore = {
      ...inner,
      save: () => Promise.reject(new Fault("keystore_unavailable", "disk full")),
    }
    const keyring = await openKeyring(store, nobleCurve)
    await assert.rejects(keyring.add("a", pairOf(secretOf(1))), { code: "keystore_unavailable" })
    assert.throws(() => keyring.sign("a", digest), { code: "key_not_found" })
  })

  it("overwrites every key and locks the store when it is locked", async () => {
    const held: Uint8Array[] = []
    const inner = await storeWith({ a: 1, b: 2 })
    const store: KeyStore = {
      ...inner,
      load: async (name) => {
        const pair = await inner.load(name)
        held.push(pair.secret)
        return pair
      },
    }
    const keyring = await openKeyring(store, nobleCurve)
    assert.deepEqual(held, [secretOf(1), secretOf(2)])
    keyring.lock()
    keyring.lock()
    assert.deepEqual(held, [zeros, zeros])
    assert.throws(() => keyring.sign("a", digest), { code: "keyring_locked" })
    assert.equal(keyring.addressOf("a"), addressOfSecret(secretOf(1)))
    assert.ok(keyring.isLocked("a"))
    const late = secretOf(5)
    await assert.rejects(keyring.add("c", pairOf(late)), { code: "keyring_locked" })
    assert.deepEqual(late, zeros)
    await assert.rejects(inner.load("a"), { code: "keyring_locked" })
  })

  it("holds nothing of a key whose saving a lock overtakes", async () => {
    const saved = Promise.withResolvers<undefined>()
    const copies: Uint8Array[] = []
    const inner = await storeWith({})
    const store: KeyStore = {
      ...inner,
      save: (_name, { secret }) => {
        copies.push(secret)
        return saved.promise
      },
    }
    const keyring = await openKeyring(store, nobleCurve)
    const adding = keyring.add("a", pairOf(secretOf(1)))
    keyring.lock()
    saved.resolve(undefined)
    await adding
    assert.deepEqual(copies, [zeros])
    assert.ok(keyring.isLocked("a"))
    assert.throws(() => keyring.sign("a", digest), { code: "keyring_locked" })
  })

  it("signs again once a store is opened anew, with the very keys it had", async () => {
    const keyring = await openKeyring(await storeWith({ a: 1, b: 2 }), nobleCurve)
    keyring.lock()
    await keyring.unlock(await storeWith({ a: 1, b: 2 }), (name) => keyring.addressOf(name))
    assert.equal(keyring.isLocked("a"), false)
    assert.deepEqual(keyring.sign("b", digest), signDigest(secretOf(2), digest))
    await keyring.add("c", pairOf(secretOf(3)))
    assert.deepEqual(keyring.sign("c", digest), signDigest(secretOf(3), digest))
  })

  it("stays locked when a store holds another key under a name, and locks that store", async () => {
    const keyring = await openKeyring(await storeWith({ a: 1 }), nobleCurve)
    keyring.lock()
    const other = await storeWith({ a: 2 })
    await assert.rejects(
      keyring.unlock(other, (name) => keyring.addressOf(name)),
      { code: "keystore_invalid" },
    )
    assert.throws(() => keyring.sign("a", digest), { code: "keyring_locked" })
    await assert.rejects(other.load("a"), { code: "keyring_locked" })
  })

  it("knows nothing more of a key that a new store lacks, and takes any other by its name that is expected", async () => {
    const keyring = await openKeyring(await storeWith({ a: 1, b: 2 }), nobleCurve)
    await keyring.unlock(await storeWith({ a: 1 }), () => undefined)
    assert.equal(keyring.addressOf("b"), undefined)
    assert.ok(keyring.isLocked("b"))
    await keyring.unlock(await storeWith({ b: 3 }), () => undefined)
    assert.deepEqual(keyring.sign("b", digest), signDigest(secretOf(3), digest))
  })

  it("locks some keys and signs with the others; the store is locked then too", async () => {
    const keyring = await openKeyring(await storeWith({ wallet: 1, agent: 2 }), nobleCurve)
    keyring.lock(["wallet", "nobody"])
    assert.ok(keyring.isLocked("wallet"))
    assert.throws(() => keyring.sign("wallet", digest), { code: "keyring_locked" })
    assert.equal(keyring.isLocked("agent"), false)
    assert.deepEqual(keyring.sign("agent", digest), signDigest(secretOf(2), digest))
    await assert.rejects(keyring.add("c", pairOf(secretOf(3))), { code: "keyring_locked" })
    await assert.rejects(keyring.remove("agent"), { code: "keyring_locked" })
  })

  it("overwrites a key that is removed, in memory and in the store", async () => {
    const held: Uint8Array[] = []
    const inner = await storeWith({ a: 1, b: 2 })
    const store: KeyStore = {
      ...inner,
      load: async (name) => {
        const pair = await inner.load(name)
        if (name === "a") held.push(pair.secret)
        return pair
      },
    }
    const keyring = await openKeyring(store, nobleCurve)
    await keyring.remove("a")
    assert.deepEqual(held, [zeros])
    assert.equal(keyring.addressOf("a"), undefined)
    assert.throws(() => keyring.sign("a", digest), { code: "key_not_found" })
    await assert.rejects(inner.load("a"), { code: "key_not_found" })
    assert.deepEqual(keyring.sign("b", digest), signDigest(secretOf(2), digest))
  })

  it("can't be changed from outside", async () => {
    const keyring = await openKeyring(await storeWith({ a: 1 }), nobleCurve)
    assert.ok(Object.isFrozen(keyring))
  })
})
