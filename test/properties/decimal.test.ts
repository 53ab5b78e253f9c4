import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  maxDecimal,
  multiplyDecimals,
  parseDecimal,
  type Decimal,
} from "../../src/venue/decimal.ts"
import { arbitraryAmount } from "../support/arbitrary-order.ts"
import { numRuns } from "../support/runs.ts"

/** Finer than any decimal here, so that all of them are integers at this scale. */
const scale = 40

const amounts = fc.oneof(arbitraryAmount(), fc.constantFrom("0", "0.0", "1", "1.00", "0.1", "10"))
/** Two that often have equal values or differ in one digit alone. */
const pairs = fc.oneof(
  fc.tuple(amounts, amounts),
  amounts.map((text) => [text, withZeros(text)] as const),
  amounts.map((text) => [text, `${withZeros(text)}1`] as const),
)

describe("decimals, for any of them,", () => {
  it("compare, add and multiply as integers at a common scale do", () => {
    const property = fc.property(pairs, ([leftText, rightText]) => {
      const [left, right] = [decimal(leftText), decimal(rightText)]
      const [a, b] = [atScale(leftText), atScale(rightText)]
      assert.equal(compareDecimals(left, right), a < b ? -1 : a > b ? 1 : 0)
      assert.equal(valueOf(addDecimals(left, right)), a + b)
      assert.equal(valueOf(multiplyDecimals(left, right), 2 * scale), a * b)
      assert.equal(valueOf(maxDecimal(left, right)), a > b ? a : b)
    })
    fc.assert(property, numRuns(2000))
  })

  it("are written so that reading gives the same value, in its shortest form", () => {
    const property = fc.property(amounts, (text) => {
      const written = formatDecimal(decimal(text))
      assert.equal(atScale(written), atScale(text))
      assert.equal(formatDecimal(decimal(written)), written)
      assert.equal(written, shortest(text))
    })
    fc.assert(property, numRuns(1000))
  })

  it("are read from texts of digits and one point alone", () => {
    const texts = fc.string({ unit: fc.constantFrom(..."0019.-+e_ x".split("")), maxLength: 6 })
    const property = fc.property(texts, (text) => {
      const isDecimal =
        !/[^0-9.]/.test(text) &&
        text.split(".").length <= 2 &&
        text.split(".").every((part) => part !== "") &&
        !/^0[0-9]/.test(text)
      assert.equal(parseDecimal(text) !== undefined, isDecimal)
    })
    fc.assert(property, numRuns(3000))
  })
})

function decimal(text: string): Decimal {
  const parsed = parseDecimal(text)
  assert.ok(parsed)
  return parsed
}

/** The value as an integer of 10^-40, by text alone. */
function atScale(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(scale, "0"))
}

function valueOf({ coefficient, scale: own }: Decimal, target: number = scale): bigint {
  return coefficient * 10n ** BigInt(target - own)
}

/** The same value with more digits, where that keeps it a decimal. */
function withZeros(text: string): string {
  if (text.length > 36) return text.includes(".") ? text.slice(0, 36) : "1.0"
  return text.includes(".") ? `${text}00` : `${text}.00`
}

function shortest(text: string): string {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text
}
