import { addressOfPublicKey, type Address } from "../../venue/address.ts"
import { isSecretKey, type Curve } from "./curve.ts"
import type { KeyPair } from "./keyring.ts"

/**
 * What is kept of a key in the clear, as the reference worked it out when the key was made. Of one that was stored
 * before public keys were kept there is the address alone, which is the public key's hash.
 */
export type KeptIdentity = {
  readonly publicKey?: Uint8Array | undefined
  readonly address?: Address | undefined
}

/**
 * The pair of `secret`, if `curve` derives from it what was kept; else `undefined`. Takes ownership of `secret` and
 * overwrites it then.
 */
export function provenPair(
  secret: Uint8Array,
  kept: KeptIdentity,
  curve: Curve,
): KeyPair | undefined {
  const publicKey = isSecretKey(secret) ? curve.publicKeyOf(secret) : undefined
  if (publicKey !== undefined && isKept(publicKey, kept)) return { secret, publicKey }
  secret.fill(0)
  return undefined
}

function isKept(derived: Uint8Array, { publicKey, address }: KeptIdentity): boolean {
  const isKey = publicKey === undefined || Buffer.compare(derived, publicKey) === 0
  return isKey && (address === undefined || addressOfPublicKey(derived) === address)
}
