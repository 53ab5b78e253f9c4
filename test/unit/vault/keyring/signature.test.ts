import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseSignature } from "../../../../src/vault/keyring/signature.ts"

const r = "11".repeat(32)
const s = "22".repeat(32)
/** SEC 2: the order of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

describe("a signature as a wallet gives it", () => {
  const bytes = [
    { v: "1b", read: 27 },
    { v: "1c", read: 28 },
    { v: "00", read: 27 },
    { v: "01", read: 28 },
  ]
  for (const { v, read } of bytes) {
    it(`is read with 0x${v} as ${read}`, () => {
      const value = { r: `0x${r}`, s: `0x${s}`, v: read }
      assert.deepEqual(parseSignature(`0x${r}${s}${v}`), { ok: true, value })
    })
  }

  it("may be written in capitals", () => {
    const read = parseSignature(`0x${"AB".repeat(32)}${s}1B`)
    assert.deepEqual(read.ok && read.value.r, `0x${"ab".repeat(32)}`)
  })

  const unfit: readonly (readonly [text: string, why: RegExp, name: string])[] = [
    ["", /130 hex digits/, "nothing"],
    [`${r}${s}1b`, /130 hex digits/, "no prefix"],
    [`0x${r}${s}`, /130 hex digits/, "64 bytes"],
    [`0x${r}${s}1b00`, /130 hex digits/, "66 bytes"],
    [`0x${r}${s}1g`, /130 hex digits/, "no hex"],
    [`0x${r}${s}02`, /v, must be/, "v 2"],
    [`0x${r}${s}1a`, /v, must be/, "v 26"],
    [`0x${r}${s}1d`, /v, must be/, "v 29"],
    [`0x${r}${s}25`, /v, must be/, "v 37, of EIP-155"],
    [`0x${word(0n)}${s}1b`, /out of the curve's range/, "r 0"],
    [`0x${word(order)}${s}1b`, /out of the curve's range/, "r at the order"],
    [`0x${r}${word(0n)}1b`, /out of the curve's range/, "s 0"],
    [`0x${r}${word(order)}1b`, /out of the curve's range/, "s at the order"],
    [`0x${r}${word(order - 1n)}1b`, /EIP-2/, "the highest s"],
    [`0x${r}${word(order / 2n + 1n)}1b`, /EIP-2/, "the lowest high s"],
  ]
  for (const [text, why, name] of unfit) {
    it(`is refused with ${name}`, () => {
      const read = parseSignature(text)
      assert.match(read.ok ? "" : read.error, why)
    })
  }

  it("is read with the highest low s", () => {
    assert.equal(parseSignature(`0x${r}${word(order / 2n)}1b`).ok, true)
  })
})
