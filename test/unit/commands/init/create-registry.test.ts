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

import { createRegistry } from "../../../../src/commands/init/create-installation.ts"
import { openKeychainStore } from "../../../../src/vault/keyring/keychain/keychain-store.ts"
import { fakeKeychain } from "../../../support/fake-keychain.ts"
import { pairOf } from "../../../support/key-pair.ts"
import { nobleCurve } from "../../../../src/vault/keyring/curve.ts"

const secret = new Uint8Array(32).fill(0x5a)

let root = ""
let directory = ""

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "countersign-keychain-"))
  directory = join(root, "keychain")
})
afterEach(() => rmSync(root, { recursive: true }))

const open = () =>
  openKeychainStore({ directory, driver: "native", lend: fakeKeychain().lend, curve: nobleCurve })
const serviceOf = (at: string) => readFileSync(join(at, "service-name"), "utf8")

describe("createRegistry", () => {
  it("makes a private directory with a service name of its own", async () => {
    await createRegistry(directory)
    await createRegistry(join(root, "second"))
    assert.equal(statSync(directory).mode & 0o777, 0o700)
    assert.deepEqual(readdirSync(directory), ["service-name"])
    assert.match(serviceOf(directory), /^countersign-[0-9a-f]{32}$/)
    assert.notEqual(serviceOf(directory), serviceOf(join(root, "second")))
    assert.deepEqual(await (await open()).names(), [])
  })

  it("refuses a second time and changes nothing", async () => {
    await createRegistry(directory)
    const before = serviceOf(directory)
    await assert.rejects(createRegistry(directory), { code: "already_initialised" })
    assert.equal(serviceOf(directory), before)
  })

  it("refuses a directory that holds keys of a lost service name", async () => {
    await createRegistry(directory)
    await (await open()).save("bot", pairOf(secret))
    rmSync(join(directory, "service-name"))
    await assert.rejects(createRegistry(directory), { code: "already_initialised" })
    assert.deepEqual(readdirSync(directory), ["bot.json"])
  })

  it("refuses a directory that others can enter", async () => {
    mkdirSync(directory)
    chmodSync(directory, 0o755)
    const expected = { code: "file_unsafe", message: /chmod 700/ }
    await assert.rejects(createRegistry(directory), expected)
    assert.deepEqual(readdirSync(directory), [])
  })

  it("refuses a path without a directory above it", async () => {
    const attempt = createRegistry(join(root, "a", "b"))
    await assert.rejects(attempt, { code: "keystore_unavailable" })
  })
})
