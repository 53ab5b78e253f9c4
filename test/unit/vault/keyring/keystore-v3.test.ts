import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { encryptKeystoreJson, Wallet } from "ethers"

import { fromHex, toHex, utf8 } from "../../../../src/std/bytes.ts"
import { Fault, type FaultCode } from "../../../../src/std/fault.ts"
import { parseV3 } from "../../../../src/vault/keyring/keystore-v3-file.ts"
import { decryptPair, decryptV3, encryptV3 } from "../../../../src/vault/keyring/keystore-v3.ts"
import { nobleCurve } from "../../../../src/vault/keyring/curve.ts"
import { addressOfSecret, pairOf } from "../../../support/key-pair.ts"

const secret = fromHex("7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d")!
const password = utf8("testpassword")
const cheapLogN = 2

// Test vectors of the Web3 Secret Storage Definition, version 3, section "Test vectors"
// (ethereum.org/developers/docs/data-structures-and-encoding/web3-secret-storage). A later edition of the
// page has a scrypt vector with r = 8, whose derived key and mac don't follow from its own password.
const id = "3198bc9c-6672-5ab3-d995-4942343ae5b6"
const vectors = {
  pbkdf2: {
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
      ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
      kdf: "pbkdf2",
      kdfparams: {
        c: 262144,
        dklen: 32,
        prf: "hmac-sha256",
        salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
      },
      mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
    },
    id,
    version: 3,
  },
  scrypt: {
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
      ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
      kdf: "scrypt",
      kdfparams: {
        dklen: 32,
        n: 262144,
        p: 8,
        r: 1,
        salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
      },
      mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
    },
    id,
    version: 3,
  },
} as const

type Json = Record<string, unknown>

/** A cheap file as plain objects, to be bent. */
async function cheapFile(): Promise<Json & { crypto: Json }> {
  const address = addressOfSecret(secret)
  const json = await encryptV3({ secret, password, logN: cheapLogN, address })
  return JSON.parse(json) as Json & { crypto: Json }
}

async function refuses(json: string, code: FaultCode, message?: RegExp): Promise<void> {
  await assert.rejects(decryptV3(json, password), (error) => {
    assert.ok(error instanceof Fault)
    assert.equal(error.code, code)
    if (message !== undefined) assert.match(error.message, message)
    return true
  })
}

describe("decryptV3", () => {
  for (const [name, file] of Object.entries(vectors)) {
    it(`opens the definition's test vector for ${name}`, async () => {
      assert.deepEqual(await decryptV3(JSON.stringify(file), password), secret)
    })
  }

  it("opens what ethers writes, with its own names and fields", async () => {
    const wallet = Wallet.createRandom()
    const options = { scrypt: { N: 4, r: 8, p: 2 } }
    const { address, privateKey, mnemonic } = wallet
    const account = {
      address,
      privateKey,
      mnemonic: { entropy: mnemonic!.entropy, path: "m/44'/60'/0'/0/0", locale: "en" },
    }
    const json = await encryptKeystoreJson(account, "pass", options)
    assert.match(json, /"Crypto".*"x-ethers"/)
    assert.equal(toHex(await decryptV3(json, utf8("pass"))), privateKey)
  })

  it("opens a file that writes its hex in capitals or with 0x", async () => {
    const file = await cheapFile()
    file.crypto["mac"] = `0x${String(file.crypto["mac"]).toUpperCase()}`
    file["address"] = `0x${String(file["address"]).toUpperCase()}`
    assert.deepEqual(await decryptV3(JSON.stringify(file), password), secret)
  })

  it("opens a file without an address", async () => {
    const json = await encryptV3({ secret, password, logN: cheapLogN })
    assert.doesNotMatch(json, /address/)
    assert.deepEqual(await decryptV3(json, password), secret)
  })

  it("takes the password as bytes, whatever they are", async () => {
    const bytes = Uint8Array.of(0, 255, 10, 195, 0)
    const json = await encryptV3({ secret, password: bytes, logN: cheapLogN })
    assert.deepEqual(await decryptV3(json, bytes), secret)
  })

  for (const wrong of ["", "testpasswor", "testpassword ", "Testpassword"]) {
    it(`says that the password ${JSON.stringify(wrong)} is wrong`, async () => {
      const json = JSON.stringify(await cheapFile())
      await assert.rejects(decryptV3(json, utf8(wrong)), { code: "passphrase_wrong" })
    })
  }

  it("takes a changed ciphertext or mac for a wrong password", async () => {
    for (const field of ["ciphertext", "mac"]) {
      const file = await cheapFile()
      const hex = String(file.crypto[field])
      file.crypto[field] = (hex.startsWith("0") ? "1" : "0") + hex.slice(1)
      await refuses(JSON.stringify(file), "passphrase_wrong")
    }
  })
})

describe("decryptPair", () => {
  for (const [what, shown] of [
    ["its address", { address: addressOfSecret(secret) }],
    ["its public key too", pairOf(secret)],
    ["nothing", {}],
  ] as const) {
    it(`opens a file that names of its key ${what}`, async () => {
      const json = await encryptV3({ ...shown, secret, password, logN: cheapLogN })
      assert.deepEqual(await decryptPair(json, password, nobleCurve), pairOf(secret))
    })
  }

  it("notices a changed iv by the address, since the mac doesn't cover it", async () => {
    const file = await cheapFile()
    file.crypto["cipherparams"] = { iv: "00".repeat(16) }
    await refusesPair(file)
  })

  it("refuses a file that names another key's address", async () => {
    const file = await cheapFile()
    file["address"] = "2c7536e3605d9c16a7a3d7b1898e529396a65c23"
    await refusesPair(file)
  })

  it("refuses a file that names another public key, though the address is right", async () => {
    const file = await cheapFile()
    const { publicKey } = pairOf(new Uint8Array(32).fill(7))
    await refusesPair({ ...file, public_key: Buffer.from(publicKey).toString("hex") })
  })
})

function refusesPair(file: Json): Promise<void> {
  const pair = decryptPair(JSON.stringify(file), password, nobleCurve)
  return assert.rejects(pair, { code: "keystore_invalid", message: /address/ })
}

describe("a key file's form", () => {
  const outside = [
    { name: "no JSON", json: "not json" },
    { name: "an empty text", json: "" },
    { name: "null", json: "null" },
    { name: "an array", json: "[]" },
    { name: "a string", json: '"x"' },
    { name: "an empty object", json: "{}" },
    { name: "a presale wallet", json: '{"encseed":"00","ethaddr":"00"}' },
    { name: "more than 64 KiB", json: JSON.stringify({ ...vectors.pbkdf2, x: "x".repeat(65536) }) },
    {
      name: "crypto twice, in two cases",
      json: JSON.stringify({ ...vectors.pbkdf2, Crypto: vectors.pbkdf2.crypto }),
    },
    { name: "version 1", json: JSON.stringify({ ...vectors.pbkdf2, version: 1 }) },
    { name: "version 4", json: JSON.stringify({ ...vectors.pbkdf2, version: 4 }) },
    { name: "no version", json: JSON.stringify({ crypto: vectors.pbkdf2.crypto }) },
    { name: "an address of 19 bytes", json: JSON.stringify({ ...vectors.pbkdf2, address: "00" }) },
  ]
  for (const { name, json } of outside) {
    it(`refuses ${name}`, () => refuses(json, "keystore_invalid"))
  }

  const scrypt = vectors.scrypt.crypto
  const { kdfparams } = scrypt
  const pbkdf2 = vectors.pbkdf2.crypto
  const within = [
    { name: "another cipher", change: { cipher: "aes-128-cbc" } },
    { name: "another kdf", change: { kdf: "argon2id" } },
    { name: "an iv of 15 bytes", change: { cipherparams: { iv: "00".repeat(15) } } },
    { name: "an iv of 17 bytes", change: { cipherparams: { iv: "00".repeat(17) } } },
    { name: "no iv", change: { cipherparams: { iv: "" } } },
    { name: "no secret", change: { ciphertext: "" } },
    { name: "a secret of 33 bytes", change: { ciphertext: "00".repeat(33) } },
    { name: "a mac of 31 bytes", change: { mac: "00".repeat(31) } },
    { name: "odd hex", change: { mac: "0".repeat(63) } },
    { name: "hex with a g", change: { mac: "g".repeat(64) } },
    { name: "a number as mac", change: { mac: 7 } },
  ]
  for (const { name, change } of within) {
    it(`refuses ${name}`, () => refuses(withCrypto({ ...scrypt, ...change }), "keystore_invalid"))
  }

  const scryptCosts = [
    { name: "n above 2^20", change: { n: 2 ** 21, r: 1, p: 1 } },
    { name: "n that is no power of two", change: { n: 262143 } },
    { name: "n of 1", change: { n: 1 } },
    { name: "n of 0", change: { n: 0 } },
    { name: "a negative n", change: { n: -2 } },
    { name: "a fraction as n", change: { n: 4.5 } },
    { name: "n as text", change: { n: "4" } },
    { name: "more than 1 GiB", change: { n: 2 ** 20, r: 9, p: 1 } },
    { name: "more work than 2^23", change: { n: 2 ** 20, r: 8, p: 2 } },
    { name: "r of 0", change: { r: 0 } },
    { name: "r above 64", change: { n: 2, r: 65 } },
    { name: "p of 0", change: { p: 0 } },
    { name: "p above 64", change: { n: 2, p: 65 } },
    { name: "a dklen below 32", change: { dklen: 31 } },
    { name: "a dklen above 1024", change: { dklen: 1025 } },
    { name: "an empty salt", change: { salt: "" } },
    { name: "a salt of 65 bytes", change: { salt: "00".repeat(65) } },
  ]
  for (const { name, change } of scryptCosts) {
    it(`refuses scrypt with ${name}`, () => {
      const crypto = { ...scrypt, kdfparams: { ...kdfparams, ...change } }
      return refuses(withCrypto(crypto), "keystore_invalid", /kdfparams/)
    })
  }

  const named = [
    [
      { cipher: "aes-128-cbc" },
      /: crypto\.cipher is "aes-128-cbc", which geth wrote before version 3; let/,
    ],
    [{ cipher: "aes-256-ctr" }, /: crypto\.cipher is "aes-256-ctr"; it must be aes-128-ctr\.$/],
    [{ kdf: "argon2id" }, /: crypto\.kdf is "argon2id"; it must be scrypt or pbkdf2\.$/],
    [
      { mac: "00".repeat(31) },
      /: crypto\.mac is a text of 62 hex digits; it must be 64 hex digits\.$/,
    ],
    [{ mac: undefined }, /: crypto\.mac is missing; /],
    [{ mac: "not hex" }, /: crypto\.mac is a text of 7 characters; /],
    [{ mac: 7 }, /: crypto\.mac is 7; /],
    [
      { kdfparams: { ...kdfparams, n: 262143 } },
      /: crypto\.kdfparams\.n is 262143; it must be a power of two/,
    ],
    [{ kdfparams: { ...kdfparams, salt: null } }, /: crypto\.kdfparams\.salt is null; /],
    [
      { kdfparams: { ...kdfparams, n: 2 ** 20, r: 9 } },
      /: crypto\.kdfparams is .*n · r · p at most 8388608\.$/,
    ],
    [
      { cipherparams: { iv: "00".repeat(17) } },
      /: crypto\.cipherparams\.iv is a text of 34 hex digits; /,
    ],
    [
      { cipherparams: { iv: "00".repeat(15) } },
      /^crypto\.cipherparams\.iv has 15 bytes instead of 16, and the file has no address/,
    ],
  ] as const
  for (const [change, message] of named) {
    it(`names the member and what it was: ${JSON.stringify(change).slice(0, 50)}`, () =>
      refuses(withCrypto({ ...scrypt, ...change }), "keystore_invalid", message))
  }

  it("names a byte order mark, the version, the address, and no member at all", async () => {
    const file = vectors.pbkdf2
    await refuses(
      `\ufeff${JSON.stringify(file)}`,
      "keystore_invalid",
      /byte order mark; save it without/,
    )
    await refuses(
      JSON.stringify({ ...file, version: 1 }),
      "keystore_invalid",
      /: version is 1; it must be 3/,
    )
    await refuses(
      JSON.stringify({ ...file, address: "00" }),
      "keystore_invalid",
      /address is a text of 2 hex/,
    )
    await refuses('{"version":3}', "keystore_invalid", /: crypto is missing; it must be an object/)
    await refuses("7a28b5ba", "keystore_invalid", /it isn't a JSON object/)
  })

  it("tells nothing of a key or password that stands where it doesn't belong", async () => {
    const secrets = ["hunter2-hunter2", toHex(secret), toHex(secret).slice(2), 7e76]
    for (const value of secrets) {
      const told = String(value).slice(0, 6)
      for (const file of [
        { ...scrypt, mac: value },
        { ...scrypt, ciphertext: value, mac: 1 },
      ]) {
        const error = await decryptV3(withCrypto(file), password).catch((thrown: unknown) => thrown)
        assert.ok(error instanceof Fault)
        assert.equal(error.message.includes(told), false, error.message)
      }
    }
  })

  it("reads the largest costs that are allowed", () => {
    const largest = { ...kdfparams, n: 2 ** 20, r: 8, p: 1 }
    parseV3(withCrypto({ ...scrypt, kdfparams: largest }))
    const most = { ...pbkdf2.kdfparams, c: 10_000_000 }
    parseV3(withCrypto({ ...pbkdf2, kdfparams: most }))
  })

  // Within bounds, the wrong salt is noticed by the mac: it was derived, not refused.
  const allowed = [
    { name: "r and p of 64", change: { n: 2, r: 64, p: 64 } },
    { name: "n of 2", change: { n: 2 } },
    { name: "the largest n that RFC 7914 has for r = 1", change: { n: 2 ** 15, r: 1, p: 1 } },
    { name: "an n that RFC 7914 hasn't for r = 1", change: { n: 2 ** 16, r: 1, p: 1 } },
    { name: "a dklen of 64", change: { n: 2, dklen: 64 } },
    { name: "a salt of 64 bytes", change: { n: 2, salt: "00".repeat(64) } },
    { name: "a salt of 1 byte", change: { n: 2, salt: "00" } },
  ]
  for (const { name, change } of allowed) {
    it(`derives by scrypt with ${name}`, () => {
      const crypto = { ...scrypt, kdfparams: { ...kdfparams, ...change } }
      return refuses(withCrypto(crypto), "passphrase_wrong")
    })
  }

  const pbkdf2Costs = [
    { name: "more than ten million rounds", change: { c: 10_000_001 } },
    { name: "no round", change: { c: 0 } },
    { name: "another prf", change: { prf: "hmac-sha512" } },
    { name: "a dklen below 32", change: { dklen: 31 } },
  ]
  for (const { name, change } of pbkdf2Costs) {
    it(`refuses pbkdf2 with ${name}`, () => {
      const crypto = { ...pbkdf2, kdfparams: { ...pbkdf2.kdfparams, ...change } }
      return refuses(withCrypto(crypto), "keystore_invalid", /kdfparams/)
    })
  }

  it("derives by pbkdf2 with a single round", () => {
    const crypto = { ...pbkdf2, kdfparams: { ...pbkdf2.kdfparams, c: 1 } }
    return refuses(withCrypto(crypto), "passphrase_wrong")
  })
})

function withCrypto(crypto: object): string {
  return JSON.stringify({ crypto, version: 3 })
}

describe("encryptV3", () => {
  it("writes what ethers reads", async () => {
    const address = addressOfSecret(secret)
    const json = await encryptV3({ secret, password, logN: cheapLogN, address })
    const wallet = await Wallet.fromEncryptedJson(json, password)
    assert.deepEqual([wallet.privateKey, wallet.address], [toHex(secret), address])
  })

  it("writes the form that geth writes", async () => {
    const file = await cheapFile()
    assert.equal(file["address"], "008aeeda4d805471df9b2a5b0f38a0c3bcba786b")
    assert.equal(file["version"], 3)
    assert.match(String(file["id"]), /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const { kdf, kdfparams } = file.crypto as { kdf: string; kdfparams: Json }
    assert.equal(kdf, "scrypt")
    assert.deepEqual({ ...kdfparams, salt: "" }, { dklen: 32, n: 4, p: 1, r: 8, salt: "" })
  })

  it("never uses a salt or iv twice", async () => {
    const [one, other] = [await cheapFile(), await cheapFile()]
    assert.notDeepEqual(one.crypto["kdfparams"], other.crypto["kdfparams"])
    assert.notDeepEqual(one.crypto["cipherparams"], other.crypto["cipherparams"])
    assert.notEqual(one.crypto["ciphertext"], other.crypto["ciphertext"])
  })

  it("encrypts the bytes it was called with, though the caller overwrites them at once", async () => {
    for (const ownSecret of [Uint8Array.from(secret), Buffer.from(secret)]) {
      const ownPassword = Uint8Array.from(password)
      const pending = encryptV3({ secret: ownSecret, password: ownPassword, logN: cheapLogN })
      ownSecret.fill(0)
      ownPassword.fill(0)
      assert.deepEqual(await decryptV3(await pending, password), secret)
    }
  })

  it("leaves secret and password as they were", async () => {
    const own = { secret: Uint8Array.from(secret), password: Uint8Array.from(password) }
    await encryptV3({ ...own, logN: cheapLogN })
    assert.deepEqual(own, { secret, password })
  })

  for (const length of [0, 31, 33]) {
    it(`refuses a secret of ${length} bytes`, async () => {
      const input = { secret: new Uint8Array(length), password, logN: cheapLogN }
      await assert.rejects(encryptV3(input), RangeError)
    })
  }

  for (const logN of [0, 21, 1.5, Number.NaN]) {
    it(`refuses ${logN} as logN`, async () => {
      await assert.rejects(encryptV3({ secret, password, logN }), RangeError)
    })
  }
})
