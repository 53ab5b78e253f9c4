const hexPattern = /^[0-9a-fA-F]*$/

/** Writes `bytes` as lower-case hex with a `0x` prefix. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`
}

/** Reads hex with or without a `0x` prefix; `undefined` when `text` isn't whole bytes of hex. */
export function fromHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith("0x") ? text.slice(2) : text
  if (digits.length % 2 !== 0 || !hexPattern.test(digits)) return undefined
  const bytes = new Uint8Array(digits.length / 2)
  Buffer.from(bytes.buffer).write(digits, "hex")
  return bytes
}

/** Joins byte strings in order. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((total, part) => total + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

const encoder = new TextEncoder()

/** Encodes `text` as UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}
