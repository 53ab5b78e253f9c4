import assert from "node:assert/strict"
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import { Wallet } from "ethers"

import { createRegistry } from "../../../../../src/commands/init/create-installation.ts"
import { toHex } from "../../../../../src/std/bytes.ts"
import { Fault } from "../../../../../src/std/fault.ts"
import type { KeychainDriver } from "../../../../../src/vault/keyring/keychain/keychain.ts"
import { openKeychainStore } from "../../../../../src/vault/keyring/keychain/keychain-store.ts"
import { fakeKeychain, type FakeKeychain } from "../../../../support/fake-keychain.ts"
import { pairOf } from "../../../../support/key-pair.ts"
import { nobleCurve } from "../../../../../src/vault/keyring/curve.ts"

const secret = new Uint8Array(32).fill(0x5a)
const other = new Uint8Array(32).fill(0xa5)
const hex = "5a".repeat(32)

let root = ""
let directory = ""
let keychain: FakeKeychain

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "countersign-keychain-"))
  directory = join(root, "keychain")
  keychain = fakeKeychain()
})
afterEach(() => rmSync(root, { recursive: true }))

const open = (driver: KeychainDriver = "native") =>
  openKeychainStore({ directory, driver, lend: keychain.lend, curve: nobleCurve })

async function openNew(driver: KeychainDriver = "native") {
  await createRegistry(directory)
  return open(driver)
}

const fileOf = (name: string) => join(directory, `${name}.json`)
const serviceOf = (at: string) => readFileSync(join(at, "service-name"), "utf8")
const isWiped = (bytes: Uint8Array) => bytes.every((byte) => byte === 0)

describe("openKeychainStore", () => {
  it("asks for init where no directory or no service name is", async () => {
    await assert.rejects(open(), { code: "not_initialised" })
    mkdirSync(directory, { mode: 0o700 })
    await assert.rejects(open(), { code: "not_initialised" })
  })

  it("refuses a directory that others can enter, or that is a symlink", async () => {
    await createRegistry(directory)
    chmodSync(directory, 0o750)
    await assert.rejects(open(), { code: "file_unsafe", message: /chmod 700/ })
    chmodSync(directory, 0o700)
    renameSync(directory, join(root, "real"))
    symlinkSync(join(root, "real"), directory)
    await assert.rejects(open(), { code: "file_unsafe", message: /symlink/ })
  })

  for (const text of ["", "countersign", "other-00112233445566778899aabbccddeeff"]) {
    it(`refuses ${JSON.stringify(text)} as a service name`, async () => {
      await createRegistry(directory)
      writeFileSync(join(directory, "service-name"), text)
      await assert.rejects(open(), { code: "keystore_invalid", message: /service-name/ })
    })
  }

  it("doesn't touch the keychain", async () => {
    await openNew()
    assert.deepEqual(keychain.lent, [])
  })
})

describe("save", () => {
  it("keeps the secret in the keychain, and in the directory only what is public", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    const service = serviceOf(directory)
    assert.deepEqual([...keychain.items], [[`native ${service} bot`, secret]])
    assert.equal(statSync(fileOf("bot")).mode & 0o777, 0o600)
    const text = readFileSync(fileOf("bot"), "utf8")
    assert.ok(!text.includes(hex))
    const { address, signingKey } = new Wallet(`0x${hex}`)
    const expected = {
      ...{ version: 1, driver: "native", service, account: "bot", address },
      public_key: signingKey.publicKey,
    }
    assert.deepEqual(JSON.parse(text), expected)
    assert.deepEqual(await store.names(), ["bot"])
    assert.deepEqual((await store.load("bot")).secret, secret)
  })

  it("leaves the secret to its owner, and overwrites what it read back", async () => {
    const own = Uint8Array.from(secret)
    await (await openNew()).save("bot", pairOf(own))
    assert.deepEqual(own, secret)
    assert.equal(keychain.given.length, 1)
    assert.ok(keychain.given.every(isWiped))
  })

  for (const name of ["", "Bot", "a/b", "../a", ".a", "a".repeat(65)]) {
    it(`refuses the name ${JSON.stringify(name)}`, async () => {
      const store = await openNew()
      await assert.rejects(store.save(name, pairOf(secret)), { code: "usage" })
      assert.equal(keychain.items.size, 0)
    })
  }

  it("refuses what isn't a private key", async () => {
    const store = await openNew()
    for (const none of [new Uint8Array(32), new Uint8Array(31).fill(1)]) {
      await assert.rejects(store.save("bot", pairOf(none)), { code: "key_invalid" })
    }
    assert.deepEqual(keychain.lent, [])
  })

  it("refuses a name that is taken, and changes nothing", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    await assert.rejects(store.save("bot", pairOf(other)), { code: "name_taken" })
    assert.deepEqual((await store.load("bot")).secret, secret)
  })

  it("never overwrites an item that is there", async () => {
    const store = await openNew()
    const key = `native ${serviceOf(directory)} bot`
    keychain.items.set(key, other)
    await assert.rejects(store.save("bot", pairOf(secret)), { code: "name_taken" })
    assert.deepEqual(keychain.items.get(key), other)
    assert.deepEqual(await store.names(), [])
  })

  it("goes on where an interrupted save left the same item", async () => {
    const store = await openNew()
    keychain.items.set(`native ${serviceOf(directory)} bot`, secret)
    await store.save("bot", pairOf(secret))
    assert.deepEqual((await store.load("bot")).secret, secret)
  })

  it("keeps nothing when the keychain gives back something else", async () => {
    const store = await openNew()
    const key = `native ${serviceOf(directory)} bot`
    keychain.onCall = (verb) => {
      if (verb === "getPassword" && keychain.items.has(key)) keychain.items.set(key, other)
    }
    await assert.rejects(store.save("bot", pairOf(secret)), { code: "keychain_mismatch" })
    assert.equal(keychain.items.size, 0)
    assert.deepEqual(await store.names(), [])
  })

  it("takes its item back when the directory can't be written", async () => {
    const store = await openNew()
    keychain.onCall = (verb) => {
      if (verb === "setPassword") renameSync(directory, join(root, "gone"))
    }
    await assert.rejects(store.save("bot", pairOf(secret)), { code: "keystore_unavailable" })
    assert.equal(keychain.items.size, 0)
  })

  it("leaves its item where a registry file has come to name it", async () => {
    const store = await openNew()
    await store.save("other", pairOf(other))
    const key = `native ${serviceOf(directory)} bot`
    keychain.onCall = (verb, account) => {
      if (verb === "setPassword" && account === "bot") copyFileSync(fileOf("other"), fileOf("bot"))
    }
    await assert.rejects(store.save("bot", pairOf(secret)), { code: "name_taken" })
    assert.deepEqual(keychain.items.get(key), secret)
  })

  it("tells the first error when the item can't be taken back either", async () => {
    const store = await openNew()
    keychain.onCall = (verb) => {
      if (verb === "setPassword") renameSync(directory, join(root, "gone"))
      if (verb === "deletePassword") throw new Fault("keychain_locked", "locked")
    }
    await assert.rejects(store.save("bot", pairOf(secret)), { code: "keystore_unavailable" })
  })

  it("names an item that may be left where nobody answered in time", async () => {
    const store = await openNew()
    keychain.onCall = (verb) => {
      if (verb === "getPassword" && keychain.items.size === 0) return
      throw new Fault("keychain_unavailable", "The keychain took longer than 60 s.")
    }
    const service = serviceOf(directory)
    await assert.rejects(store.save("bot", pairOf(secret)), {
      code: "keychain_unavailable",
      message: new RegExp(`60 s.*service ${service} .* bot may be left.*delete it`),
    })
    keychain.onCall = () => undefined
    keychain.items.set(`native ${service} bot`, other)
    await assert.rejects(store.save("bot", pairOf(secret)), {
      code: "name_taken",
      message: new RegExp(`delete it there.*${service}`),
    })
    assert.deepEqual(await store.names(), [])
  })
})

describe("load", () => {
  it("takes all keys out in one go, and each of them once", async () => {
    const names = ["a", "b", "c"]
    const first = await openNew()
    for (const name of names) await first.save(name, pairOf(secret))
    const store = await open()
    keychain.lent.length = 0
    for (const name of names) assert.deepEqual((await store.load(name)).secret, secret)
    assert.deepEqual(keychain.lent, ["native"])
    assert.deepEqual((await store.load("b")).secret, secret)
    assert.deepEqual(keychain.lent, ["native", "native"])
  })

  it("finds keys that were stored through another driver", async () => {
    await (await openNew("keytar")).save("old", pairOf(secret))
    const store = await open("native")
    await store.save("new", pairOf(other))
    keychain.lent.length = 0
    assert.deepEqual((await store.load("old")).secret, secret)
    assert.deepEqual((await store.load("new")).secret, other)
    assert.deepEqual(keychain.lent, ["keytar", "native"])
  })

  it("knows no key but those of the registry", async () => {
    const store = await openNew()
    keychain.items.set(`native ${serviceOf(directory)} bot`, secret)
    for (const name of ["bot", "", "../keychain/bot", "service-name"]) {
      await assert.rejects(store.load(name), { code: "key_not_found" })
    }
  })

  it("gives out a key of which an older version kept the address alone", async () => {
    await (await openNew()).save("bot", pairOf(secret))
    const entry = JSON.parse(readFileSync(fileOf("bot"), "utf8")) as object
    writeFileSync(fileOf("bot"), JSON.stringify({ ...entry, public_key: undefined }))
    assert.deepEqual(await (await open()).load("bot"), pairOf(secret))
  })

  it("refuses a key whose public one isn't the one that was kept", async () => {
    await (await openNew()).save("bot", pairOf(secret))
    const entry = JSON.parse(readFileSync(fileOf("bot"), "utf8")) as object
    const { publicKey } = pairOf(other)
    writeFileSync(fileOf("bot"), JSON.stringify({ ...entry, public_key: toHex(publicKey) }))
    const store = await open()
    await assert.rejects(store.load("bot"), { code: "keychain_mismatch" })
    assert.ok(keychain.given.every(isWiped))
  })

  it("refuses another key under the name, and overwrites it", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    keychain.items.set(`native ${serviceOf(directory)} bot`, other)
    const expected = { code: "keychain_mismatch", message: /something else than the key bot/ }
    await assert.rejects(store.load("bot"), expected)
    assert.ok(keychain.given.every(isWiped))
  })

  it("refuses what isn't a key at all", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    for (const none of [new Uint8Array(), new Uint8Array(32), new Uint8Array(33).fill(0x5a)]) {
      keychain.items.set(`native ${serviceOf(directory)} bot`, none)
      await assert.rejects(store.load("bot"), { code: "keychain_mismatch" })
    }
  })

  it("says that the item is gone", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    keychain.items.clear()
    const expected = { code: "keychain_mismatch", message: /no item for the key bot/ }
    await assert.rejects(store.load("bot"), expected)
  })

  it("isn't kept from one key by what is wrong with another", async () => {
    const store = await openNew()
    for (const name of ["a", "b", "c", "d"]) await store.save(name, pairOf(secret))
    writeFileSync(fileOf("b"), "{}")
    keychain.items.delete(`native ${serviceOf(directory)} c`)
    keychain.onCall = (_verb, account) => {
      if (account === "d") throw new Fault("keychain_mismatch", "not one of ours")
    }
    assert.deepEqual((await store.load("a")).secret, secret)
    await assert.rejects(store.load("b"), { code: "keystore_invalid", message: /b\.json/ })
    await assert.rejects(store.load("c"), { code: "keychain_mismatch" })
    await assert.rejects(store.load("d"), { code: "keychain_mismatch" })
  })

  it("overwrites what came so far when the keychain fails", async () => {
    const store = await openNew()
    for (const name of ["a", "b"]) await store.save(name, pairOf(secret))
    keychain.onCall = (_verb, account) => {
      if (account === "b") throw new Fault("keychain_locked", "locked")
    }
    await assert.rejects(store.load("a"), { code: "keychain_locked" })
    assert.ok(keychain.given.every(isWiped))
    keychain.onCall = () => undefined
    assert.deepEqual((await store.load("a")).secret, secret)
  })

  const changes: Readonly<Record<string, object>> = {
    "another version": { version: 2 },
    "another driver": { driver: "kernel" },
    "another program's service": { service: "firefox" },
    "an account that is no name": { account: "../bot" },
    "an address with a wrong checksum": { address: "0x1a642f0E3c3aF545E7AcBD38b07251B3990914f1" },
    "a field that it doesn't know": { secret: "" },
  }
  for (const [name, change] of Object.entries(changes)) {
    it(`refuses a registry file with ${name}`, async () => {
      const store = await openNew()
      await store.save("bot", pairOf(secret))
      const entry = JSON.parse(readFileSync(fileOf("bot"), "utf8")) as object
      writeFileSync(fileOf("bot"), JSON.stringify({ ...entry, ...change }))
      await assert.rejects(store.load("bot"), { code: "keystore_invalid", message: /bot\.json/ })
    })
  }

  it("refuses a registry file that others can read, or that is a symlink", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    copyFileSync(fileOf("bot"), join(root, "copy"))
    chmodSync(fileOf("bot"), 0o644)
    await assert.rejects(store.load("bot"), { code: "file_unsafe", message: /chmod 600/ })
    rmSync(fileOf("bot"))
    symlinkSync(join(root, "copy"), fileOf("bot"))
    await assert.rejects(store.load("bot"), { code: "file_unsafe", message: /symlink/ })
  })
})

describe("remove", () => {
  it("deletes the item and the name, and lets the name be used anew", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    await store.remove("bot")
    assert.equal(keychain.items.size, 0)
    assert.deepEqual(await store.names(), [])
    await assert.rejects(store.load("bot"), { code: "key_not_found" })
    await store.save("bot", pairOf(other))
    assert.deepEqual((await store.load("bot")).secret, other)
  })

  it("leaves a name alone that isn't there, and refuses one that can't be", async () => {
    const store = await openNew()
    await store.remove("bot")
    assert.deepEqual(keychain.lent, [])
    await assert.rejects(store.remove("../bot"), { code: "usage" })
  })

  it("forgets the name when the item is gone already", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    keychain.items.clear()
    await store.remove("bot")
    assert.deepEqual(await store.names(), [])
  })

  it("is finished by another call where a crash cut it off behind the item", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    keychain.onCall = (verb) => {
      if (verb === "deletePassword") throw new Fault("keychain_unavailable", "killed")
    }
    await assert.rejects(store.remove("bot"), { code: "keychain_unavailable" })
    assert.deepEqual(await store.names(), [])
    keychain.onCall = () => undefined
    await (await open()).remove("bot")
    assert.equal(keychain.items.size, 0)
    assert.deepEqual(readdirSync(directory), ["service-name"])
  })

  it("never deletes another key than the one that was stored", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    const key = `native ${serviceOf(directory)} bot`
    keychain.items.set(key, other)
    await assert.rejects(store.remove("bot"), { code: "keychain_mismatch" })
    assert.deepEqual(keychain.items.get(key), other)
    assert.deepEqual(await store.names(), ["bot"])
  })

  it("overwrites the key where it waited to be loaded", async () => {
    const first = await openNew()
    for (const name of ["a", "b"]) await first.save(name, pairOf(secret))
    const store = await open()
    await store.load("a")
    const [, waiting] = keychain.given.slice(-2)
    assert.deepEqual(waiting, secret)
    await store.remove("b")
    assert.ok(isWiped(waiting))
  })
})

describe("lock", () => {
  it("lets nothing be loaded, saved or removed, twice over", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    store.lock()
    store.lock()
    await assert.rejects(store.load("bot"), { code: "keyring_locked" })
    await assert.rejects(store.save("new", pairOf(other)), { code: "keyring_locked" })
    await assert.rejects(store.remove("bot"), { code: "keyring_locked" })
    assert.equal(keychain.items.size, 1)
  })

  it("overwrites keys that nobody has loaded yet", async () => {
    const first = await openNew()
    for (const name of ["a", "b"]) await first.save(name, pairOf(secret))
    const store = await open()
    const { secret: taken } = await store.load("a")
    const waiting = keychain.given.at(-1) ?? secret
    store.lock()
    assert.ok(isWiped(waiting))
    assert.deepEqual(taken, secret)
  })

  it("in the middle of a load gives out nothing", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    keychain.onCall = () => store.lock()
    await assert.rejects(store.load("bot"), { code: "keyring_locked" })
    assert.ok(keychain.given.every(isWiped))
  })
})
