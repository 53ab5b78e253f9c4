import { keccak_256 } from "@noble/hashes/sha3.js"

/** Keccak-256 as Ethereum uses it (the original padding, not FIPS 202's SHA3-256). Returns 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}
