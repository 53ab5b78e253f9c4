import type { Brand } from "../std/brand.ts"
import { toHex, utf8 } from "../std/bytes.ts"
import { keccak256 } from "../std/keccak.ts"

/** A 20-byte account address in EIP-55 form. The same account is always the same text, so `===` compares two. */
export type Address = Brand<string, "Address">

const addressPattern = /^0x[0-9a-fA-F]{40}$/

/**
 * Parses an address in lower case, upper case or EIP-55 form. Mixed case is a checksum: where it is wrong, the
 * address is refused (`undefined`).
 */
export function parseAddress(text: string): Address | undefined {
  if (!addressPattern.test(text)) return undefined
  const digits = text.slice(2)
  const checksummed = withChecksum(digits.toLowerCase())
  const isUniform = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return isUniform || text === checksummed ? checksummed : undefined
}

/** The address of a public key given as 65 uncompressed bytes (`04 ‖ x ‖ y`): the last 20 bytes of its hash. */
export function addressOfPublicKey(publicKey: Uint8Array): Address {
  if (publicKey.length !== 65) throw new RangeError(`expected 65 bytes, got ${publicKey.length}`)
  return withChecksum(toHex(keccak256(publicKey.subarray(1)).subarray(12)).slice(2))
}

/** EIP-55: a letter is a capital where the hash of the lower-case digits has a nibble of 8 or more. */
function withChecksum(lowerDigits: string): Address {
  const hash = keccak256(utf8(lowerDigits))
  let text = "0x"
  for (let index = 0; index < lowerDigits.length; index++) {
    const byte = hash[index >> 1] ?? 0
    const nibble = index % 2 === 0 ? byte >> 4 : byte & 0x0f
    const digit = lowerDigits.charAt(index)
    text += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return text as Address
}
