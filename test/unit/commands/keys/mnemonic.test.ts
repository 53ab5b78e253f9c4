import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { inspect } from "node:util"

import fc from "fast-check"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import { HDNodeWallet, Mnemonic } from "ethers"
import { mnemonicToAccount } from "viem/accounts"

import {
  defaultPathText,
  parseDerivationPath,
  secretOfMnemonic,
} from "../../../../src/commands/keys/secret-text.ts"
import { toHex, utf8 } from "../../../../src/std/bytes.ts"
import { numRuns } from "../../../support/runs.ts"
import { addressOfSecret } from "../../../support/key-pair.ts"

/** Of the development nodes, and the first vector of BIP-39: both printed everywhere. */
const development = `${"test ".repeat(11)}junk`
const zeros = `${"abandon ".repeat(11)}about`

type Case = {
  readonly mnemonic: string | Uint8Array
  readonly passphrase?: string
  readonly path?: string
}

function secretOf({
  mnemonic,
  passphrase = "",
  path = defaultPathText,
}: Case): Promise<Uint8Array> {
  const parsed = parseDerivationPath(path)
  assert.ok(parsed.ok, path)
  const bytes = typeof mnemonic === "string" ? utf8(mnemonic) : mnemonic
  return secretOfMnemonic({ mnemonic: bytes, passphrase: utf8(passphrase), path: parsed.value })
}

async function hexOf(given: Case): Promise<string> {
  return toHex(await secretOf(given))
}

function byEthers({ mnemonic, passphrase = "", path = defaultPathText }: Case): string {
  assert.ok(typeof mnemonic === "string")
  return HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(mnemonic, passphrase), path).privateKey
}

describe("secretOfMnemonic", () => {
  for (const [mnemonic, path, address] of [
    [development, "m/44'/60'/0'/0/0", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"],
    [development, "m/44'/60'/0'/0/19", "0x8626f6940E2eb28930eFb4CeF49B2d1F2C9C1199"],
    [zeros, "m/44'/60'/0'/0/0", "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"],
  ] as const) {
    it(`derives the published address ${address} at ${path}`, async () => {
      assert.equal(addressOfSecret(await secretOf({ mnemonic, path })), address)
    })
  }

  for (const path of ["m/44'/60'/0'/0/0", "m/44'/60'/7'/1/2147483647", "m/44'/60'/0'"] as const) {
    it(`derives what viem does at ${path}`, async () => {
      for (const mnemonic of [development, zeros]) {
        const account = mnemonicToAccount(mnemonic, { path: path })
        const { privateKey } = account.getHdKey()
        assert.deepEqual(await secretOf({ mnemonic, path }), privateKey)
      }
    })
  }

  it("derives what ethers does, whatever entropy, passphrase and path", async () => {
    const entropy = fc
      .constantFrom(16, 20, 24, 28, 32)
      .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))
    const level = fc
      .tuple(fc.integer({ min: 0, max: 2 ** 31 - 1 }), fc.constantFrom("", "'"))
      .map(([index, mark]) => `${index}${mark}`)
    const path = fc
      .array(level, { minLength: 1, maxLength: 10 })
      .map((levels) => `m/${levels.join("/")}`)
    const passphrase = fc.string({ unit: "grapheme", maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(entropy, passphrase, path, async (bytes, word, where) => {
        const mnemonic = Mnemonic.fromEntropy(bytes).phrase
        const given = { mnemonic, passphrase: word, path: where }
        assert.equal(await hexOf(given), byEthers(given))
      }),
      numRuns(15),
    )
  })

  it("takes a passphrase in any normal form for the same", async () => {
    const composed = "Pässwort 한국 ﬁ"
    const expected = byEthers({ mnemonic: zeros, passphrase: composed })
    for (const form of ["NFC", "NFD", "NFKC", "NFKD"]) {
      assert.equal(await hexOf({ mnemonic: zeros, passphrase: composed.normalize(form) }), expected)
    }
    assert.notEqual(await hexOf({ mnemonic: zeros }), expected)
    assert.notEqual(await hexOf({ mnemonic: zeros, passphrase: `${composed} ` }), expected)
  })

  for (const [what, written] of [
    ["in capitals", zeros.toUpperCase()],
    ["over several lines", `\n ${zeros.replaceAll(" ", "\r\n")}\t\n`],
    ["with wide spaces", zeros.replaceAll(" ", "\u3000")],
    ["in wide letters", zeros.replaceAll("a", "ａ")],
    ["with a byte order mark", `\uFEFF${zeros}`],
  ] as const) {
    it(`reads words ${what}`, async () => {
      assert.equal(await hexOf({ mnemonic: written }), byEthers({ mnemonic: zeros }))
    })
  }

  const counts = "it takes 12, 15, 18, 21 or 24."
  for (const [what, mnemonic, message] of [
    ["nothing", "", `The mnemonic has 0 words; ${counts}`],
    ["one word", "zoo", `The mnemonic has 1 word; ${counts}`],
    ["11 words", "abandon ".repeat(11), `The mnemonic has 11 words; ${counts}`],
    ["13 words", `${zeros} zoo`, `The mnemonic has 13 words; ${counts}`],
    ["27 words", "zoo ".repeat(27), `The mnemonic has 27 words; ${counts}`],
    [
      "a word that isn't in the list",
      zeros.replace("abandon about", "abandom about"),
      "Word 11 of the mnemonic isn't in the English list of BIP-39.",
    ],
    [
      "words of another language",
      "ábaco ".repeat(12),
      "Word 1 of the mnemonic isn't in the English list of BIP-39.",
    ],
    [
      "a word out of place",
      `about ${"abandon ".repeat(11)}`,
      "The mnemonic's checksum doesn't hold; a word is wrong or in the wrong place.",
    ],
    [
      "a last word that doesn't fit",
      "abandon ".repeat(12),
      "The mnemonic's checksum doesn't hold; a word is wrong or in the wrong place.",
    ],
    ["bytes that aren't UTF-8", Uint8Array.of(0xff, 0xfe, 0x61), "The mnemonic isn't UTF-8 text."],
  ] as const) {
    it(`refuses ${what}, and quotes nothing`, async () => {
      const fault = await secretOf({ mnemonic }).then(
        () => assert.fail("it was taken"),
        (error: unknown) => error as Error & { code: string },
      )
      assert.deepEqual([fault.code, fault.message], ["key_invalid", message])
      for (const word of ["abandon", "abandom", "about", "zoo", "ábaco"]) {
        assert.equal(inspect(fault, { depth: 9 }).includes(word), false)
      }
    })
  }

  it("refuses a passphrase that isn't UTF-8", async () => {
    const path = parseDerivationPath(defaultPathText)
    assert.ok(path.ok)
    const passphrase = Uint8Array.of(0xc3)
    const input = { mnemonic: utf8(zeros), passphrase, path: path.value }
    await assert.rejects(secretOfMnemonic(input), { code: "key_invalid", message: /passphrase/ })
  })

  it("takes the last words that ethers takes: one in sixteen, since the checksum has four bits", async () => {
    const start = "abandon ".repeat(11)
    const taken = wordlist.filter((word) => Mnemonic.isValidMnemonic(`${start}${word}`))
    assert.equal(taken.length, 128)
    for (const word of wordlist.slice(0, 40)) {
      const attempt = secretOf({ mnemonic: `${start}${word}` })
      if (taken.includes(word)) assert.equal((await attempt).length, 32)
      else await assert.rejects(attempt, { code: "key_invalid" })
    }
  })
})
