import { randomBytes } from "node:crypto"

import { fromHex, toHex } from "../../std/bytes.ts"
import { assert32Bytes } from "./assert-32-bytes.ts"
import type { Curve } from "./curve.ts"
import { isRecoverable } from "./is-recoverable.ts"

/** libsecp256k1 as the addon of the npm package secp256k1 5.0.2 gives it. Each call's 0 means that it went well. */
export type Addon = {
  contextRandomize(seed: Uint8Array): number
  ecdsaSign(into: SignedInto, digest: Uint8Array, secret: Uint8Array): number
  ecdsaRecover(
    intoPublicKey: Uint8Array,
    compact: Uint8Array,
    recovery: number,
    digest: Uint8Array,
  ): number
}

type SignedInto = { readonly signature: Uint8Array; recid: number }

/**
 * The curve in libsecp256k1, whose signing takes the same time and touches the same memory whatever the key is.
 * It blinds its arithmetic with random bytes besides; the signatures stay RFC 6979's.
 *
 * @throws {Error} when the addon can't be blinded.
 */
export function nativeCurve(addon: Addon): Curve {
  if (addon.contextRandomize(randomBytes(32)) !== 0) throw new Error("it can't be blinded")
  return Object.freeze({
    name: "libsecp256k1",
    sign: (secret, digest) => {
      assert32Bytes(secret, "private key")
      assert32Bytes(digest, "digest")
      const made: SignedInto = { signature: new Uint8Array(64), recid: 0 }
      if (addon.ecdsaSign(made, reduced(digest), secret) !== 0) {
        throw new RangeError("expected a private key from 1 to n - 1")
      }
      return { compact: made.signature, recovery: made.recid }
    },
    recover: (signature, digest) => {
      assert32Bytes(digest, "digest")
      // The library ends the process for a recovery id that is none.
      if (!isRecoverable(signature)) return undefined
      const publicKey = new Uint8Array(65)
      const { compact, recovery } = signature
      return addon.ecdsaRecover(publicKey, compact, recovery, digest) === 0 ? publicKey : undefined
    },
  } satisfies Curve)
}

/** n, as SEC 2 §2.4.1 has it. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const orderBytes = bytes32(order)

/**
 * RFC 6979 §3.2 makes the nonce of the digest modulo n, and the library of the digest as it is: one digest in 2^128
 * would be signed otherwise than by the reference.
 */
function reduced(digest: Uint8Array): Uint8Array {
  if (Buffer.compare(digest, orderBytes) < 0) return digest
  return bytes32(BigInt(toHex(digest)) - order)
}

function bytes32(value: bigint): Uint8Array {
  return fromHex(value.toString(16).padStart(64, "0")) ?? new Uint8Array(32)
}
