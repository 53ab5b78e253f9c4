import { toHex, fromHex } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { addressOfPublicKey, type Address } from "../../venue/address.ts"
import type { Digest } from "../../venue/signing-hash.ts"
import type { CurveSignature } from "./curve.ts"
import type { Signature } from "./keyring.ts"
import { nobleCurve, publicKeyOf } from "./noble-curve.ts"

/** A signature as the venue wants it. @throws {Fault} `signature_check_failed` when it has no v. */
export function signatureOf({ compact, recovery }: CurveSignature): Signature {
  const v = vOf(recovery)
  return { r: toHex(compact.subarray(0, 32)), s: toHex(compact.subarray(32, 64)), v }
}

/** The address whose key made `signature` over `digest`; `undefined` when no key did, or s isn't low. */
export function recoverAddress(signature: Signature, digest: Digest): Address | undefined {
  const compact = parse64Bytes(signature)
  if (compact === undefined) return undefined
  const publicKey = nobleCurve.recover({ compact, recovery: signature.v - 27 }, digest)
  return publicKey && addressOfPublicKey(publicKey)
}

/** The address that belongs to a private key. */
export function addressOfSecret(secret: Uint8Array): Address {
  return addressOfPublicKey(publicKeyOf(secret))
}

// A recovery id of 2 or 3 means that x of the nonce's point is at least n: one case in 2^128, which v can't say.
function vOf(recovery: number): 27 | 28 {
  if (recovery === 0) return 27
  if (recovery === 1) return 28
  throw new Fault("signature_check_failed", "This request's signature has no v; send it again.")
}

function parse64Bytes({ r, s }: Signature): Uint8Array | undefined {
  const words = [fromHex(r), fromHex(s)] as const
  if (words[0]?.length !== 32 || words[1]?.length !== 32) return undefined
  const bytes = new Uint8Array(64)
  bytes.set(words[0])
  bytes.set(words[1], 32)
  return bytes
}
