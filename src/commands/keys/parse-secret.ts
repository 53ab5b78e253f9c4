import { isSecretKey } from "../../vault/keyring/curve.ts"
import { secretOfHexText } from "../../vault/keyring/keychain/hex-text.ts"

/**
 * Parses a private key as people paste it: 64 hex digits, with or without `0x`, ASCII white space around
 * it. `undefined` when it isn't one.
 *
 * Works on bytes throughout, so that no string of the key is ever made. The caller overwrites `bytes`.
 */
export function parseSecretHex(bytes: Uint8Array): Uint8Array | undefined {
  const digits = withoutPrefix(trimWhiteSpace(bytes))
  const secret = digits.length === 64 ? secretOfHexText(digits) : undefined
  if (secret === undefined || isSecretKey(secret)) return secret
  secret.fill(0)
  return undefined
}

/** A view without `0x` at the start. */
export function withoutPrefix(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0x30 && bytes[1] === 0x78 ? bytes.subarray(2) : bytes
}

/** A view without ASCII white space at both ends. */
export function trimWhiteSpace(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => !isSpace(byte))
  const end = bytes.findLastIndex((byte) => !isSpace(byte)) + 1
  return start === -1 ? bytes.subarray(0, 0) : bytes.subarray(start, end)
}

/** Whether `byte` is space, tab, line feed, vertical tab, form feed or carriage return. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
