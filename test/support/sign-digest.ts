import { type Signature, signatureOf } from "../../src/vault/keyring/keyring.ts"
import { nobleCurve } from "../../src/vault/keyring/curve.ts"
import type { Digest } from "../../src/venue/signing-hash.ts"

/** What the reference signs, as the venue wants it. */
export function signDigest(secret: Uint8Array, digest: Digest): Signature {
  return signatureOf(nobleCurve.sign(secret, digest))
}
