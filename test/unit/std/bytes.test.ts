import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { concatBytes, fromHex, toHex, utf8 } from "../../../src/std/bytes.ts"
import { numRuns } from "../../support/runs.ts"

const bytes = fc.uint8Array({ maxLength: 64 })

describe("hex", () => {
  it("is written in lower case with 0x, every byte as two digits", () => {
    assert.equal(toHex(Uint8Array.of(0, 1, 0x0f, 0xab, 0xff)), "0x00010fabff")
    assert.equal(toHex(new Uint8Array()), "0x")
  })

  it("is read with or without 0x, in either case", () => {
    const expected = Uint8Array.of(0, 0xab, 0xff)
    for (const text of ["0x00abff", "00abff", "0x00ABFF", "00aBfF"]) {
      assert.deepEqual(fromHex(text), expected)
    }
    assert.deepEqual(fromHex(""), new Uint8Array())
    assert.deepEqual(fromHex("0x"), new Uint8Array())
  })

  const refused = [
    ...["0", "0x0", "0xabc", "0xzz", "zz", "0X00", "0x0x00", " 00", "00 ", "00\n", "0x-1"],
    ...["+1", "1.", "٠٠", "0g"],
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(fromHex(text), undefined)
    })
  }

  it("comes back as it was, for any bytes, and agrees with Buffer", () => {
    const property = fc.property(bytes, (value) => {
      const text = toHex(value)
      assert.equal(text, `0x${Buffer.from(value).toString("hex")}`)
      assert.deepEqual(fromHex(text), value)
      assert.deepEqual(fromHex(text.slice(2).toUpperCase()), value)
    })
    fc.assert(property, numRuns(300))
  })
})

describe("concatBytes", () => {
  it("joins what it is given, in order, as Buffer does", () => {
    assert.deepEqual(concatBytes(), new Uint8Array())
    const property = fc.property(fc.array(bytes, { maxLength: 5 }), (parts) => {
      assert.deepEqual(concatBytes(...parts), new Uint8Array(Buffer.concat(parts)))
    })
    fc.assert(property, numRuns(200))
  })
})

describe("utf8", () => {
  it("encodes text of every width", () => {
    assert.equal(toHex(utf8("aé✓😀")), "0x61c3a9e29c93f09f9880")
  })
})
