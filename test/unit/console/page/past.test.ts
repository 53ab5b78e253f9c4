import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { Decision, Entries } from "../../../../src/console/asks.ts"
import { emptyPast, pastSamples, withPast } from "../../../../src/console/page/past.ts"
import { shownMs } from "../../../../src/console/page/rates.ts"
import { allowedRow, noEntries, refusedRow } from "../../../support/console-look.ts"

const untilMs = 1_000_000
const first = { atMs: untilMs, allowed: 100, refused: 50, answers: [7, 8] }

type Fell = { readonly beforeMs: number; readonly result: Decision["result"] }

/** A part of the ledger with these decisions, read back to `sinceMs` before the first look. */
function partOf(fell: readonly Fell[], sinceMs: number | null): Entries {
  const decisions = fell.map(({ beforeMs, result }) => {
    const row = result === "allowed" ? allowedRow : { ...refusedRow, result }
    return { ...row, at: untilMs - beforeMs }
  })
  const isEnd = sinceMs === null
  return { ...noEntries, is_end: isEnd, since: isEnd ? null : untilMs - sinceMs, decisions }
}

const samplesOf = (...parts: readonly Entries[]) =>
  pastSamples(parts.reduce(withPast, emptyPast(untilMs)), first)
/** By milliseconds before the first look. */
const countsOf = (...parts: readonly Entries[]) =>
  samplesOf(...parts).map((each) => [untilMs - each.atMs, each.allowed, each.refused])

describe("what was decided before the page looked", () => {
  it("is nothing as long as nothing was read", () => {
    assert.deepEqual(samplesOf(), [])
    assert.deepEqual(samplesOf(partOf([], 999)), [])
  })

  it("is counted back from what stood at the first look, by whole seconds that were read", () => {
    const fell: readonly Fell[] = [
      { beforeMs: 0, result: "allowed" },
      { beforeMs: 999, result: "refused" },
      { beforeMs: 1_000, result: "allowed" },
      { beforeMs: 1_001, result: "held" },
    ]
    assert.deepEqual(countsOf(partOf(fell, 2_999)), [
      [2_000, 98, 49],
      [1_000, 99, 49],
    ])
    assert.equal(countsOf(partOf(fell, 3_000)).length, 3)
  })

  it("goes on through parts, and is as long as the plots once all was read", () => {
    const [one, two] = [
      partOf([{ beforeMs: 500, result: "allowed" }], 1_500),
      partOf([{ beforeMs: 1_600, result: "allowed" }], null),
    ]
    const counts = countsOf(one, two)
    assert.equal(counts.length, shownMs / 1_000)
    assert.deepEqual(counts.at(-1), [1_000, 99, 50])
    assert.deepEqual(counts.at(-2), [2_000, 98, 50])
    assert.deepEqual(counts[0], [shownMs, 98, 50])
  })

  it("has refusals as often as they came, and those that weren't recorded", () => {
    const repeats = [
      { record: "rec_1", at: untilMs - 100, count: 4 },
      { record: null, at: untilMs - 100, count: 20 },
    ]
    assert.deepEqual(countsOf({ ...partOf([], 1_000), repeats }), [[1_000, 100, 26]])
  })

  it("says nothing of how long signing took, which the ledger doesn't know", () => {
    assert.deepEqual(samplesOf(partOf([], 1_000))[0]?.answers, first.answers)
  })

  it("counts each decision in the second in which it fell, however the parts are cut", () => {
    const fell = fc.record({
      beforeMs: fc.nat({ max: shownMs + 10_000 }),
      result: fc.constantFrom<Decision["result"]>("allowed", "refused", "held"),
    })
    fc.assert(
      fc.property(fc.array(fell, { maxLength: 60 }), fc.nat({ max: 60 }), (all, cut) => {
        const sorted = all.toSorted((a, b) => a.beforeMs - b.beforeMs)
        const parts = [
          partOf(
            sorted.slice(0, cut),
            sorted[Math.max(0, Math.min(cut, all.length) - 1)]?.beforeMs ?? 0,
          ),
          partOf(sorted.slice(cut), null),
        ]
        for (const sample of samplesOf(...parts)) {
          const later = (result: Decision["result"]) =>
            all.filter((each) => each.result === result && untilMs - each.beforeMs > sample.atMs)
          assert.equal(first.allowed - sample.allowed, later("allowed").length)
          assert.equal(first.refused - sample.refused, later("refused").length)
        }
      }),
    )
  })
})
