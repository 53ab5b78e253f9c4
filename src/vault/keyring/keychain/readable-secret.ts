import { Fault } from "../../../std/fault.ts"
import { secretOfHexText } from "./hex-text.ts"
import { withSecret } from "../with-secret.ts"

/**
 * The secret in an item's text. Takes ownership of `text` and overwrites it.
 *
 * @throws {Fault} `keychain_mismatch` when it is empty, or isn't hex, so another program stored it.
 */
export function readableSecret(account: string, text: Uint8Array): Uint8Array {
  if (text.length === 0) {
    // KWallet writes an item's name at once and its secret 5 s later: a power loss between leaves this.
    throw new Fault(
      "keychain_mismatch",
      `The keychain lost the secret of its item ${account}, and has an empty one; restore the key from a copy, or remove it.`,
    )
  }
  const secret = withSecret(text, secretOfHexText)
  if (secret !== undefined) return secret
  throw new Fault(
    "keychain_mismatch",
    `The keychain's item ${account} isn't one that countersign stored; remove or rename that item.`,
  )
}
