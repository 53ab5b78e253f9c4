import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { memoryStore } from "../../../../src/vault/custody/open-key-store.ts"
import { pairOf } from "../../../support/key-pair.ts"

const secret = new Uint8Array(32).fill(7)

describe("memoryStore", () => {
  it("gives back copies of what was saved", async () => {
    const store = memoryStore()
    const own = Buffer.from(secret)
    await store.save("b", pairOf(own))
    own.fill(0)
    const { secret: loaded } = await store.load("b")
    assert.deepEqual(loaded, secret)
    loaded.fill(0)
    assert.deepEqual((await store.load("b")).secret, secret)
  })

  it("lists names in order", async () => {
    const store = memoryStore()
    await store.save("b", pairOf(secret))
    await store.save("a", pairOf(secret))
    assert.deepEqual(await store.names(), ["a", "b"])
  })

  it("refuses a name that is taken or unknown", async () => {
    const store = memoryStore()
    await store.save("a", pairOf(secret))
    await assert.rejects(store.save("a", pairOf(secret)), { code: "name_taken" })
    await assert.rejects(store.load("b"), { code: "key_not_found" })
  })

  it("forgets everything when it is locked", async () => {
    const store = memoryStore()
    await store.save("a", pairOf(secret))
    store.lock()
    store.lock()
    assert.deepEqual(await store.names(), [])
    await assert.rejects(store.load("a"), { code: "keyring_locked" })
    await assert.rejects(store.save("b", pairOf(secret)), { code: "keyring_locked" })
  })
})
