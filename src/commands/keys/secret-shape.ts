import { digitValue } from "../../vault/keyring/keychain/hex-text.ts"
import { isSpace, trimWhiteSpace, withoutPrefix } from "./parse-secret.ts"

/** What something that should be a private key looks like, with nothing of its contents. */
export type SecretShape =
  | { readonly kind: "empty" }
  | { readonly kind: "json" }
  | { readonly kind: "hex"; readonly digits: number; readonly isSpaced: boolean }
  | { readonly kind: "words"; readonly count: number }
  /** `at` counts characters from 1, white space in front left out. */
  | { readonly kind: "other"; readonly at: number }

/** Tells what was given in place of a private key, so that an error can say which option takes it. */
export function secretShape(bytes: Uint8Array): SecretShape {
  const text = trimWhiteSpace(bytes)
  if (text.length === 0) return { kind: "empty" }
  if (text[0] === openBrace) return { kind: "json" }
  const digits = withoutPrefix(text)
  const foreignAt = digits.findIndex((byte) => !isSpace(byte) && digitValue(byte) === undefined)
  if (foreignAt === -1) {
    const count = digits.reduce((sum, byte) => (isSpace(byte) ? sum : sum + 1), 0)
    return { kind: "hex", digits: count, isSpaced: digits.some(isSpace) }
  }
  const wordCount = countWords(text)
  if (wordCount > 1 && text.every((byte) => isSpace(byte) || isLetter(byte))) {
    return { kind: "words", count: wordCount }
  }
  return { kind: "other", at: text.length - digits.length + foreignAt + 1 }
}

/** `{` */
const openBrace = 0x7b

function countWords(text: Uint8Array): number {
  return text.reduce((count, byte, index) => {
    const isStart = !isSpace(byte) && (index === 0 || isSpace(text[index - 1] ?? 0))
    return isStart ? count + 1 : count
  }, 0)
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20 // ASCII letters differ from their capitals by this bit
  return lower >= 0x61 && lower <= 0x7a
}
