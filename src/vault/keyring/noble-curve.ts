import * as secp256k1 from "@noble/secp256k1"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"

import { concatBytes } from "../../std/bytes.ts"
import { assert32Bytes, assertSecretKey, type Curve, isRecoverable } from "./curve.ts"

// The reference. The command that makes or imports a key computes the public key with it, and it signs where libsecp256k1
// doesn't load. Two limits we accept: its BigInt arithmetic isn't constant-time, so it doesn't stop an attacker who can
// time single signatures to the nanosecond; and the BigInts and hex that it makes from a private key stay in memory
// until V8 reuses the space.

secp256k1.hashes.sha256 = sha256
secp256k1.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

/** The curve in JavaScript, which runs wherever Node does. */
export const nobleCurve: Curve = Object.freeze({
  name: "noble",
  publicKeyOf: (secret) => {
    assertSecretKey(secret)
    return secp256k1.getPublicKey(secret, false)
  },
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
