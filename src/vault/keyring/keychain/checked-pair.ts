import { Fault } from "../../../std/fault.ts"
import type { Curve } from "../curve.ts"
import type { KeyPair } from "../keyring.ts"
import { provenPair } from "../proven-pair.ts"
import type { RegistryEntry } from "./key-registry.ts"

/** What the registry says about a key, and what its secret must match. */
export type Expected = {
  readonly name: string
  readonly entry: RegistryEntry
  readonly curve: Curve
}

/**
 * The pair of `secret`, if it is the key of the registry's entry. Takes ownership of `secret` and overwrites it if
 * it isn't.
 *
 * @throws {Fault} `keychain_mismatch` when it is another key or none.
 */
export function checkedPair(
  secret: Uint8Array | undefined,
  { name, entry, curve }: Expected,
): KeyPair {
  if (secret === undefined) {
    throw mismatch(`The keychain has no item for the key ${name}; restore it, or remove the key.`)
  }
  const pair = provenPair(secret, entry, curve)
  if (pair !== undefined) return pair
  throw mismatch(
    `The keychain holds something else than the key ${name} of ${entry.address}; restore its item, and find out who changed it.`,
  )
}

function mismatch(message: string): Fault {
  return new Fault("keychain_mismatch", message)
}
