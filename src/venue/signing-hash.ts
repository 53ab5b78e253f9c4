import { concatBytes, toHex, utf8 } from "../std/bytes.ts"
import type { Brand } from "../std/brand.ts"
import { domainSeparator, hashStruct, type StructType, type StructValues } from "./eip712.ts"
import { keccak256 } from "../std/keccak.ts"
import type { Domain, Parties } from "./profile.ts"

/**
 * The 32 bytes that a key signs. Made in this file alone, from a request that was read and judged; no
 * caller can bring one.
 */
export type Digest = Brand<Uint8Array, "Digest">

/** What the daemon fills in. Milliseconds. */
export type Validity = { readonly nonce: number; readonly expiresAfterMs: number }

/**
 * `keccak256(tag ‖ canonical_json)` (Signing Type A, step 3).
 *
 * @throws {RangeError} when `tag` isn't a byte: cut to 8 bits it would be another operation's.
 */
export function actionHash(tag: number, canonicalJson: string): Uint8Array {
  if (!Number.isInteger(tag) || tag < 0 || tag > 255) {
    throw new RangeError("an action tag is a whole number from 0 to 255")
  }
  return keccak256(concatBytes(Uint8Array.of(tag), utf8(canonicalJson)))
}

/**
 * Signing Type A, steps 7 to 10. `struct` is the `Agent` layout that fits: with `targetAddress` or without.
 *
 * @throws {RangeError} when it is the other layout, or a value doesn't fit its type.
 */
export function typeADigest(input: {
  readonly domain: Domain
  readonly struct: StructType
  readonly parties: Parties
  readonly actionHash: Uint8Array
  readonly validity: Validity
}): Digest {
  const { parties, validity } = input
  const values = new Map<string, string | bigint>([
    ["signerAddress", parties.signer],
    ["actionHash", toHex(input.actionHash)],
    ["nonce", BigInt(validity.nonce)],
    ["expiresAfter", BigInt(validity.expiresAfterMs)],
  ])
  if (parties.target !== undefined) values.set("targetAddress", parties.target)
  return digest(input.domain, hashStruct(input.struct, values))
}

/**
 * Signing Type B: the operation's own struct under the domain of `signature_chain_id`.
 *
 * @throws {RangeError} when `values` aren't exactly the struct's.
 */
export function typeBDigest(domain: Domain, struct: StructType, values: StructValues): Digest {
  return digest(domain, hashStruct(struct, values))
}

// EIP-712: sign(keccak256("\x19\x01" ‖ domainSeparator ‖ hashStruct(message)))
function digest(domain: Domain, structHash: Uint8Array): Digest {
  return keccak256(
    concatBytes(Uint8Array.of(0x19, 0x01), domainSeparator(domain), structHash),
  ) as Digest
}
