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

import { SigningKey, Wallet } from "ethers"

import { createKeystore } from "../../../../src/commands/init/create-installation.ts"
import { utf8 } from "../../../../src/std/bytes.ts"
import { decryptV3 } from "../../../../src/vault/keyring/keystore-v3.ts"
import { openKeystore } from "../../../../src/vault/keyring/keystore-files.ts"
import { pairOf } from "../../../support/key-pair.ts"
import { nobleCurve } from "../../../../src/vault/keyring/curve.ts"

const passphrase = utf8("correct horse battery staple")
const secret = new Uint8Array(32).fill(0x5a)
const other = new Uint8Array(32).fill(0xa5)
const logN = 2

let root = ""
let directory = ""

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "countersign-keystore-"))
  directory = join(root, "keystore")
})
afterEach(() => rmSync(root, { recursive: true }))

async function openNew() {
  await createKeystore({ directory, passphrase, logN })
  return openKeystore({ directory, passphrase, curve: nobleCurve })
}

describe("openKeystore", () => {
  it("says that the passphrase is wrong, even where no key is", async () => {
    await createKeystore({ directory, passphrase, logN })
    for (const wrong of ["", "correct horse battery staple\n", "x"]) {
      const attempt = openKeystore({ directory, passphrase: utf8(wrong), curve: nobleCurve })
      await assert.rejects(attempt, { code: "passphrase_wrong" })
    }
  })

  it("asks for init where no directory or no master.json is", async () => {
    await assert.rejects(openKeystore({ directory, passphrase, curve: nobleCurve }), {
      code: "not_initialised",
    })
    mkdirSync(directory, { mode: 0o700 })
    await assert.rejects(openKeystore({ directory, passphrase, curve: nobleCurve }), {
      code: "not_initialised",
    })
  })

  it("names the file when master.json isn't a key file", async () => {
    await createKeystore({ directory, passphrase, logN })
    writeFileSync(join(directory, "master.json"), "{}")
    const attempt = openKeystore({ directory, passphrase, curve: nobleCurve })
    await assert.rejects(attempt, { code: "keystore_invalid", message: /master\.json/ })
  })

  for (const mode of [0o755, 0o750, 0o701, 0o770]) {
    it(`refuses a directory of mode ${mode.toString(8)}`, async () => {
      await createKeystore({ directory, passphrase, logN })
      chmodSync(directory, mode)
      const attempt = openKeystore({ directory, passphrase, curve: nobleCurve })
      const message = `${directory} is open to other users; run: chmod 700 ${directory}`
      await assert.rejects(attempt, { code: "file_unsafe", message })
    })
  }

  it("refuses a symlink to the directory", async () => {
    await createKeystore({ directory, passphrase, logN })
    const link = join(root, "link")
    symlinkSync(directory, link)
    const attempt = openKeystore({ directory: link, passphrase, curve: nobleCurve })
    await assert.rejects(attempt, { code: "file_unsafe", message: /symlink/ })
  })

  it("refuses a master.json that others can read", async () => {
    await createKeystore({ directory, passphrase, logN })
    chmodSync(join(directory, "master.json"), 0o644)
    const attempt = openKeystore({ directory, passphrase, curve: nobleCurve })
    await assert.rejects(attempt, { code: "file_unsafe", message: /chmod 600/ })
  })
})

describe("a keystore", () => {
  it("gives back after a restart what was saved", async () => {
    const store = await openNew()
    await store.save("mm-agent", pairOf(secret))
    await store.save("0.wallet_2", pairOf(other))
    const again = await openKeystore({ directory, passphrase, curve: nobleCurve })
    assert.deepEqual(await again.names(), ["0.wallet_2", "mm-agent"])
    assert.deepEqual((await again.load("mm-agent")).secret, secret)
    assert.deepEqual((await again.load("0.wallet_2")).secret, other)
  })

  it("takes a Buffer, and leaves it as it was", async () => {
    const store = await openNew()
    const buffer = Buffer.from(secret)
    await store.save("bot", pairOf(buffer))
    assert.deepEqual(Uint8Array.from(buffer), secret)
    assert.deepEqual((await store.load("bot")).secret, secret)
  })

  it("gives out a key of which an older version kept the address alone", async () => {
    await (await openNew()).save("bot", pairOf(secret))
    const path = join(directory, "bot.json")
    const file = JSON.parse(readFileSync(path, "utf8")) as object
    writeFileSync(path, JSON.stringify({ ...file, public_key: undefined }))
    const again = await openKeystore({ directory, passphrase, curve: nobleCurve })
    assert.deepEqual(await again.load("bot"), pairOf(secret))
  })

  it("refuses a key whose public one isn't the one that was kept", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    const path = join(directory, "bot.json")
    const file = JSON.parse(readFileSync(path, "utf8")) as object
    const publicKey = Buffer.from(pairOf(other).publicKey).toString("hex")
    writeFileSync(path, JSON.stringify({ ...file, public_key: publicKey }))
    await assert.rejects(store.load("bot"), { code: "keystore_invalid", message: /bot\.json/ })
  })

  it("writes private v3 files that name their address and public key", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    const path = join(directory, "bot.json")
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const json = readFileSync(path, "utf8")
    const master = await decryptV3(readFileSync(join(directory, "master.json"), "utf8"), passphrase)
    const wallet = await Wallet.fromEncryptedJson(json, master)
    assert.equal(wallet.privateKey, `0x${"5a".repeat(32)}`)
    assert.match(json, new RegExp(`"address":"${wallet.address.slice(2).toLowerCase()}"`))
    const publicKey = SigningKey.computePublicKey(wallet.privateKey).slice(2)
    assert.match(json, new RegExp(`"public_key":"${publicKey}"`))
    assert.match(json, /"n":1024,"p":1,"r":8/)
  })

  it("never overwrites a key", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    await assert.rejects(store.save("bot", pairOf(other)), { code: "name_taken" })
    assert.deepEqual((await store.load("bot")).secret, secret)
  })

  it("keeps the name of its own file for itself", async () => {
    const store = await openNew()
    await assert.rejects(store.save("master", pairOf(secret)), { code: "name_taken" })
    await assert.rejects(store.load("master"), { code: "key_not_found" })
  })

  const badNames = ["", ".", "..", "../bot", "a/b", "Bot", ".new-x", "-a", "a b", "a\n", "ä"]
  for (const name of [...badNames, "x".repeat(65)]) {
    it(`refuses ${JSON.stringify(name)} as a name`, async () => {
      const store = await openNew()
      await assert.rejects(store.save(name, pairOf(secret)), { code: "usage" })
      await assert.rejects(store.load(name), { code: "key_not_found" })
      assert.deepEqual(readdirSync(root), ["keystore"])
      assert.deepEqual(readdirSync(directory), ["master.json"])
    })
  }

  it("takes a name of 64 characters", async () => {
    const store = await openNew()
    const name = "x".repeat(64)
    await store.save(name, pairOf(secret))
    assert.deepEqual(await store.names(), [name])
  })

  it("refuses bytes that aren't a private key", async () => {
    const store = await openNew()
    for (const bytes of [new Uint8Array(32), new Uint8Array(31).fill(1)]) {
      await assert.rejects(store.save("bot", pairOf(bytes)), { code: "key_invalid" })
    }
    assert.deepEqual(await store.names(), [])
  })

  it("lists keys alone: no half-written file, no stranger", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    writeFileSync(join(directory, ".new-0123456789abcdef"), '{"crypto":{"ciph')
    writeFileSync(join(directory, "README"), "")
    writeFileSync(join(directory, "UTC--2026.json"), "")
    assert.deepEqual(await store.names(), ["bot"])
  })

  it("refuses a key file that others can read, and a symlink to a key file", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    const path = join(directory, "bot.json")
    symlinkSync(path, join(directory, "link.json"))
    await assert.rejects(store.load("link"), { code: "file_unsafe", message: /symlink/ })
    chmodSync(path, 0o644)
    const message = `${path} is open to other users; run: chmod 600 ${path}`
    await assert.rejects(store.load("bot"), { code: "file_unsafe", message })
  })

  it("refuses a key file from another keystore", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    const elsewhere = join(root, "elsewhere")
    await createKeystore({ directory: elsewhere, passphrase, logN })
    copyFileSync(join(directory, "bot.json"), join(elsewhere, "bot.json"))
    const there = await openKeystore({ directory: elsewhere, passphrase, curve: nobleCurve })
    await assert.rejects(there.load("bot"), { code: "keystore_invalid", message: /one backup/ })
  })

  it("refuses a truncated key file by name", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    const path = join(directory, "bot.json")
    writeFileSync(path, readFileSync(path, "utf8").slice(0, 100))
    await assert.rejects(store.load("bot"), { code: "keystore_invalid", message: /bot\.json/ })
  })

  it("says so when the disk won't take a key, and leaves nothing behind", async () => {
    const store = await openNew()
    renameSync(directory, `${directory}-away`)
    await assert.rejects(store.save("bot", pairOf(secret)), { code: "keystore_unavailable" })
    assert.deepEqual(readdirSync(`${directory}-away`), ["master.json"])
  })

  it("neither loads nor saves once it is locked", async () => {
    const store = await openNew()
    await store.save("bot", pairOf(secret))
    store.lock()
    store.lock()
    await assert.rejects(store.load("bot"), { code: "keyring_locked" })
    await assert.rejects(store.save("new", pairOf(secret)), { code: "keyring_locked" })
    assert.deepEqual(await store.names(), ["bot"])
  })

  it("finishes a save that a lock overtakes under the right bytes", async () => {
    const store = await openNew()
    const saving = store.save("bot", pairOf(secret))
    store.lock()
    await saving
    const again = await openKeystore({ directory, passphrase, curve: nobleCurve })
    assert.deepEqual((await again.load("bot")).secret, secret)
  })
})
