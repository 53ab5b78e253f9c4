import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { utf8 } from "../../../../src/std/bytes.ts"
import { parseSecretHex, secretShape } from "../../../../src/commands/keys/secret-text.ts"
import { numRuns } from "../../../support/runs.ts"

const digits = "0123456789abcdefABCDEF0123456789abcdefABCDEF0123456789abcdefABCD"

describe("secretShape", () => {
  for (const [what, text, shape] of [
    ["nothing", "", { kind: "empty" }],
    ["white space", " \t\r\n", { kind: "empty" }],
    ["an object", ` \n{"version":3}`, { kind: "json" }],
    ["64 digits", digits, { kind: "hex", digits: 64, isSpaced: false }],
    ["63 digits", ` ${digits.slice(1)}\n`, { kind: "hex", digits: 63, isSpaced: false }],
    ["digits behind 0x", `0x${digits}0`, { kind: "hex", digits: 65, isSpaced: false }],
    ["0x alone", "0x", { kind: "hex", digits: 0, isSpaced: false }],
    [
      "digits in two pieces",
      `${digits.slice(32)}  ${digits.slice(0, 32)}`,
      { kind: "hex", digits: 64, isSpaced: true },
    ],
    ["64 digits after 0x and a space", `0x ${digits}`, { kind: "hex", digits: 64, isSpaced: true }],
    ["digits on two lines", "0x12\n34", { kind: "hex", digits: 4, isSpaced: true }],
    ["words", " zoo abandon\nAbout ", { kind: "words", count: 3 }],
    ["words of hex letters", "add bad face", { kind: "hex", digits: 10, isSpaced: true }],
    ["one word", "hunter", { kind: "other", at: 1 }],
    ["words with digits", "zoo 1 about", { kind: "other", at: 1 }],
    [
      "a letter O for a zero",
      `0x${digits.slice(0, 5)}O${digits.slice(6)}`,
      { kind: "other", at: 8 },
    ],
    ["a capital X", `0X${digits}`, { kind: "other", at: 2 }],
    ["bytes over ASCII", `${digits.slice(0, 2)}é`, { kind: "other", at: 3 }],
  ] as const) {
    it(`tells ${what}`, () => {
      const bytes = utf8(text)
      assert.deepEqual(secretShape(bytes), shape)
      assert.deepEqual(bytes, utf8(text))
    })
  }

  it("calls every key in hex 64 digits in one piece", () => {
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(key, (bytes) => {
        const text = utf8(Buffer.from(bytes).toString("hex"))
        if (parseSecretHex(text) === undefined) return
        assert.deepEqual(secretShape(text), { kind: "hex", digits: 64, isSpaced: false })
      }),
      numRuns(100),
    )
  })

  it("tells something of any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        assert.ok(["empty", "json", "hex", "words", "other"].includes(secretShape(bytes).kind))
      }),
      numRuns(200),
    )
  })
})
