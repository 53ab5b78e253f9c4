import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { utf8 } from "../../../../../src/std/bytes.ts"
import { hexTextOf, secretOfHexText } from "../../../../../src/vault/keyring/keychain/hex-text.ts"
import { numRuns } from "../../../../support/runs.ts"

const options = numRuns(200)

describe("hexTextOf", () => {
  it("writes what Node writes", () => {
    const property = fc.property(fc.uint8Array(), (secret) => {
      assert.deepEqual(hexTextOf(secret), utf8(Buffer.from(secret).toString("hex")))
    })
    fc.assert(property, options)
  })
})

describe("secretOfHexText", () => {
  it("reads back every secret", () => {
    const property = fc.property(fc.uint8Array(), (secret) => {
      assert.deepEqual(secretOfHexText(hexTextOf(secret)), secret)
    })
    fc.assert(property, options)
  })

  for (const text of ["a", "abc", "0g", "g0", " ab", "0x", "a\n"]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(secretOfHexText(utf8(text)), undefined)
    })
  }
})
