import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { Decision, Entries } from "../../../../src/console/asks.ts"
import {
  emptyPast,
  pastSamples,
  quantileMs,
  type Sample,
  seriesOf,
  shownMs,
  withPast,
  withSample,
} from "../../../../src/console/page/rates.ts"
import { allowedRow, noEntries, refusedRow } from "../../../support/console-look.ts"
import { numRuns } from "../../../support/runs.ts"

const bounds = [0.01, 0.1, 1]
const none = [0, 0, 0, 0]

function sampleOf(atMs: number, changes: Partial<Sample> = {}): Sample {
  return { atMs, allowed: 0, refused: 0, answers: none, ...changes }
}

const samplesOf = (samples: readonly Sample[]) => samples.reduce<readonly Sample[]>(withSample, [])

const times = (samples: readonly Sample[]) => samples.map(({ atMs }) => atMs)

describe("the samples of the last five minutes", () => {
  it("keep one that is just as old as the plots reach, and let go of one a millisecond older", () => {
    const samples = [sampleOf(0), sampleOf(1), sampleOf(2)]
    assert.deepEqual(times(samplesOf([...samples, sampleOf(shownMs)])), [0, 1, 2, shownMs])
    assert.deepEqual(times(samplesOf([...samples, sampleOf(shownMs + 1)])), [1, 2, shownMs + 1])
  })

  it("have one of a moment, what was told last", () => {
    const samples = samplesOf([sampleOf(5), sampleOf(5, { allowed: 2 })])
    assert.deepEqual(samples, [sampleOf(5, { allowed: 2 })])
  })

  it("begin anew when the vault's clock is set back", () => {
    assert.deepEqual(times(samplesOf([sampleOf(50_000), sampleOf(51_000), sampleOf(9)])), [9])
    assert.deepEqual(times(samplesOf([sampleOf(50_000), sampleOf(49_999)])), [49_999])
  })

  it("are of rising times, and no older than the plots reach, whatever the clock does", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 * shownMs }), { maxLength: 50 }), (atMs) => {
        const kept = times(samplesOf(atMs.map((each) => sampleOf(each))))
        assert.equal(kept.at(-1), atMs.at(-1))
        assert.ok(kept.every((each, index) => index === 0 || each > (kept[index - 1] ?? each)))
        assert.ok((kept.at(-1) ?? 0) - (kept[0] ?? 0) <= shownMs)
      }),
      numRuns(200),
    )
  })
})

describe("what happened a second", () => {
  const signed = (samples: readonly Sample[]) => seriesOf(samples, bounds).signedPerSecond

  it("is unknown at first, and then what the counts rose by", () => {
    const samples = [
      sampleOf(1_000, { allowed: 10, refused: 1 }),
      sampleOf(2_000, { allowed: 40, refused: 1 }),
    ]
    const { atSeconds, signedPerSecond, refusedPerSecond } = seriesOf(samples, bounds)
    assert.deepEqual(atSeconds, [1, 2])
    assert.deepEqual(signedPerSecond, [null, 30])
    assert.deepEqual(refusedPerSecond, [null, 0])
  })

  it("is spread over the time that went by, whether a second was skipped or cut short", () => {
    const [first, skipped] = [sampleOf(0), sampleOf(3_000, { allowed: 30 })]
    const short = sampleOf(3_500, { allowed: 35 })
    assert.deepEqual(signed([first, skipped, short]), [null, 10, 10])
  })

  it("is unknown where the counts began anew", () => {
    const counts = [100, 3, 5].map((allowed, index) => sampleOf(index * 1_000, { allowed }))
    assert.deepEqual(signed(counts), [null, null, 2])
  })

  it("is never below nought and always a number, whatever is counted and when", () => {
    const sample = fc.record({ atMs: fc.nat(), allowed: fc.nat(), refused: fc.nat() })
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 20 }), (counts) => {
        const samples = samplesOf(counts.map((each) => ({ ...each, answers: none })))
        const { signedPerSecond, refusedPerSecond } = seriesOf(samples, bounds)
        for (const rate of [...signedPerSecond, ...refusedPerSecond]) {
          assert.ok(rate === null || (Number.isFinite(rate) && rate >= 0))
        }
      }),
      numRuns(200),
    )
  })
})

describe("how long answers took", () => {
  const p50 = (samples: readonly Sample[]) => seriesOf(samples, bounds).p50Ms.at(-1)

  it("is of the last ten seconds alone", () => {
    const [early, late] = [sampleOf(0), sampleOf(1, { answers: [0, 0, 90, 0] })]
    const now = { answers: [0, 2, 90, 0] }
    const ofTwo = quantileMs(bounds, [0, 2, 0, 0], 0.5)
    assert.equal(p50([early, late, sampleOf(10_001, now)]), ofTwo)
    assert.ok((p50([early, late, sampleOf(10_000, now)]) ?? 0) > 100)
  })

  it("is unknown where nothing was answered, and after as long without a word", () => {
    assert.equal(p50([]), undefined)
    assert.equal(p50([sampleOf(0)]), null)
    assert.equal(p50([sampleOf(0), sampleOf(1_000)]), null)
    assert.equal(p50([sampleOf(0), sampleOf(60_000, { answers: [9, 9, 9, 9] })]), null)
  })

  it("leaves out what was counted before the gate was started anew", () => {
    const counted = [
      sampleOf(0, { answers: [0, 1, 0, 0] }),
      sampleOf(1_000, { answers: [2, 0, 0, 0] }),
      sampleOf(2_000, { answers: [2, 9, 0, 0] }),
    ]
    assert.equal(p50(counted), quantileMs(bounds, [0, 9, 0, 0], 0.5))
    assert.equal(p50(counted.slice(0, 2)), null)
  })
})

describe("a quantile", () => {
  it("lies in its bucket as if the answers lay evenly in it", () => {
    assert.equal(quantileMs(bounds, [4, 0, 0, 0], 0.5), 5)
    assert.equal(quantileMs(bounds, [1, 1, 0, 0], 0.5), 10)
    assert.equal(quantileMs(bounds, [1, 3, 0, 0], 1), 100)
    assert.equal(quantileMs(bounds, [0, 0, 2, 0], 0), 100)
  })

  it("of what took longer than the last bound is that bound", () => {
    assert.equal(quantileMs(bounds, [1, 0, 0, 9], 0.99), 1_000)
  })

  it("is unknown where there are no answers", () => {
    assert.equal(quantileMs(bounds, none, 0.5), null)
    assert.equal(quantileMs([], [], 0.5), null)
  })

  it("lies within a bucket that has answers, and is no less for a larger share", () => {
    const counts = fc.array(fc.nat({ max: 1_000 }), { minLength: 4, maxLength: 4 })
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(counts, share, share, (answers, one, other) => {
        fc.pre(answers.some((count) => count > 0))
        const low = quantileMs(bounds, answers, Math.min(one, other)) ?? NaN
        const high = quantileMs(bounds, answers, Math.max(one, other)) ?? NaN
        // A bit more or less, for numbers are binary fractions.
        assert.ok(low <= high + 1e-9)
        const isWithin = answers.some((count, index) => {
          const from = bounds[index - 1] ?? 0
          const to = bounds[index] ?? from
          return count > 0 && low >= from * 1_000 - 1e-9 && low <= to * 1_000 + 1e-9
        })
        assert.ok(isWithin)
      }),
      numRuns(500),
    )
  })
})

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

const samplesWith = (...parts: readonly Entries[]) =>
  pastSamples(parts.reduce(withPast, emptyPast(untilMs)), first)
/** By milliseconds before the first look. */
const countsOf = (...parts: readonly Entries[]) =>
  samplesWith(...parts).map((each) => [untilMs - each.atMs, each.allowed, each.refused])

describe("what was decided before the page looked", () => {
  it("is nothing as long as nothing was read", () => {
    assert.deepEqual(samplesWith(), [])
    assert.deepEqual(samplesWith(partOf([], 999)), [])
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
    assert.deepEqual(samplesWith(partOf([], 1_000))[0]?.answers, first.answers)
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
        for (const sample of samplesWith(...parts)) {
          const later = (result: Decision["result"]) =>
            all.filter((each) => each.result === result && untilMs - each.beforeMs > sample.atMs)
          assert.equal(first.allowed - sample.allowed, later("allowed").length)
          assert.equal(first.refused - sample.refused, later("refused").length)
        }
      }),
    )
  })
})
