import assert from "node:assert/strict"
import { createCipheriv, createHash, randomBytes, scryptSync } from "node:crypto"
import { describe, it } from "node:test"

import { toHex, utf8 } from "../../../../src/std/bytes.ts"
import { keccak256 } from "../../../../src/std/keccak.ts"
import { decryptPair, decryptV3 } from "../../../../src/vault/keyring/keystore-v3.ts"
import { nobleCurve } from "../../../../src/vault/keyring/curve.ts"
import { addressOfSecret } from "../../../support/key-pair.ts"

// Forms of key files that real tools write or have written: members of their own in crypto, numbers without the zeros
// that they begin with. The writer below shares no code with what reads them. A test key, good for nothing.

const ordinary = new Uint8Array(
  createHash("sha256").update("a test key, good for nothing").digest(),
)
const leadingZeros = ordinary.with(0, 0).with(1, 0)
const zeroIv = randomBytes(16).fill(0, 0, 2)
const password = "correct-horse-1"

type Written = {
  readonly secret?: Uint8Array
  /** What of the secret is encrypted. */
  readonly stored?: Uint8Array
  readonly iv?: Uint8Array
  readonly writtenIv?: Uint8Array
  readonly password?: string
  /** Further members of crypto, of its kdfparams and cipherparams. */
  readonly more?: object
  readonly file?: object
}

function written(form: Written): string {
  const {
    secret = ordinary,
    stored = secret,
    iv = randomBytes(16),
    writtenIv = iv,
    more = {},
  } = form
  const salt = randomBytes(32)
  const derived = scryptSync(utf8(form.password ?? password), salt, 32, { N: 16, r: 8, p: 1 })
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(stored), cipher.final()])
  const mac = keccak256(Buffer.concat([derived.subarray(16), ciphertext]))
  const hex = (bytes: Uint8Array) => toHex(bytes).slice(2)
  return JSON.stringify({
    ...{ version: 3, id: "3198bc9c-6672-5ab3-d995-4942343ae5b6" },
    address: addressOfSecret(secret).slice(2).toLowerCase(),
    crypto: {
      ...more,
      cipher: "aes-128-ctr",
      cipherparams: { ...more, iv: hex(writtenIv) },
      ciphertext: hex(ciphertext),
      kdf: "scrypt",
      kdfparams: { ...more, dklen: 32, n: 16, r: 8, p: 1, salt: hex(salt) },
      mac: hex(mac),
    },
    ...form.file,
  })
}

async function opens(form: Written): Promise<void> {
  const { secret } = await decryptPair(written(form), utf8(form.password ?? password), nobleCurve)
  assert.deepEqual(secret, form.secret ?? ordinary)
}

const noAddress = { file: { address: undefined } }

describe("key files as real tools write them", () => {
  const forms: readonly (readonly [string, Written])[] = [
    ["as most write them", {}],
    ["with more members in crypto", { more: { version: 1, c: 262_144 } }],
    [
      "of a secret without its leading zeros",
      { secret: leadingZeros, stored: leadingZeros.subarray(2) },
    ],
    [
      "of such a secret without an address, since the mac covers it",
      { secret: leadingZeros, stored: leadingZeros.subarray(2), ...noAddress },
    ],
    ["with an iv without its leading zero", { iv: zeroIv, writtenIv: zeroIv.subarray(1) }],
    ["with an iv without its leading zeros", { iv: zeroIv, writtenIv: zeroIv.subarray(2) }],
    ["under an empty password", { password: "" }],
  ]
  for (const [how, form] of forms) it(`open ${how}`, () => opens(form))

  it("with a short iv don't open without an address, nor as another's, nor as the secret alone", async () => {
    const short = { iv: zeroIv, writtenIv: zeroIv.subarray(1) }
    const unproven = { code: "keystore_invalid", message: /iv has 15 bytes instead of 16/ }
    const secret = utf8(password)
    await assert.rejects(
      decryptPair(written({ ...short, ...noAddress }), secret, nobleCurve),
      unproven,
    )
    await assert.rejects(decryptV3(written(short), secret), unproven)
    const other = { file: { address: addressOfSecret(leadingZeros).slice(2) } }
    const wrong = { code: "keystore_invalid", message: /isn't the one of the address/ }
    await assert.rejects(decryptPair(written({ ...short, ...other }), secret, nobleCurve), wrong)
    // A byte was cut that wasn't zero: filled up, it is another key.
    const cut = { iv: zeroIv.fill(7), writtenIv: zeroIv.subarray(1) }
    await assert.rejects(decryptPair(written(cut), secret, nobleCurve), wrong)
  })
})
