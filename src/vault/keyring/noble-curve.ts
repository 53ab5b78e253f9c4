import * as secp256k1 from "@noble/secp256k1"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"

import { concatBytes } from "../../std/bytes.ts"
import { assert32Bytes, type Curve, isRecoverable } from "./curve.ts"

// The reference: keys are checked and their public keys worked out here, and it signs where nothing else runs.
// A limit we accept: the arithmetic is JavaScript's BigInt, whose time depends on its values; whoever can measure
// single signatures to the nanosecond isn't held off here.

secp256k1.hashes.sha256 = sha256
secp256k1.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

/** The curve in JavaScript, which runs wherever Node does. */
export const nobleCurve: Curve = Object.freeze({
  name: "noble",
  sign: (secret, digest) => {
    assertSecretKey(secret)
    assert32Bytes(digest, "digest")
    const bytes = secp256k1.sign(digest, secret, {
      prehash: false,
      lowS: true,
      format: "recovered",
      extraEntropy: false,
    })
    return { recovery: bytes[0] ?? 0, compact: bytes.subarray(1) }
  },
  recover: (signature, digest) => {
    assert32Bytes(digest, "digest")
    if (!isRecoverable(signature)) return undefined
    const bytes = concatBytes(Uint8Array.of(signature.recovery), signature.compact)
    try {
      const options = { prehash: false, isCompressed: false }
      return secp256k1.recoverPublicKey(bytes, digest, options)
    } catch {
      return undefined // how the library says that r, s or v is out of range or no point fits
    }
  },
} satisfies Curve)

/** The public key that belongs to a private key: `04 ‖ x ‖ y`. */
export function publicKeyOf(secret: Uint8Array): Uint8Array {
  assertSecretKey(secret)
  return secp256k1.getPublicKey(secret, false)
}

/** Whether `bytes` are a private key: 32 bytes, from 1 to n − 1 (SEC 1 §3.2.1). */
export function isSecretKey(bytes: Uint8Array): boolean {
  return bytes instanceof Uint8Array && secp256k1.utils.isValidSecretKey(bytes)
}

function assertSecretKey(secret: Uint8Array): void {
  assert32Bytes(secret, "private key")
  if (!isSecretKey(secret)) throw new RangeError("expected a private key from 1 to n - 1")
}
