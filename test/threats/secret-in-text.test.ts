import assert from "node:assert/strict"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { inspect } from "node:util"

import { createKeystore } from "../../src/commands/init/create-installation.ts"
import { utf8 } from "../../src/std/bytes.ts"
import { keccak256 } from "../../src/std/keccak.ts"
import { type Keyring, type KeyStore, openKeyring } from "../../src/vault/keyring/keyring.ts"
import { openKeystore } from "../../src/vault/keyring/keystore-files.ts"
import { decryptV3, encryptV3 } from "../../src/vault/keyring/keystore-v3.ts"
import { memoryStore } from "../../src/vault/custody/open-key-store.ts"
import { readSecretFile } from "../../src/vault/custody/secret-file.ts"
import type { Digest } from "../../src/venue/signing-hash.ts"
import { openTestVault } from "../support/open-test-vault.ts"
import { signDigest } from "../support/sign-digest.ts"
import { addressOfSecret, pairOf } from "../support/key-pair.ts"
import { nobleCurve } from "../../src/vault/keyring/curve.ts"

// Whatever is logged, inspected, serialised or thrown must hold neither a key nor a passphrase, in any
// of the forms that bytes take in text.

const key = Uint8Array.from({ length: 32 }, (_, index) => 0x41 + index)
const passphrase = "canary-passphrase-canary"
const digest = keccak256(Uint8Array.of(1)) as Digest

function textsOf(bytes: Uint8Array): readonly string[] {
  const buffer = Buffer.from(bytes)
  const numbers = [...bytes]
  return [
    buffer.toString("hex"),
    buffer.toString("base64").replaceAll("=", ""),
    buffer.toString("base64url"),
    buffer.toString("latin1"),
    Buffer.from(bytes.toReversed()).toString("hex"),
    BigInt(`0x${buffer.toString("hex")}`).toString(),
    numbers.slice(0, 4).join(","),
    numbers.slice(0, 4).join(", "),
    buffer.toString("hex", 0, 6).replace(/..(?!$)/g, "$& "), // as a Buffer is inspected
  ]
}

const canaries = [...textsOf(key), ...textsOf(utf8(passphrase))].map((text) => text.toLowerCase())

function assertSilent(value: unknown): void {
  const texts = [
    inspected(value),
    String(value),
    serialised(value),
    inspected(valueOrError(() => structuredClone(value))),
  ]
  for (const text of texts) {
    const plain = text.toLowerCase().replace(/\s+/g, " ")
    const found = canaries.find((canary) => plain.includes(canary))
    assert.equal(found, undefined, "a secret is in the text")
  }
}

/** With everything that an inspector could reach, causes of errors and what isn't enumerable included. */
function inspected(value: unknown): string {
  const all = { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity }
  return inspect(value, { showHidden: true, getters: true, ...all })
}

function serialised(value: unknown): string {
  const seen = new Set<unknown>()
  return JSON.stringify({ value }, (_name, each: unknown) => {
    if (typeof each === "bigint") return each.toString()
    if (typeof each !== "object" || each === null) return each
    if (seen.has(each)) return "again"
    seen.add(each)
    if (each instanceof Map || each instanceof Set) return [...each] as unknown
    if (!(each instanceof Error)) return each
    const fields = Object.fromEntries(Object.entries(each))
    return { ...fields, message: each.message, stack: each.stack, cause: each.cause }
  })
}

/** Functions can't be cloned, and the refusal quotes what couldn't. */
function valueOrError(attempt: () => unknown): unknown {
  try {
    return attempt()
  } catch (error) {
    return error
  }
}

async function failureOf(attempt: () => unknown): Promise<unknown> {
  try {
    await attempt()
  } catch (error) {
    return error
  }
  return assert.fail("expected a failure")
}

describe("a secret in text", () => {
  let directory = ""
  let store: KeyStore
  let keyring: Keyring
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "countersign-canary-"))
    const keystore = { directory: join(directory, "keystore"), passphrase: utf8(passphrase) }
    await createKeystore({ ...keystore, logN: 2 })
    store = await openKeystore({ ...keystore, curve: nobleCurve })
    keyring = await openKeyring(store, nobleCurve)
    await keyring.add("key", pairOf(Uint8Array.from(key)))
  })
  after(() => rmSync(directory, { recursive: true }))

  it("would be found by this test", () => {
    for (const shown of [
      key,
      Buffer.from(key),
      { key },
      new Error(Buffer.from(key).toString("hex")),
    ]) {
      assert.throws(() => assertSilent(shown))
    }
    assert.throws(() => assertSilent({ passphrase }))
    const cause = new Error("the keystore", { cause: new Error(passphrase) })
    assert.throws(() => assertSilent(new Error("the start failed", { cause })))
    assert.throws(() => assertSilent(new Map([["key", { bytes: key }]])))
    assert.throws(() => assertSilent(Object.defineProperty({}, "hidden", { value: passphrase })))
  })

  it("isn't in a key store, a keyring or what they return", async () => {
    const memory = memoryStore()
    await memory.save("key", pairOf(key))
    for (const value of [store, keyring, memory, await openKeyring(memory, nobleCurve)])
      assertSilent(value)
    for (const method of [...Object.values(store), ...Object.values(keyring)]) assertSilent(method)
    assertSilent(keyring.sign("key", digest))
    assertSilent(keyring.addressOf("key"))
    assertSilent(await store.names())
  })

  it("isn't in a vault, nor in what its calls answer or fail with", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const view = await test.addKey({ name: "key", role: "wallet", secret: key })
    for (const value of [test.vault, test.vault.active(), test.admin, test.bots, view]) {
      assertSilent(value)
    }
    for (const again of ["key", "other"]) {
      const adding = () => test.addKey({ name: again, role: "agent", secret: key })
      assertSilent(await failureOf(adding))
    }
    await test.vault.close()
    assertSilent(await failureOf(() => test.addKey({ name: "late", role: "agent", secret: key })))
    assertSilent(test.vault)
  })

  it("isn't in a key file", async () => {
    assertSilent(await encryptV3({ secret: key, password: utf8(passphrase), logN: 2 }))
  })

  it("isn't in what a file of the wrong kind is answered with", async () => {
    const hex = Buffer.from(key).toString("hex")
    const files = [
      hex,
      `0x${hex}\n`,
      `"${hex}"`,
      `{"key":"${hex}"}`,
      `{"crypto":{"${hex}":"${hex}"}}`,
      `{"crypto":"${hex}","version":3}`,
      `{"version":"${hex}","crypto":{"kdf":"${hex}"}}`,
    ]
    for (const file of files) {
      assertSilent(await failureOf(() => decryptV3(file, utf8(passphrase))))
    }
  })

  it("isn't in what a key of the wrong kind is answered with", async () => {
    const wrongKeys = [
      key.subarray(1),
      Uint8Array.of(...key, 0),
      Buffer.from(key).toString("hex") as unknown as Uint8Array,
      [...key] as unknown as Uint8Array,
    ]
    for (const wrong of wrongKeys) {
      assertSilent(await failureOf(() => signDigest(wrong, digest)))
      assertSilent(await failureOf(() => addressOfSecret(wrong)))
      assertSilent(await failureOf(() => signDigest(key, wrong as Digest)))
    }
    const short = { secret: key.subarray(1), password: utf8(passphrase), logN: 2 }
    assertSilent(await failureOf(() => encryptV3(short)))
    assertSilent(
      await failureOf(() => keyring.add("other", pairOf(Uint8Array.from(key.subarray(1))))),
    )
    assertSilent(await failureOf(() => keyring.add("key", pairOf(Uint8Array.from(key)))))
    assertSilent(await failureOf(() => store.save("../x", pairOf(key))))
  })

  it("isn't in what a wrong or badly kept passphrase is answered with", async () => {
    const wrong = { directory: join(directory, "keystore"), passphrase: utf8(`${passphrase}!`) }
    assertSilent(await failureOf(() => openKeystore({ ...wrong, curve: nobleCurve })))
    const path = join(directory, "passphrase")
    writeFileSync(path, passphrase)
    chmodSync(path, 0o644)
    assertSilent(await failureOf(() => readSecretFile(path)))
    writeFileSync(path, passphrase.repeat(4096))
    chmodSync(path, 0o600)
    assertSilent(await failureOf(() => readSecretFile(path)))
  })

  it("isn't in what a locked keyring says", async () => {
    const locked = memoryStore()
    await locked.save("key", pairOf(key))
    const own = await openKeyring(locked, nobleCurve)
    own.lock()
    assertSilent(await failureOf(() => own.sign("key", digest)))
    assertSilent(await failureOf(() => own.add("other", pairOf(Uint8Array.from(key)))))
    assertSilent(own)
  })
})
