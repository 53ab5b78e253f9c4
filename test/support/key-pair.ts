import { toHex } from "../../src/std/bytes.ts"
import { isSecretKey, nobleCurve } from "../../src/vault/keyring/curve.ts"
import type { KeyPair } from "../../src/vault/keyring/keyring.ts"
import { addressOfPublicKey, type Address } from "../../src/venue/address.ts"

/** A private key with its public one by the reference; beside what is no private key, zeros. */
export function pairOf(secret: Uint8Array): KeyPair {
  const publicKey = isSecretKey(secret) ? nobleCurve.publicKeyOf(secret) : new Uint8Array(65)
  return { secret, publicKey }
}

/** The address that belongs to a private key. */
export function addressOfSecret(secret: Uint8Array): Address {
  return addressOfPublicKey(nobleCurve.publicKeyOf(secret))
}

/** A key as the call `addKey` takes it; the call overwrites this copy. */
export function keyParams(secret: Uint8Array) {
  return { secret: Uint8Array.from(secret), publicKey: toHex(pairOf(secret).publicKey) }
}
