import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { toHex, utf8 } from "../../../../src/std/bytes.ts"
import { parseSecretHex } from "../../../../src/commands/keys/secret-text.ts"

const digits = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
const orderLessOne = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140"
const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"

describe("parseSecretHex", () => {
  const accepted = [
    { name: "64 digits", text: digits, secret: digits },
    { name: "a 0x in front", text: `0x${digits}`, secret: digits },
    { name: "a newline at the end", text: `${digits}\n`, secret: digits },
    { name: "a carriage return and newline", text: `${digits}\r\n`, secret: digits },
    { name: "white space on both sides", text: ` \t\n\v\f0x${digits}\r\n `, secret: digits },
    { name: "capital digits", text: digits.toUpperCase(), secret: digits },
    { name: "the smallest key", text: "1".padStart(64, "0"), secret: "1".padStart(64, "0") },
    { name: "the largest key", text: orderLessOne, secret: orderLessOne },
  ]
  for (const { name, text, secret } of accepted) {
    it(`reads ${name}`, () => {
      const parsed = parseSecretHex(utf8(text))
      assert.equal(toHex(parsed ?? new Uint8Array()), `0x${secret}`)
    })
  }

  const refused = [
    { name: "nothing", text: "" },
    { name: "white space alone", text: " \n" },
    { name: "0x alone", text: "0x" },
    { name: "63 digits", text: digits.slice(1) },
    { name: "65 digits", text: `${digits}0` },
    { name: "a 0x twice", text: `0x0x${digits.slice(2)}` },
    { name: "a capital X", text: `0X${digits}` },
    { name: "white space within", text: `${digits.slice(0, 32)} ${digits.slice(33)}` },
    { name: "white space after 0x", text: `0x ${digits.slice(1)}` },
    { name: "a no-break space around", text: `\u00a0${digits}` },
    { name: "a g among the digits", text: `g${digits.slice(1)}` },
    { name: "a digit's neighbours in ASCII", text: `/:@\`${digits.slice(4)}` },
    { name: "full-width digits", text: "１".repeat(64) },
    { name: "zero", text: "0".repeat(64) },
    { name: "the curve's order", text: order },
    { name: "all ones", text: "f".repeat(64) },
    { name: "quotes around", text: `"${digits}"` },
    { name: "a NUL at the end", text: `${digits}\0` },
  ]
  for (const { name, text } of refused) {
    it(`refuses ${name}`, () => {
      assert.equal(parseSecretHex(utf8(text)), undefined)
    })
  }

  it("leaves its input as it was", () => {
    const input = utf8(` 0x${digits}\n`)
    parseSecretHex(input)
    assert.deepEqual(input, utf8(` 0x${digits}\n`))
  })
})
