import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { startMs } from "../support/fake-clock.ts"
import { walkFrom } from "../support/price-walk.ts"
import { numRuns } from "../support/runs.ts"

/*
 * The same rules in whole numbers alone. Over seconds, everything to the 60th power is rational: a price may move by the
 * factor V^(1/60), where V grows by 1.1 a second and is at most 1.05^60 after a price was taken.
 */
type Ratio = readonly [over: bigint, under: bigint]

const perSecond: Ratio = [11n, 10n]
const step: Ratio = [105n ** 60n, 100n ** 60n]

const times = (a: Ratio, b: Ratio): Ratio => [a[0] * b[0], a[1] * b[1]]
const power = ([over, under]: Ratio, n: number): Ratio => [over ** BigInt(n), under ** BigInt(n)]
const isAtMost = (a: Ratio, b: Ratio): boolean => a[0] * b[1] <= b[0] * a[1]
const movedBy = (a: bigint, b: bigint): Ratio => (a > b ? [a, b] : [b, a])

type PlainPrice = { readonly value: bigint; readonly atS: number; readonly allowance: Ratio }

/**
 * What a feed makes of a price: the next one, `held` where it moved too fast, `far` beyond 40 % of the anchor. `even`
 * where it uses its allowance up to the last bit: logarithms are rounded against the feed, so it may wait a moment.
 */
function plainFeed(
  last: PlainPrice,
  { value, atS, anchor }: { readonly value: bigint; readonly atS: number; readonly anchor: bigint },
): PlainPrice | "held" | "far" | "even" {
  if (!isAtMost(movedBy(value, anchor), [14n, 10n])) return "far"
  const allowance = times(last.allowance, power(perSecond, atS - last.atS))
  const move = power(movedBy(value, last.value), 60)
  if (!isAtMost(move, allowance)) return "held"
  if (isAtMost(allowance, move)) return "even"
  const left: Ratio = [allowance[0] * move[1], allowance[1] * move[0]]
  return { value, atS, allowance: isAtMost(left, step) ? left : step }
}

const anchor = 100_000n
const aFeed = fc.record({
  afterS: fc.integer({ min: 0, max: 90 }),
  /** By so many thousandths of the price in force, or of the anchor. */
  moveBy: fc.oneof(fc.integer({ min: -60, max: 60 }), fc.integer({ min: -450, max: 450 })),
  of: fc.constantFrom("last", "anchor"),
})

describe("a fed price", () => {
  it("is taken, held back or left to a person exactly as whole numbers say", () => {
    fc.assert(
      fc.property(fc.array(aFeed, { maxLength: 25 }), (feeds) => {
        const walk = walkFrom(anchor)
        let last: PlainPrice = { value: anchor, atS: 0, allowance: step }
        let atS = 0
        for (const { afterS, moveBy, of } of feeds) {
          atS += afterS
          const from = of === "last" ? last.value : anchor
          const value = (from * BigInt(1_000 + moveBy)) / 1_000n
          const expected = plainFeed(last, { value, atS, anchor })
          const price = walk.feed(value, atS * 1_000)
          assert.equal(price.confirmed, expected !== "far")
          if (expected === "far" || expected === "even") return // a person's now, or either
          assert.equal(price.drift?.held !== undefined, expected === "held")
          if (expected !== "held") last = expected
          assert.equal(price.value.coefficient, last.value)
        }
      }),
      numRuns(300),
    )
  })

  it("never moves faster or further than it may, however a feed tries", () => {
    fc.assert(
      fc.property(fc.array(aFeed, { maxLength: 60 }), (feeds) => {
        const walk = walkFrom(anchor)
        const taken: { readonly value: bigint; readonly atS: number }[] = [
          { value: anchor, atS: 0 },
        ]
        let [atS, value] = [0, anchor]
        for (const { afterS, moveBy } of feeds) {
          atS += afterS % 7
          const asked = (value * BigInt(1_000 + moveBy)) / 1_000n
          const price = walk.feed(asked, atS * 1_000)
          if (!price.confirmed) break
          value = price.value.coefficient
          if (price.asOfMs === startMs + atS * 1_000) taken.push({ value, atS })
        }
        for (const [index, later] of taken.entries()) {
          assert.ok(isAtMost(movedBy(later.value, anchor), [14n, 10n]))
          for (const earlier of taken.slice(0, index)) {
            const most = times(step, power(perSecond, later.atS - earlier.atS))
            assert.ok(isAtMost(power(movedBy(later.value, earlier.value), 60), most))
          }
        }
      }),
      numRuns(100),
    )
  })

  it("that went too far stays a person's, however near the anchor the next ones are", () => {
    const walk = walkFrom(anchor)
    assert.equal(walk.feed((anchor * 3n) / 2n, 0).confirmed, false)
    for (const [share, atMs] of [
      [150n, 1_000],
      [139n, 600_000],
      [100n, 3_600_000],
    ] as const) {
      assert.equal(walk.feed((anchor * share) / 100n, atMs).confirmed, false, `${share} %`)
    }
  })

  // Fed once a second. What is refused for want of a price: measured, in seconds.
  const falls = [
    { name: "one tick", overS: 0, withoutS: 50 },
    { name: "30 s", overS: 30, withoutS: 40 },
    { name: "60 s", overS: 60, withoutS: 24 },
    { name: "110 s", overS: 110, withoutS: 0 },
  ]
  for (const { name, overS, withoutS } of falls) {
    it(`that falls by a fifth in ${name} leaves orders without one for ${withoutS} s, and needs nobody`, () => {
      const walk = walkFrom(1_000_000n)
      walk.feed(1_000_000n, 0)
      let without = 0
      let isCaughtUp = false
      for (let atS = 1; atS <= 300; atS++) {
        const share = overS === 0 ? 1 : Math.min(1, atS / overS)
        const value = 1_000_000n - BigInt(Math.round(200_000 * share))
        const price = walk.feed(value, atS * 1_000)
        assert.ok(price.confirmed, "it needs a person")
        if (!walk.isKnown(atS * 1_000)) without += 1
        isCaughtUp = price.value.coefficient === 800_000n
      }
      assert.ok(isCaughtUp)
      assert.ok(without <= 60)
      assert.ok(Math.abs(without - withoutS) <= 2, `${without} s without a price`)
    })
  }
})
