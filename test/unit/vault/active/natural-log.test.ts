import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { logOfRatio, unit } from "../../../../src/vault/active/price-drift.ts"

describe("a logarithm in fixed point", () => {
  const known = [
    { name: "ln 2", of: [2n, 1n], digits: "0.693147180559945309" },
    { name: "ln 1.05", of: [105n, 100n], digits: "0.048790164169432003" },
    { name: "ln 1.1", of: [11n, 10n], digits: "0.095310179804324860" },
    { name: "ln 10", of: [10n, 1n], digits: "2.302585092994045684" },
  ] as const
  for (const { name, of, digits } of known) {
    it(`knows ${name} to its 18th decimal, on either side`, () => {
      const { atLeast, atMost } = logOfRatio(of[0], of[1])
      assert.equal(atLeast, BigInt(digits.replace(".", "")))
      assert.equal(atMost, atLeast + 2n)
    })
  }

  it("is nothing of equal numbers, and the same up as down", () => {
    assert.deepEqual(logOfRatio(7n, 7n), { atLeast: 0n, atMost: 0n })
    assert.deepEqual(logOfRatio(3n, 5n), logOfRatio(5n, 3n))
  })

  it("agrees with floating point as far as that goes, up to 40 digits", () => {
    const whole = fc.bigInt({ min: 1n, max: 10n ** 40n })
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        const { atLeast, atMost } = logOfRatio(a, b)
        const expected = Math.abs(Math.log(Number(a)) - Math.log(Number(b)))
        assert.ok(
          Math.abs(Number(atLeast) / Number(unit) - expected) < 1e-12 * (1 + expected) * 100,
        )
        assert.ok(atLeast <= atMost)
      }),
    )
  })
})
