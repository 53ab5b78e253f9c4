import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import {
  createInstallation,
  createKeystore,
} from "../../../src/commands/init/create-installation.ts"
import { configText } from "../../../src/commands/init/init-texts.ts"
import { withAdmin, withVault } from "../../../src/commands/installation/admin.ts"
import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { utf8 } from "../../../src/std/bytes.ts"
import { adminMethods } from "../../../src/vault/admin-methods.ts"
import { openKeystore } from "../../../src/vault/keyring/keystore-files.ts"
import { openVault } from "../../../src/vault/open-vault.ts"
import { temporaryDirectory } from "../../support/link-peer.ts"
import { makeTestInstallation, openTestVault } from "../../support/open-test-vault.ts"
import { keyParams, pairOf } from "../../support/key-pair.ts"
import { nobleCurve } from "../../../src/vault/keyring/curve.ts"

const passphrase = () => Promise.resolve(utf8("a passphrase of a test"))

/** An installation with a keystore whose scrypt is quick. */
async function keystoreInstallation(home: string) {
  const installation = { configDir: join(home, "d"), stateDir: join(home, "d") }
  await createInstallation({
    installation,
    configText: configText({ backend: "keystore" }),
    venueText: sandboxProfile({ url: sandboxUrl, asOf: new Date() }),
    policyText: "# none\n",
    keyStore: { kind: "nothing" },
    passphraseFile: undefined,
  })
  const directory = join(installation.stateDir, "keystore")
  mkdirSync(directory, { mode: 0o700 })
  await createKeystore({ directory, passphrase: await passphrase(), logN: 2 })
  return { installation, directory }
}

const newKey = () => ({ name: "mm", role: "agent", ...keyParams(randomBytes(32)) }) as const

describe("opening the vault", () => {
  it("finds the keys and clients of the run before", async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const { installation } = await keystoreInstallation(place.path)
    const first = await openVault(installation, passphrase)
    const key = await adminMethods(first).addKey(newKey())
    const { policyHash } = first.active()
    await first.close()
    const second = await openVault(installation, passphrase)
    assert.equal(second.active().policyHash, policyHash)
    assert.equal(second.keyring.addressOf("mm"), key.address)
    await second.close()
  })

  it("says which file to restore when the key store lost a key of the ledger", async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const { installation, directory } = await keystoreInstallation(place.path)
    const first = await openVault(installation, passphrase)
    await adminMethods(first).addKey(newKey())
    await first.close()
    rmSync(join(directory, "mm.json"))
    const expected = { code: "keystore_invalid", message: /keystore\/mm\.json/ }
    await assert.rejects(openVault(installation, passphrase), expected)

    const store = await openKeystore({
      directory,
      passphrase: await passphrase(),
      curve: nobleCurve,
    })
    await store.save("mm", pairOf(new Uint8Array(32).fill(7)))
    store.lock()
    await assert.rejects(openVault(installation, passphrase), {
      code: "keystore_invalid",
      message: /another key under the name mm/,
    })
    // Neither attempt kept the lock.
    const reader = await openVault(installation, "without_keys")
    await reader.close()
  })

  it("starts with a key that was saved and never recorded, which then signs for nobody", async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const { installation, directory } = await keystoreInstallation(place.path)
    const secret = new Uint8Array(32).fill(9)
    const store = await openKeystore({
      directory,
      passphrase: await passphrase(),
      curve: nobleCurve,
    })
    await store.save("mm", pairOf(secret))
    store.lock()
    const vault = await openVault(installation, passphrase)
    const admin = adminMethods(vault)
    assert.deepEqual(await admin.listKeys(), [])
    await assert.rejects(
      admin.addClient({ name: "b", keys: ["mm"], rights: [], allowTypeB: false }),
      {
        code: "name_unknown",
      },
    )
    const key = {
      name: "mm",
      role: "agent",
      ...keyParams(secret),
    } as const
    await admin.addKey(key)
    await vault.close()
    const again = await openVault(installation, passphrase)
    assert.equal(again.active().keys.size, 1)
    await again.close()
  })

  it("holds the lock against a second one, until it is closed", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const second = openVault(test.installation, "without_keys")
    await assert.rejects(second, { code: "already_running" })
    await test.close()
    await (await openVault(test.installation, "without_keys")).close()
  })

  it("refuses a state directory that others could write to", async (t) => {
    const made = await makeTestInstallation()
    t.after(() => made.remove())
    chmodSync(made.installation.stateDir, 0o770)
    await assert.rejects(openVault(made.installation, "without_keys"), { code: "file_unsafe" })
  })

  it("doesn't pass over what was signed while PostgreSQL couldn't be reached", async (t) => {
    const test = await openTestVault({ keys: "on_disk" })
    t.after(() => test.remove())
    await test.close()
    writeFileSync(join(test.installation.stateDir, "isolated.db"), "")
    const opening = openVault(test.installation, "without_keys")
    await assert.rejects(opening, { code: "ledger_unusable", message: /engine: postgres/ })
  })

  it("takes no key without the key store", async (t) => {
    const made = await makeTestInstallation()
    t.after(() => made.remove())
    const vault = await openVault(made.installation, "without_keys")
    t.after(() => vault.close())
    const added = adminMethods(vault).addKey(newKey())
    await assert.rejects(added, { code: "keyring_locked" })
    assert.equal(vault.active().keys.size, 0)
  })
})

describe("keys in memory", () => {
  it("are said to be gone after the daemon that held them", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    await test.close()
    const expected = { code: "keystore_unavailable", message: /kept in memory and is gone/ }
    await assert.rejects(openVault(test.installation, passphrase), expected)
  })

  it("aren't made without a daemon to hold them", async (t) => {
    const made = await makeTestInstallation()
    t.after(() => made.remove())
    const { installation } = made
    const added = withVault({ installation, secret: passphrase }, (admin) =>
      admin.call("addKey", newKey()),
    )
    await assert.rejects(added, { code: "vault_unavailable", message: /countersign serve/ })
    const keys = await withAdmin(installation, (admin) => admin.call("listKeys", {}))
    assert.deepEqual(keys, [])
  })
})

describe("a call of the command line without a daemon", () => {
  it("is held to the same parameters as one over the socket", async (t) => {
    const made = await makeTestInstallation()
    t.after(() => made.remove())
    const call = withAdmin(made.installation, (admin) =>
      admin.call("addClient", { name: "../x", keys: ["mm"], rights: [], allowTypeB: false }),
    )
    await assert.rejects(call, { code: "usage" })
  })
})
