import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { decodeUtf8 } from "../../../src/std/bytes.ts"
import { anyCharacter } from "../../support/any-character.ts"
import { numRuns } from "../../support/runs.ts"

describe("decodeUtf8", () => {
  it("reads any well-formed text, a byte order mark included", () => {
    const property = fc.property(fc.string({ unit: anyCharacter }), (text) => {
      assert.deepEqual(decodeUtf8(Buffer.from(text)), { ok: true, value: text })
    })
    fc.assert(property, numRuns(300))
    assert.deepEqual(decodeUtf8(Buffer.from("\ufeffx")), { ok: true, value: "\ufeffx" })
  })

  it("tells how many bytes are sound before the first that isn't", () => {
    const texts = fc.string({ unit: anyCharacter, maxLength: 300 })
    const property = fc.property(texts, texts, (before, after) => {
      const bytes = Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)])
      assert.deepEqual(decodeUtf8(bytes), { ok: false, error: Buffer.byteLength(before) })
    })
    fc.assert(property, numRuns(200))
  })

  it("tells the end of bytes that stop within a character", () => {
    assert.deepEqual(decodeUtf8(Uint8Array.of(0x61, 0xe2, 0x9c)), { ok: false, error: 3 })
  })

  it("remembers nothing of a failure", () => {
    decodeUtf8(Uint8Array.of(0xe2, 0x9c))
    assert.deepEqual(decodeUtf8(Uint8Array.of(0x61)), { ok: true, value: "a" })
  })
})
