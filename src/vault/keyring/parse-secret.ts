import { isSecretKey } from "./noble-curve.ts"

/**
 * Reads a private key as people paste it: 64 hex digits, with or without `0x`, ASCII white space around
 * it. `undefined` when it isn't one.
 *
 * Works on bytes throughout, so that no string of the key is ever made. The caller overwrites `bytes`.
 */
export function parseSecretHex(bytes: Uint8Array): Uint8Array | undefined {
  const digits = withoutPrefix(trimWhiteSpace(bytes))
  const secret = new Uint8Array(32)
  if (digits.length === 64 && decodeHex(digits, secret) && isSecretKey(secret)) return secret
  secret.fill(0)
  return undefined
}

/** Writes the bytes that `digits` stand for into `target`; `false` when one isn't a hex digit. */
function decodeHex(digits: Uint8Array, target: Uint8Array): boolean {
  for (let index = 0; index < target.length; index++) {
    const high = digitValue(digits[2 * index])
    const low = digitValue(digits[2 * index + 1])
    if (high === undefined || low === undefined) return false
    target[index] = 16 * high + low
  }
  return true
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

/** What a hex digit stands for; `undefined` for any other byte. */
export function digitValue(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20 // ASCII letters differ from their capitals by this bit
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : undefined
}
