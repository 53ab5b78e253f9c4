import { Fault } from "../../../std/fault.ts"
import type { Address } from "../../../venue/address.ts"
import { isSecretKey } from "../noble-curve.ts"
import { addressOfSecret } from "../recover.ts"

/**
 * `secret`, once it is sure that it is the key of `address`. Takes ownership, and overwrites it otherwise.
 *
 * @throws {Fault} `keychain_mismatch` when it is another key or none.
 */
export function checkedSecret(
  name: string,
  secret: Uint8Array | undefined,
  address: Address,
): Uint8Array {
  if (secret === undefined) {
    throw mismatch(`The keychain has no item for the key ${name}; restore it, or remove the key.`)
  }
  if (isSecretKey(secret) && addressOfSecret(secret) === address) return secret
  secret.fill(0)
  throw mismatch(
    `The keychain holds something else than the key ${name} of ${address}; restore its item, and find out who changed it.`,
  )
}

function mismatch(message: string): Fault {
  return new Fault("keychain_mismatch", message)
}
