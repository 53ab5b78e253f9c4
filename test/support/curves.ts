import { fromHex } from "../../src/std/bytes.ts"
import { type Curve, loadNativeCurve, nobleCurve } from "../../src/vault/keyring/curve.ts"

const native = loadNativeCurve()

/** Both curves where libsecp256k1 can be had, else the reference alone. */
export const curves: readonly Curve[] = native.ok ? [nobleCurve, native.value] : [nobleCurve]

/** libsecp256k1, and why tests that need it are skipped where there is none. */
export const nativeCurve: Curve = native.ok ? native.value : nobleCurve
export const needsNative: { readonly skip?: string } = native.ok
  ? {}
  : { skip: `needs libsecp256k1: ${native.error}` }

/** How many points the curve has: n. */
export const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** A number as 32 bytes, the highest first. */
export function bytes32(value: bigint): Uint8Array {
  const bytes = fromHex(value.toString(16).padStart(64, "0"))
  if (bytes?.length !== 32) throw new RangeError("expected a number from 0 to 2^256 - 1")
  return bytes
}
