import { Fault } from "../../../std/fault.ts"
import { secretOfHexText } from "./hex-text.ts"
import { withSecret } from "../with-secret.ts"

/**
 * The secret in an item's text. Takes ownership of `text` and overwrites it.
 *
 * @throws {Fault} `keychain_mismatch` when it isn't hex, so another program stored it.
 */
export function readableSecret(account: string, text: Uint8Array): Uint8Array {
  const secret = withSecret(text, secretOfHexText)
  if (secret !== undefined) return secret
  throw new Fault(
    "keychain_mismatch",
    `The keychain's item ${account} isn't one that countersign stored; remove or rename that item.`,
  )
}
