import { err, ok, type Result } from "./result.ts"

const options = { fatal: true, ignoreBOM: true } // a byte order mark stays, for the caller to judge
const decoder = new TextDecoder("utf-8", options)

/** Decodes UTF-8 without mending anything; the error is the offset of the byte where it stops being UTF-8. */
export function decodeUtf8(bytes: Uint8Array): Result<string, number> {
  try {
    return ok(decoder.decode(bytes))
  } catch {
    return err(firstInvalidByte(bytes)) // the decoder throws for no other reason
  }
}

/** The decoder doesn't tell the place, so the longest beginning that is UTF-8 is searched by halves. */
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

/** Whether it is UTF-8 already or more bytes could make it so. */
function canBecomeUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", options).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}
