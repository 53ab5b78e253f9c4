import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { memoryStore } from "../../../../src/vault/keyring/memory-store.ts"

const secret = new Uint8Array(32).fill(7)

describe("memoryStore", () => {
  it("gives back copies of what was saved", async () => {
    const store = memoryStore()
    const own = Buffer.from(secret)
    await store.save("b", own)
    own.fill(0)
    const loaded = await store.load("b")
    assert.deepEqual(loaded, secret)
    loaded.fill(0)
    assert.deepEqual(await store.load("b"), secret)
  })

  it("lists names in order", async () => {
    const store = memoryStore()
    await store.save("b", secret)
    await store.save("a", secret)
    assert.deepEqual(await store.names(), ["a", "b"])
  })

  it("refuses a name that is taken or unknown", async () => {
    const store = memoryStore()
    await store.save("a", secret)
    await assert.rejects(store.save("a", secret), { code: "name_taken" })
    await assert.rejects(store.load("b"), { code: "key_not_found" })
  })

  it("forgets everything when it is locked", async () => {
    const store = memoryStore()
    await store.save("a", secret)
    store.lock()
    store.lock()
    assert.deepEqual(await store.names(), [])
    await assert.rejects(store.load("a"), { code: "keyring_locked" })
    await assert.rejects(store.save("b", secret), { code: "keyring_locked" })
  })
})
