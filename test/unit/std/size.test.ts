import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseSizeBytes, sizeText } from "../../../src/std/size.ts"

describe("parseSizeBytes", () => {
  it("reads a whole number with its unit, and 0 alone", () => {
    assert.equal(parseSizeBytes("1KiB"), 1_024)
    assert.equal(parseSizeBytes("256MiB"), 268_435_456)
    assert.equal(parseSizeBytes("3GiB"), 3_221_225_472)
    assert.equal(parseSizeBytes("0"), 0)
  })

  it("takes up to 1 PiB, and nothing beyond", () => {
    assert.equal(parseSizeBytes("1048576GiB"), 2 ** 50)
    assert.equal(parseSizeBytes("1048577GiB"), undefined)
  })

  const refused = [
    ...["", "1", "MiB", "0MiB", "00", "1 MiB", " 1MiB", "1MiB\n", "1mib", "1MB", "1M", "1TiB"],
    ...["-1MiB", "+1MiB", "01MiB", "1.5MiB", "1e3MiB", "10000000KiB", "١MiB"],
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseSizeBytes(text), undefined)
    })
  }
})

describe("sizeText", () => {
  for (const [bytes, text] of [
    [0, "0 KiB"],
    [1_048_575, "1023 KiB"],
    [1_048_576, "1 MiB"],
    [2_097_151, "1 MiB"],
    [10_240 * 1_048_576 - 1, "10239 MiB"],
    [10_240 * 1_048_576, "10 GiB"],
  ] as const) {
    it(`says ${text} for ${bytes} bytes`, () => assert.equal(sizeText(bytes), text))
  }
})
