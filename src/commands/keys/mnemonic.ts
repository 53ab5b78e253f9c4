import { HDKey } from "@scure/bip32"
import { mnemonicToEntropy, mnemonicToSeed } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"

import { decodeUtf8 } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import type { DerivationPath } from "./derivation-path.ts"

// A limit we accept: words are looked up as strings, and the libraries keep chain codes and copies of their
// own, none of which can be overwritten. So this runs in the short-lived process of the command line alone.

/** A BIP-39 mnemonic as it was typed, with what protects it besides, both in UTF-8. */
export type MnemonicInput = {
  readonly mnemonic: Uint8Array
  /** BIP-39's optional passphrase; empty where there is none. */
  readonly passphrase: Uint8Array
  readonly path: DerivationPath
}

const wordCounts: readonly number[] = [12, 15, 18, 21, 24]
const englishWords: ReadonlySet<string> = new Set(wordlist)

/**
 * Derives the private key at a path of an English mnemonic (BIP-39, BIP-32). Capitals and any white space
 * between words are let pass. The caller overwrites the key, and the input too.
 *
 * @throws {Fault} `key_invalid`, saying what is wrong at which word and never which word it is.
 */
export async function secretOfMnemonic(input: MnemonicInput): Promise<Uint8Array> {
  const phrase = parsePhrase(textOf(input.mnemonic, "The mnemonic"))
  // BIP-39: the library salts with the passphrase in NFKD.
  const passphrase = textOf(input.passphrase, "The mnemonic's passphrase")
  const seed = await mnemonicToSeed(phrase, passphrase)
  return withSecret(seed, () => derive(seed, input.path))
}

/** The words in BIP-39's form: NFKD, one space between them, checksum verified. */
function parsePhrase(text: string): string {
  const words = text.normalize("NFKD").toLowerCase().split(/\s+/).filter(isFilled)
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

function isFilled(text: string): boolean {
  return text !== ""
}

function wordsText(count: number): string {
  return count === 1 ? "1 word" : `${count} words`
}

function invalid(message: string): Fault {
  return new Fault("key_invalid", message)
}
