import assert from "node:assert/strict"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import { createKeystore } from "../../../../src/commands/init/create-installation.ts"
import { utf8 } from "../../../../src/std/bytes.ts"
import { openKeystore } from "../../../../src/vault/keyring/keystore-files.ts"
import { decryptV3 } from "../../../../src/vault/keyring/keystore-v3.ts"
import { pairOf } from "../../../support/key-pair.ts"
import { nobleCurve } from "../../../../src/vault/keyring/curve.ts"

const passphrase = utf8("correct horse battery staple")
const secret = new Uint8Array(32).fill(0x5a)
const logN = 2

let root = ""
let directory = ""

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "countersign-keystore-"))
  directory = join(root, "keystore")
})
afterEach(() => rmSync(root, { recursive: true }))

describe("createKeystore", () => {
  it("makes a private directory with a private master.json that the passphrase opens", async () => {
    await createKeystore({ directory, passphrase })
    const path = join(directory, "master.json")
    assert.equal(statSync(directory).mode & 0o777, 0o700)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(directory), ["master.json"])
    assert.match(readFileSync(path, "utf8"), /"n":262144,"p":1,"r":8/)
    const store = await openKeystore({ directory, passphrase, curve: nobleCurve })
    assert.deepEqual(await store.names(), [])
  })

  it("leaves the passphrase as it was", async () => {
    const own = Uint8Array.from(passphrase)
    await createKeystore({ directory, passphrase: own, logN })
    await openKeystore({ directory, passphrase: own, curve: nobleCurve })
    assert.deepEqual(own, passphrase)
  })

  it("wraps other bytes each time", async () => {
    const master = async (name: string) => {
      const at = join(root, name)
      await createKeystore({ directory: at, passphrase, logN })
      return decryptV3(readFileSync(join(at, "master.json"), "utf8"), passphrase)
    }
    const [one, two] = [await master("one"), await master("two")]
    assert.equal(one.length, 32)
    assert.notDeepEqual(one, two)
  })

  it("refuses a second time and changes nothing", async () => {
    await createKeystore({ directory, passphrase, logN })
    const before = readFileSync(join(directory, "master.json"))
    const again = createKeystore({ directory, passphrase: utf8("another"), logN })
    await assert.rejects(again, { code: "already_initialised" })
    assert.deepEqual(readFileSync(join(directory, "master.json")), before)
  })

  it("refuses a directory that holds keys of a lost master.json", async () => {
    await createKeystore({ directory, passphrase, logN })
    const store = await openKeystore({ directory, passphrase, curve: nobleCurve })
    await store.save("bot", pairOf(secret))
    rmSync(join(directory, "master.json"))
    const again = createKeystore({ directory, passphrase, logN })
    await assert.rejects(again, { code: "already_initialised" })
    assert.deepEqual(readdirSync(directory), ["bot.json"])
  })

  it("refuses an empty passphrase", async () => {
    const attempt = createKeystore({ directory, passphrase: new Uint8Array(), logN })
    await assert.rejects(attempt, { code: "passphrase_missing" })
  })

  it("refuses a directory that others can enter", async () => {
    mkdirSync(directory)
    chmodSync(directory, 0o755)
    const attempt = createKeystore({ directory, passphrase, logN })
    await assert.rejects(attempt, { code: "file_unsafe", message: /chmod 700/ })
    assert.deepEqual(readdirSync(directory), [])
  })

  it("refuses a path without a directory above it", async () => {
    const attempt = createKeystore({ directory: join(root, "a", "b"), passphrase, logN })
    await assert.rejects(attempt, { code: "keystore_unavailable" })
  })
})
