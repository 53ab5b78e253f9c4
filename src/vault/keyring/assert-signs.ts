import { randomBytes } from "node:crypto"

import { toHex } from "../../std/bytes.ts"
import { knownStruct, typeBDigest } from "../../venue/signing-hash.ts"
import type { Curve } from "./curve.ts"
import { type KeyPair, signChecked } from "./keyring.ts"

/** A domain and a struct that no venue has, so that the signature is useless to anyone. */
const domain = Object.freeze({ name: "Countersign key check", version: "1", chainId: 0n })
const keyCheck = knownStruct("KeyCheck(bytes32 random)")

/**
 * Signs a throw-away digest with the key, and throws unless recovery gives the key's public key. The caller still owns
 * the secret and overwrites it.
 *
 * @throws {Fault} `signature_check_failed`.
 */
export function assertSigns(pair: KeyPair, curve: Curve): void {
  const random = new Map([["random", toHex(randomBytes(32))]])
  void signChecked(pair, typeBDigest(domain, keyCheck, random), curve)
}
