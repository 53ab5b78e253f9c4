import {
  createCipheriv,
  pbkdf2,
  randomBytes,
  randomUUID,
  scrypt,
  timingSafeEqual,
} from "node:crypto"

import { scryptAsync } from "@noble/hashes/scrypt.js"

import { concatBytes, copySecret, newSecret, toHex, withSecret } from "../../std/bytes.ts"
import { keccak256 } from "../../std/keccak.ts"
import { Fault } from "../../std/fault.ts"
import { parseAddress, type Address } from "../../venue/address.ts"
import type { Curve } from "./curve.ts"
import { type KeyPair, provenPair } from "./keyring.ts"
import {
  parseV3,
  type Pbkdf2Params,
  type ScryptParams,
  type V3File,
  type V3Kdf,
} from "./keystore-v3-file.ts"

// Web3 Secret Storage Definition, version 3, for secrets of 32 bytes.

/**
 * Decrypts the 32 bytes in a v3 file, which doesn't prove whose they are. The caller overwrites them after use.
 *
 * @throws {Fault} `passphrase_wrong`, or `keystore_invalid` when the file isn't one that can be used.
 */
export async function decryptV3(json: string, password: Uint8Array): Promise<Uint8Array> {
  const file = parseV3(json)
  assertWholeIv(file)
  return openV3(file, password)
}

/** The mac doesn't cover the iv, so one that was filled up is right only where an address proves the key. */
function assertWholeIv({ iv }: V3File): void {
  if (iv.length === 16) return
  throw new Fault(
    "keystore_invalid",
    `crypto.cipherparams.iv has ${iv.length} bytes instead of 16, and the file has no address that would show whether the key is right; write it anew with its address.`,
  )
}

async function openV3(file: V3File, password: Uint8Array): Promise<Uint8Array> {
  const derivedKey = await deriveKey(file.kdf, password)
  return withSecret(derivedKey, () => {
    // Version 3: the password is checked before anything is decrypted.
    if (!timingSafeEqual(macOf(derivedKey, file.ciphertext), file.mac)) {
      throw new Fault("passphrase_wrong", "The passphrase is wrong; try again with the right one.")
    }
    const secret = aes128Ctr(derivedKey, leftPadded(file.iv, 16), file.ciphertext)
    return withSecret(secret, (cut) => leftPadded(cut, 32))
  })
}

/** A copy with the zeros that it began with. */
function leftPadded(bytes: Uint8Array, length: number): Uint8Array {
  const padded = newSecret(length)
  padded.set(bytes, length - bytes.length)
  return padded
}

/**
 * Decrypts the private key in a v3 file, and derives its public key by `curve`. The caller overwrites the secret. The
 * mac doesn't cover the iv, so a changed iv shows only because the key no longer fits the address in the clear.
 *
 * @throws {Fault} as {@link decryptV3}, and `keystore_invalid` when the key isn't the one that the file names.
 */
export async function decryptPair(
  json: string,
  password: Uint8Array,
  curve: Curve,
): Promise<KeyPair> {
  const file = parseV3(json)
  const { publicKey, address: hex } = file
  if (hex === undefined && publicKey === undefined) assertWholeIv(file)
  const address = hex === undefined ? undefined : parseAddress(`0x${hex}`)
  const pair = provenPair(await openV3(file, password), { publicKey, address }, curve)
  if (pair !== undefined) return pair
  throw new Fault(
    "keystore_invalid",
    "The key in this file isn't the one of the address it names; restore the file from a backup.",
  )
}

/**
 * Encrypts 32 bytes into the text of a v3 file (scrypt with r = 8, p = 1; AES-128 in counter mode). Both
 * secrets are copied before this returns, so that overwriting them early can't make a file of zeros.
 */
export async function encryptV3({
  secret,
  password,
  logN,
  address,
  publicKey,
}: {
  readonly secret: Uint8Array
  readonly password: Uint8Array
  /** scrypt's cost as a power of two: 18 takes about a second. */
  readonly logN: number
  /** Written into the file, in the clear, as geth does. */
  readonly address?: Address
  /** Written into the file too; geth ignores this field. */
  readonly publicKey?: Uint8Array
}): Promise<string> {
  if (secret.length !== 32)
    throw new RangeError(`expected 32 bytes as secret, got ${secret.length}`)
  if (!Number.isInteger(logN) || logN < 1 || logN > 20) {
    throw new RangeError("expected logN to be an integer from 1 to 20")
  }
  const costs = { dklen: 32, n: 2 ** logN, p: 1, r: 8 }
  const salt = randomBytes(32)
  const sealed = await withSecret(copySecret(secret), async (copy) => {
    const derivedKey = await deriveKey({ kdf: "scrypt", kdfparams: { ...costs, salt } }, password)
    return withSecret(derivedKey, () => seal(derivedKey, copy))
  })
  const { iv, ciphertext, mac } = sealed
  return JSON.stringify({
    ...(address === undefined ? {} : { address: bareHex(address).toLowerCase() }),
    ...(publicKey === undefined ? {} : { public_key: bareHex(toHex(publicKey)) }),
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: bareHex(toHex(iv)) },
      ciphertext: bareHex(toHex(ciphertext)),
      kdf: "scrypt",
      kdfparams: { ...costs, salt: bareHex(toHex(salt)) },
      mac: bareHex(toHex(mac)),
    },
    id: randomUUID(),
    version: 3,
  })
}

function seal(derivedKey: Uint8Array, secret: Uint8Array) {
  const iv = randomBytes(16)
  const ciphertext = aes128Ctr(derivedKey, iv, secret)
  return { iv, ciphertext, mac: macOf(derivedKey, ciphertext) }
}

/** The first 32 bytes of the derived key: the definition uses no more, whatever `dklen` says. */
function deriveKey({ kdf, kdfparams }: V3Kdf, password: Uint8Array): Promise<Uint8Array> {
  if (kdf === "pbkdf2") return pbkdf2Sha256(password, kdfparams)
  const { n, r, p, salt } = kdfparams
  // OpenSSL holds to RFC 7914 §6 (N < 2^(16·r)); the definition's own test vector has r = 1 and N = 2^18.
  return n < 2 ** (16 * r)
    ? scryptByOpenssl(password, kdfparams)
    : scryptAsync(password, salt, { N: n, r, p, dkLen: 32 })
}

function scryptByOpenssl(password: Uint8Array, params: ScryptParams): Promise<Uint8Array> {
  const { n, r, p, salt } = params
  // Exactly what it needs: 128·r bytes for each of the n steps, the p lanes and two blocks of work.
  const options = { N: n, r, p, maxmem: 128 * r * (n + p + 2) }
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

function pbkdf2Sha256(password: Uint8Array, params: Pbkdf2Params): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    pbkdf2(password, params.salt, params.c, 32, "sha256", (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

// Version 3: keccak256(second-leftmost 16 bytes of the derived key ‖ ciphertext).
function macOf(derivedKey: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return withSecret(concatBytes(derivedKey.subarray(16, 32), ciphertext), keccak256)
}

/** Longer than any secret, and of an unusual size. */
const zeros = new Uint8Array(512)

/**
 * Version 3: the key is the leftmost 16 bytes of the derived key. In counter mode both ways are one: a stream of bytes is
 * added to the input. The stream alone is OpenSSL's, and what follows of it is written over it: Node gives back the place where
 * a cipher's output was made as it is.
 */
function aes128Ctr(derivedKey: Uint8Array, iv: Uint8Array, input: Uint8Array): Uint8Array {
  const cipher = createCipheriv("aes-128-ctr", derivedKey.subarray(0, 16), iv)
  const output = newSecret(input.length)
  withSecret(cipher.update(zeros), (stream) => {
    for (const [index, byte] of input.entries()) output[index] = byte ^ (stream[index] ?? 0)
  })
  cipher.update(zeros)
  return output
}

function bareHex(hex: string): string {
  return hex.slice(2)
}
