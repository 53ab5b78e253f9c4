import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  maxDecimal,
  maxDecimalDigits,
  multiplyDecimals,
  one,
  parseDecimal,
  wholeDecimal,
  zero,
  type Decimal,
} from "../../../src/venue/decimal.ts"

function decimal(text: string): Decimal {
  const parsed = parseDecimal(text)
  assert.ok(parsed, `expected ${text} to be a decimal`)
  return parsed
}

describe("parseDecimal", () => {
  const refused = [
    ...["", " ", "0x10", " 12", "12 ", "12\n", "1_000", "1,000", "+1", "-1", "-0"],
    ...["01", "00", "00.1", "1.", ".5", ".", "1.2.3", "1e3", "1E3", "1e-3"],
    ...["NaN", "Infinity", "1n", "٣", "１", "½", "1\0", "1\u00a0"],
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseDecimal(text), undefined)
    })
  }

  it("reads digits with at most one point exactly", () => {
    assert.deepEqual(parseDecimal("0"), { coefficient: 0n, scale: 0 })
    assert.deepEqual(parseDecimal("64250.10"), { coefficient: 6425010n, scale: 2 })
    assert.deepEqual(parseDecimal("0.00000001"), { coefficient: 1n, scale: 8 })
    assert.deepEqual(parseDecimal("9007199254740993"), {
      coefficient: 9007199254740993n,
      scale: 0,
    })
  })

  it("takes 40 digits, with or without a point, and not 41", () => {
    const digits = "1234567890".repeat(4)
    assert.equal(digits.length, maxDecimalDigits)
    assert.deepEqual(parseDecimal(digits), { coefficient: BigInt(digits), scale: 0 })
    assert.equal(parseDecimal(`${digits}0`), undefined)
    const withPoint = `${digits.slice(0, 20)}.${digits.slice(20)}`
    assert.deepEqual(parseDecimal(withPoint), { coefficient: BigInt(digits), scale: 20 })
    assert.equal(parseDecimal(`${withPoint}0`), undefined)
    assert.equal(parseDecimal("1".repeat(1_000_000)), undefined)
  })
})

describe("decimals", () => {
  it("are equal when their values are, however many zeros they are written with", () => {
    assert.equal(compareDecimals(decimal("1"), decimal("1.000")), 0)
    assert.equal(compareDecimals(decimal("0"), decimal("0.0")), 0)
    assert.equal(compareDecimals(zero, decimal("0.00")), 0)
    assert.equal(compareDecimals(one, decimal("1.0")), 0)
  })

  it("differ by their last digit", () => {
    assert.equal(compareDecimals(decimal("0.1"), decimal("0.10000000000000001")), -1)
    assert.equal(compareDecimals(decimal("0.10000000000000001"), decimal("0.1")), 1)
    assert.equal(compareDecimals(decimal("9"), decimal("10")), -1)
  })

  it("add and multiply exactly, where doubles don't", () => {
    assert.equal(formatDecimal(addDecimals(decimal("0.1"), decimal("0.2"))), "0.3")
    assert.equal(formatDecimal(multiplyDecimals(decimal("1.1"), decimal("1.1"))), "1.21")
    assert.equal(formatDecimal(multiplyDecimals(decimal("64250.10"), decimal("0.5"))), "32125.05")
  })

  it("are written without needless zeros", () => {
    assert.equal(formatDecimal(decimal("0.50")), "0.5")
    assert.equal(formatDecimal(decimal("100")), "100")
    assert.equal(formatDecimal(decimal("100.00")), "100")
    assert.equal(formatDecimal(decimal("0.000")), "0")
    assert.equal(formatDecimal(decimal("0.001")), "0.001")
    assert.equal(formatDecimal(wholeDecimal(12n)), "12")
  })

  it("have a largest", () => {
    assert.deepEqual(maxDecimal(decimal("2"), decimal("10"), decimal("9.99")), decimal("10"))
    assert.equal(formatDecimal(maxDecimal(decimal("2"))), "2")
  })
})
