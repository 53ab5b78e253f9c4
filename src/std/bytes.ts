import { err, ok, type Result } from "./result.ts"

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

/**
 * An array of zeros to put a secret in. V8 keeps ordinary arrays of up to 64 bytes in its heap, where the collector
 * moves them and leaves copies behind. This array never moves, so overwriting it removes the secret.
 */
export function newSecret(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length))
}

/** Copies a secret into a {@link newSecret}. The caller overwrites both. */
export function copySecret(secret: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = newSecret(secret.length)
  copy.set(secret)
  return copy
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

const options = { fatal: true, ignoreBOM: true } // a byte order mark stays, for the caller to judge
const decoder = new TextDecoder("utf-8", options)

/** Decodes UTF-8 without repairing it. The error is the offset of the first byte that isn't UTF-8. */
export function decodeUtf8(bytes: Uint8Array): Result<string, number> {
  try {
    return ok(decoder.decode(bytes))
  } catch {
    return err(firstInvalidByte(bytes)) // the decoder throws for no other reason
  }
}

/** The decoder doesn't say where, so a binary search finds the longest beginning that is UTF-8. */
function firstInvalidByte(bytes: Uint8Array): number {
  let sound = 0
  let broken = bytes.length + 1
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1
    if (canBecomeUtf8(bytes.subarray(0, middle))) sound = middle
    else broken = middle
  }
  return sound
}

/** Whether it is UTF-8, or could be with more bytes. */
function canBecomeUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", options).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/**
 * Lends `secret` to `use` and overwrites it afterwards, even if `use` fails. If `use` returns a promise, it
 * overwrites it once that is settled.
 *
 * Best effort: V8 may have copied the bytes. Secrets stay in a `Uint8Array`, never in a string, which
 * can't be overwritten at all.
 */
export function withSecret<Output>(
  secret: Uint8Array,
  use: (secret: Uint8Array) => Output,
): Output {
  let isPending = false
  try {
    const output = use(secret)
    if (!(output instanceof Promise)) return output
    isPending = true
    return output.finally(() => secret.fill(0)) as Output // `finally` passes the value on as it is
  } finally {
    if (!isPending) secret.fill(0)
  }
}
