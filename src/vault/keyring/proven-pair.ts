import { addressOfPublicKey, type Address } from "../../venue/address.ts"
import { isSecretKey, type Curve } from "./curve.ts"
import type { KeyPair } from "./keyring.ts"

/**
 * What is stored of a key in the clear; the reference curve computed it when the key was made. Older keys have no
 * public key here, only the address, which is its hash.
 */
type KeptIdentity = {
  readonly publicKey?: Uint8Array | undefined
  readonly address?: Address | undefined
}

/**
 * The pair of `secret`, if `curve` derives the stored identity from it. If not, `undefined`, and `secret` is
 * overwritten. Takes ownership of `secret`.
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
