import { fromHex } from "../../std/bytes.ts"
import { addressOfPublicKey, type Address } from "../../venue/address.ts"
import type { Digest } from "../../venue/signing-hash.ts"
import type { Signature } from "./keyring.ts"
import { nobleCurve } from "./noble-curve.ts"

/** The address whose key made `signature` over `digest`; `undefined` if no key could have, or s isn't low. */
export function recoverAddress(signature: Signature, digest: Digest): Address | undefined {
  const compact = parse64Bytes(signature)
  if (compact === undefined) return undefined
  const publicKey = nobleCurve.recover({ compact, recovery: signature.v - 27 }, digest)
  return publicKey && addressOfPublicKey(publicKey)
}

function parse64Bytes({ r, s }: Signature): Uint8Array | undefined {
  const words = [fromHex(r), fromHex(s)] as const
  if (words[0]?.length !== 32 || words[1]?.length !== 32) return undefined
  const bytes = new Uint8Array(64)
  bytes.set(words[0])
  bytes.set(words[1], 32)
  return bytes
}
