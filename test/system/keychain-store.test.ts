import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, beforeEach, describe, it } from "node:test"

import type { KeychainDriver } from "../../src/vault/keyring/keychain/keychain.ts"
import { createRegistry } from "../../src/commands/init/create-installation.ts"
import { openKeychainStore } from "../../src/vault/keyring/keychain/keychain-store.ts"
import { withKeychain } from "../../src/vault/keyring/keychain/with-keychain.ts"
import { openKeyring } from "../../src/vault/keyring/keyring.ts"
import { keytarDirectory, needsKeytar } from "../support/keytar.ts"
import {
  needsSecretService,
  startSecretService,
  type SecretService,
} from "../support/secret-service.ts"
import { pairOf } from "../support/key-pair.ts"
import { nobleCurve } from "../../src/vault/keyring/curve.ts"

const secretOf = (byte: number) => new Uint8Array(32).fill(byte)

describe("a key store in a real keychain", needsSecretService(), () => {
  let service: SecretService
  let directory = ""
  let count = 0
  before(async () => (service = await startSecretService()))
  after(() => service.stop())
  beforeEach(async () => {
    directory = join(service.directory, `keychain-${(count += 1)}`)
    await createRegistry(directory)
  })

  const open = (driver: KeychainDriver, at = directory) =>
    openKeychainStore({
      directory: at,
      driver,
      keytarDirectory: keytarDirectory(),
      curve: nobleCurve,
    })

  it("holds the keys over a restart, in one process for all of them", async () => {
    const keyring = await openKeyring(await open("native"), nobleCurve)
    const addresses = [
      await keyring.add("a", pairOf(secretOf(1))),
      await keyring.add("b", pairOf(secretOf(2))),
    ]
    keyring.lock()
    await service.restart()
    let lent = 0
    const counted: typeof withKeychain = (settings, use) => {
      lent += 1
      return withKeychain(settings, use)
    }
    const store = await openKeychainStore({
      directory,
      driver: "native",
      lend: counted,
      curve: nobleCurve,
    })
    const again = await openKeyring(store, nobleCurve)
    assert.deepEqual([again.addressOf("a"), again.addressOf("b")], addresses)
    assert.equal(lent, 1)
  })

  it("doesn't meet another installation's key of the same name", async () => {
    const elsewhere = `${directory}-second`
    await createRegistry(elsewhere)
    const [one, two] = [await open("native"), await open("native", elsewhere)]
    await one.save("bot", pairOf(secretOf(1)))
    await two.save("bot", pairOf(secretOf(2)))
    await one.remove("bot")
    assert.deepEqual((await two.load("bot")).secret, secretOf(2))
  })

  it("refuses another key that was put under the name", async () => {
    const store = await open("native")
    await store.save("bot", pairOf(secretOf(1)))
    const settings = { driver: "native", service: serviceName() } as const
    await withKeychain(settings, (keychain) => keychain.setPassword("bot", secretOf(2)))
    await assert.rejects(store.load("bot"), { code: "keychain_mismatch" })
    await assert.rejects(openKeyring(await open("native"), nobleCurve), {
      code: "keychain_mismatch",
    })
    await assert.rejects(store.remove("bot"), { code: "keychain_mismatch" })
  })

  it("says that the keychain is locked, and keeps what it knows", async () => {
    const store = await open("native")
    await store.save("bot", pairOf(secretOf(1)))
    await service.lock()
    await assert.rejects(store.load("bot"), { code: "keychain_locked" })
    await assert.rejects(store.save("new", pairOf(secretOf(2))), { code: "keychain_locked" })
    await assert.rejects(store.remove("bot"), { code: "keychain_locked" })
    assert.deepEqual(await store.names(), ["bot"])
    await service.restart()
    assert.deepEqual((await store.load("bot")).secret, secretOf(1))
  })

  it("finds keytar's keys where native is set, and the reverse", needsKeytar(), async () => {
    await (await open("keytar")).save("old", pairOf(secretOf(1)))
    const store = await open("native")
    await store.save("new", pairOf(secretOf(2)))
    const keyring = await openKeyring(await open("keytar"), nobleCurve)
    assert.ok(keyring.addressOf("old") !== undefined && keyring.addressOf("new") !== undefined)
    await store.remove("old")
    assert.deepEqual(await store.names(), ["new"])
  })

  function serviceName(): string {
    return readFileSync(join(directory, "service-name"), "utf8").trim()
  }
})
