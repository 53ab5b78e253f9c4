import { randomBytes } from "node:crypto"

import { toHex } from "../../std/bytes.ts"
import {
  typeBDigest,
  type Digest,
  parseStructType,
  type StructType,
} from "../../venue/signing-hash.ts"
import type { Curve } from "./curve.ts"
import { memoryStore } from "./memory-store.ts"
import { openKeyring } from "./open-keyring.ts"

/** A domain and a struct that no venue has, so that the signature is good for nothing. */
const domain = Object.freeze({ name: "Countersign key check", version: "1", chainId: 0n })
const keyCheck = structOf("KeyCheck(bytes32 random)")

/**
 * Throws unless `secret` signs a throw-away digest and its address is recovered from the signature, in a
 * keyring of its own, which is gone afterwards. `secret` stays the caller's to overwrite.
 *
 * @throws {Fault} `signature_check_failed`, or `key_invalid` when it isn't a private key.
 */
export async function assertSigns(secret: Uint8Array, curve?: Curve): Promise<void> {
  const keyring = await openKeyring(memoryStore(), curve)
  try {
    await keyring.add("tried", Uint8Array.from(secret))
    void keyring.sign("tried", throwAwayDigest())
  } finally {
    keyring.lock()
  }
}

function throwAwayDigest(): Digest {
  return typeBDigest(domain, keyCheck, new Map([["random", toHex(randomBytes(32))]]))
}

function structOf(text: string): StructType {
  const struct = parseStructType(text)
  if (!struct.ok) throw new Error(struct.error)
  return struct.value
}
