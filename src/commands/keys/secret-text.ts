import { HDKey } from "@scure/bip32"
import { mnemonicToEntropy, mnemonicToSeed } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"

import { decodeUtf8, withSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { isSecretKey } from "../../vault/keyring/curve.ts"
import { secretOfHexText, digitValue } from "../../vault/keyring/keychain/hex-text.ts"

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
function withoutPrefix(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0x30 && bytes[1] === 0x78 ? bytes.subarray(2) : bytes
}

/** A view without ASCII white space at both ends. */
function trimWhiteSpace(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => !isSpace(byte))
  const end = bytes.findLastIndex((byte) => !isSpace(byte)) + 1
  return start === -1 ? bytes.subarray(0, 0) : bytes.subarray(start, end)
}

/** Whether `byte` is space, tab, line feed, vertical tab, form feed or carriage return. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}

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

// A limit we accept: words are looked up as strings, and the libraries keep chain codes and copies of their
// own, none of which can be overwritten. So this runs in the short-lived process of the command line alone.

const wordCounts: readonly number[] = [12, 15, 18, 21, 24]
const englishWords: ReadonlySet<string> = new Set(wordlist)

/**
 * Derives the private key at a path of an English mnemonic (BIP-39, BIP-32). Capitals and any white space
 * between words are let pass. The mnemonic, as it was typed, and the passphrase are UTF-8. The caller overwrites the key,
 * and the input too.
 *
 * @throws {Fault} `key_invalid`, saying what is wrong at which word and never which word it is.
 */
export async function secretOfMnemonic(input: {
  readonly mnemonic: Uint8Array
  /** BIP-39's optional passphrase; empty where there is none. */
  readonly passphrase: Uint8Array
  readonly path: DerivationPath
}): Promise<Uint8Array> {
  const phrase = parsePhrase(textOf(input.mnemonic, "The mnemonic"))
  // BIP-39: the library salts with the passphrase in NFKD.
  const passphrase = textOf(input.passphrase, "The mnemonic's passphrase")
  const seed = await mnemonicToSeed(phrase, passphrase)
  return withSecret(seed, () => derive(seed, input.path))
}

/** The words in BIP-39's form: NFKD, one space between them, checksum verified. */
function parsePhrase(text: string): string {
  const words = text
    .normalize("NFKD")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  if (!wordCounts.includes(words.length)) {
    throw invalid(`The mnemonic has ${wordsText(words.length)}; it takes 12, 15, 18, 21 or 24.`)
  }
  const unknownAt = words.findIndex((word) => !englishWords.has(word))
  if (unknownAt !== -1) {
    throw invalid(`Word ${unknownAt + 1} of the mnemonic isn't in the English list of BIP-39.`)
  }
  const phrase = words.join(" ")
  assertChecksum(phrase)
  return phrase
}

function assertChecksum(phrase: string): void {
  try {
    mnemonicToEntropy(phrase, wordlist).fill(0)
  } catch {
    // No cause: the library's messages may quote words.
    throw invalid("The mnemonic's checksum doesn't hold; a word is wrong or in the wrong place.")
  }
}

function derive(seed: Uint8Array, path: DerivationPath): Uint8Array {
  let key = HDKey.fromMasterSeed(seed)
  try {
    for (const index of path.indexes) {
      const parent = key
      key = parent.deriveChild(index)
      parent.wipePrivateData()
    }
    return secretOf(key)
  } finally {
    key.wipePrivateData()
  }
}

function secretOf(key: HDKey): Uint8Array {
  const secret = key.privateKey // a copy
  if (secret === null) throw new Error("a key that was derived from a seed has its private part")
  return secret
}

function textOf(bytes: Uint8Array, what: string): string {
  const text = decodeUtf8(bytes)
  if (text.ok) return text.value
  throw invalid(`${what} isn't UTF-8 text.`)
}

function wordsText(count: number): string {
  return count === 1 ? "1 word" : `${count} words`
}

export function invalid(message: string): Fault {
  return new Fault("key_invalid", message)
}

/** A BIP-32 path from the master key on, and what each of its levels is as a number. */
export type DerivationPath = { readonly text: string; readonly indexes: readonly number[] }

/** BIP-44's first address of Ethereum (SLIP-44: 60), where wallets put their first account. */
export const defaultPathText = "m/44'/60'/0'/0/0"

/** BIP-44 has five levels; this leaves room and bounds the work. */
const maxLevels = 10

/** BIP-32: child numbers from 2^31 on are the hardened ones. */
const hardenedOffset = 2 ** 31

/**
 * Parses a path as BIP-32 writes it: `m`, then `/` and a number for each level, with `'` where it is
 * hardened. The error is a phrase that names the level and quotes nothing, since a secret may have been
 * pasted there.
 */
export function parseDerivationPath(text: string): Result<DerivationPath, string> {
  const [root, ...levels] = text.split("/")
  if (root !== "m" || levels.length === 0) return err("must start with m/")
  if (levels.length > maxLevels) {
    return err(`has ${levels.length} levels; ${maxLevels} are the most`)
  }
  const indexes: number[] = []
  for (const [position, level] of levels.entries()) {
    const index = parseLevel(level)
    if (!index.ok) return err(`${index.error} at level ${position + 1}`)
    indexes.push(index.value)
  }
  return ok({ text, indexes })
}

function parseLevel(level: string): Result<number, string> {
  const [, digits, mark] = /^(\d+)('?)$/.exec(level) ?? []
  if (digits === undefined) return err(mistakeIn(level))
  const number = Number(digits)
  if (number >= hardenedOffset) return err(`has a number over ${hardenedOffset - 1}`)
  if (String(number) !== digits) return err("has a number with a zero in front")
  return ok(mark === "'" ? number + hardenedOffset : number)
}

function mistakeIn(level: string): string {
  if (level === "") return "has nothing"
  if (/^\d+[hH]$/.test(level)) return "must mark a hardened number with ', not with h,"
  return "must have a number, with or without ' behind it,"
}
