import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import * as secp256k1 from "@noble/secp256k1"

import { concatBytes, fromHex, toHex } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { addressOfPublicKey, type Address } from "../../venue/address.ts"
import type { Digest } from "../../venue/signing-hash.ts"
import type { Signature } from "./keyring.ts"

// ECDSA over secp256k1. A limit we accept: the arithmetic is JavaScript's BigInt, whose time depends
// on its values; whoever can measure single signatures to the nanosecond isn't held off here.

/** What a keyring needs of the curve, so that a test can stand in a faulty one. */
export type Curve = {
  readonly signDigest: (secret: Uint8Array, digest: Digest) => Signature
  readonly recoverAddress: (signature: Signature, digest: Digest) => Address | undefined
  readonly addressOfSecret: (secret: Uint8Array) => Address
}

secp256k1.hashes.sha256 = sha256
secp256k1.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

/**
 * Signs 32 bytes as they are. The nonce is RFC 6979's without extra entropy, so a repeat gives the same
 * bytes; s is in the lower half (EIP-2).
 */
export function signDigest(secret: Uint8Array, digest: Digest): Signature {
  assertSecretKey(secret)
  assert32Bytes(digest, "digest")
  const bytes = secp256k1.sign(digest, secret, {
    prehash: false,
    lowS: true,
    format: "recovered",
    extraEntropy: false,
  })
  return {
    r: toHex(bytes.subarray(1, 33)),
    s: toHex(bytes.subarray(33, 65)),
    v: vOf(bytes[0]),
  }
}

/** The address whose key made `signature` over `digest`; `undefined` when no key did, or s isn't low. */
export function recoverAddress(signature: Signature, digest: Digest): Address | undefined {
  assert32Bytes(digest, "digest")
  const r = parse32Bytes(signature.r)
  const s = parse32Bytes(signature.s)
  if (r === undefined || s === undefined) return undefined
  const bytes = concatBytes(Uint8Array.of(signature.v - 27), r, s)
  try {
    if (secp256k1.Signature.fromBytes(bytes, "recovered").hasHighS()) return undefined
    const options = { prehash: false, isCompressed: false }
    return addressOfPublicKey(secp256k1.recoverPublicKey(bytes, digest, options))
  } catch {
    return undefined // how the library says that r, s or v is out of range or no point fits
  }
}

/** The address that belongs to a private key. */
export function addressOfSecret(secret: Uint8Array): Address {
  assertSecretKey(secret)
  return addressOfPublicKey(secp256k1.getPublicKey(secret, false))
}

/** Whether `bytes` are a private key: 32 bytes, from 1 to n − 1 (SEC 1 §3.2.1). */
export function isSecretKey(bytes: Uint8Array): boolean {
  return bytes instanceof Uint8Array && secp256k1.utils.isValidSecretKey(bytes)
}

// A recovery id of 2 or 3 means that x of the nonce's point is at least n: one case in 2^128, which v can't say.
function vOf(recoveryId: number | undefined): 27 | 28 {
  if (recoveryId === 0) return 27
  if (recoveryId === 1) return 28
  throw new Fault("signature_check_failed", "This request's signature has no v; send it again.")
}

function parse32Bytes(hex: string): Uint8Array | undefined {
  const bytes = fromHex(hex)
  return bytes?.length === 32 ? bytes : undefined
}

function assertSecretKey(secret: Uint8Array): void {
  assert32Bytes(secret, "private key")
  if (!isSecretKey(secret)) throw new RangeError("expected a private key from 1 to n - 1")
}

/** Tells type and length of what came, never its contents. */
function assert32Bytes(bytes: unknown, label: string): void {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`expected 32 bytes as ${label}, got ${typeof bytes}`)
  }
  if (bytes.length !== 32) {
    throw new RangeError(`expected 32 bytes as ${label}, got Uint8Array of ${bytes.length}`)
  }
}
