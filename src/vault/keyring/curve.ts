import { fromHex } from "../../std/bytes.ts"
import type { Digest } from "../../venue/signing-hash.ts"

/** A signature as a curve makes it: `r ‖ s` in 64 bytes, and which of the points with this r was the nonce's, 0 to 3. */
export type CurveSignature = { readonly compact: Uint8Array; readonly recovery: number }

/** What a keyring needs of ECDSA over secp256k1, so that libraries can stand in for each other, and a faulty one in a test. */
export type Curve = {
  readonly name: "libsecp256k1" | "noble"
  /**
   * Signs 32 bytes as they are. The nonce is RFC 6979's without extra entropy, so a repeat gives the same
   * bytes; s is in the lower half (EIP-2).
   *
   * @throws {TypeError} or {RangeError} when either isn't 32 bytes, or `secret` no private key.
   */
  readonly sign: (secret: Uint8Array, digest: Digest) => CurveSignature
  /**
   * The public key, `04 ‖ x ‖ y`, whose signature over `digest` this is; `undefined` when it is no key's, or s
   * isn't low.
   *
   * @throws {TypeError} or {RangeError} when `digest` isn't 32 bytes.
   */
  readonly recover: (signature: CurveSignature, digest: Digest) => Uint8Array | undefined
}

/** Throws unless these are 32 bytes. Tells type and length of what came, never its contents. */
export function assert32Bytes(bytes: unknown, label: string): void {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`expected 32 bytes as ${label}, got ${typeof bytes}`)
  }
  if (bytes.length !== 32) {
    throw new RangeError(`expected 32 bytes as ${label}, got Uint8Array of ${bytes.length}`)
  }
}

/** Half of the curve's order, rounded down: the largest low s (EIP-2). */
const largestLowS =
  fromHex("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0") ?? new Uint8Array(32)

/** Whether a signature has the form of those that are made here: 64 bytes, a recovery id, a low s. */
export function isRecoverable({ compact, recovery }: CurveSignature): boolean {
  return compact.length === 64 && [0, 1, 2, 3].includes(recovery) && isLowS(compact)
}

function isLowS(compact: Uint8Array): boolean {
  return Buffer.compare(compact.subarray(32), largestLowS) <= 0
}
