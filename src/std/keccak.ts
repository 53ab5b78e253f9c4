import { hash } from "node:crypto"

import { keccak_256 } from "@noble/hashes/sha3.js"

/** Keccak-256 as Ethereum uses it (the original padding, not FIPS 202's SHA3-256). Returns 32 bytes. */
export const keccak256: (bytes: Uint8Array) => Uint8Array = opensslKnows() ? byOpenssl : keccak_256

/** Five times as fast; Node 24's `hash` doesn't know it. */
function byOpenssl(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(32)
  // As text: a buffer of its own costs more than the hash of a few bytes.
  Buffer.from(digest.buffer).write(hash("keccak-256", bytes, "latin1"), "latin1")
  return digest
}

/** Checks a known hash: an OpenSSL where the name means another padding isn't used. */
function opensslKnows(): boolean {
  const bytes = new Uint8Array(1)
  try {
    return Buffer.compare(byOpenssl(bytes), keccak_256(bytes)) === 0
  } catch {
    return false
  }
}
