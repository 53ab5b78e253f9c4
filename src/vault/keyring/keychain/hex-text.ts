import { Fault } from "../../../std/fault.ts"
import { withSecret } from "../../../std/bytes.ts"

// The keychain keeps text, so secrets are stored as lower-case hex. Both directions work on bytes: a secret becomes a
// string only where a library needs one.

const digits = new TextEncoder().encode("0123456789abcdef")

/** The bytes of the hex text of `secret`. The caller overwrites them. */
export function hexTextOf(secret: Uint8Array): Uint8Array {
  const text = new Uint8Array(2 * secret.length)
  for (const [index, byte] of secret.entries()) {
    text[2 * index] = digits[byte >> 4] ?? 0
    text[2 * index + 1] = digits[byte & 0x0f] ?? 0
  }
  return text
}

/** What hex text stands for; `undefined` when it isn't whole bytes of hex. The caller overwrites it. */
export function secretOfHexText(text: Uint8Array): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined
  const secret = new Uint8Array(text.length / 2)
  for (let index = 0; index < secret.length; index++) {
    const high = digitValue(text[2 * index])
    const low = digitValue(text[2 * index + 1])
    if (high === undefined || low === undefined) {
      secret.fill(0)
      return undefined
    }
    secret[index] = 16 * high + low
  }
  return secret
}

/** What a hex digit stands for; `undefined` for any other byte. */
export function digitValue(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20 // ASCII letters differ from their capitals by this bit
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : undefined
}

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
