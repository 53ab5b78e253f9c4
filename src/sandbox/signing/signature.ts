import { keccak_256 } from "@noble/hashes/sha3.js"
import { Point, recoverPublicKey } from "@noble/secp256k1"

import { concatBytes, fromHex, toHex } from "../../std/bytes.ts"
import { ok, type Result } from "../../std/result.ts"
import { reject, type Rejection } from "../state/error-codes.ts"

export type Signature = {
  readonly r: Uint8Array
  readonly s: Uint8Array
  readonly v: 27 | 28
}

// ECDSA has two good s for every message; the lower half alone is taken (EIP-2).
const highestLowS = Point.CURVE().n / 2n
const wordPattern = /^0x[0-9a-fA-F]{64}$/

/** Reads `{r, s, v}` as the interface's table has it. */
export function readSignature(value: unknown): Result<Signature, Rejection> {
  if (typeof value !== "object" || value === null) {
    return reject("invalid_signature", "The signature must be an object {r, s, v}.")
  }
  const { r, s, v } = value as Readonly<Record<string, unknown>> // any object can be read so
  const rBytes = readWord(r)
  const sBytes = readWord(s)
  if (rBytes === undefined || sBytes === undefined) {
    return reject("invalid_signature", "The signature's r and s must be 0x and 64 hex digits each.")
  }
  if (v !== 27 && v !== 28) {
    return reject("invalid_signature", "The signature's v must be the integer 27 or 28.")
  }
  if (BigInt(toHex(sBytes)) > highestLowS) {
    return reject("high_s", "The signature's s must be in the lower half of the curve's order.")
  }
  return ok({ r: rBytes, s: sBytes, v })
}

/** The address whose key made `signature` over `hash`, in lower case; `undefined` when no key can have. */
export function recoverAddress(hash: Uint8Array, { r, s, v }: Signature): string | undefined {
  const recovered = concatBytes(Uint8Array.of(v - 27), r, s)
  try {
    const publicKey = recoverPublicKey(recovered, hash, { prehash: false, isCompressed: false })
    // The last 20 bytes of the hash of the point, without its leading 0x04.
    return toHex(keccak_256(publicKey.subarray(1)).subarray(12))
  } catch {
    return undefined // r or s is no scalar, or r is no point's
  }
}

function readWord(value: unknown): Uint8Array | undefined {
  return typeof value === "string" && wordPattern.test(value) ? fromHex(value) : undefined
}
