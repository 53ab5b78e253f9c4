import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openMeters } from "../../src/vault/ledger/meters/meters.ts"
import { refundsOf } from "../../src/vault/ledger/records/request-row.ts"
import { formatDecimal, type Decimal } from "../../src/venue/decimal.ts"
import { aClaim, dayFrom, hourMs } from "../support/a-claim.ts"
import { numRuns } from "../support/runs.ts"

import fc from "fast-check"

const t0 = 1_780_000_000_000
/** The oracle counts in millionths. */
const oracleScale = 6

function millionths({ coefficient, scale }: Decimal): bigint {
  return coefficient * 10n ** BigInt(oracleScale - scale)
}

type Event = { readonly atMs: number; readonly amount: bigint }

/** What was taken in the `lengthMs` up to `atMs`, by looking at every event. */
function sumWithin(events: readonly Event[], atMs: number, lengthMs: number): bigint {
  return events
    .filter((event) => event.atMs > atMs - lengthMs && event.atMs <= atMs)
    .reduce((sum, { amount }) => sum + amount, 0n)
}

const amount = fc
  .record({
    coefficient: fc.bigInt({ min: 0n, max: 4_000n }),
    scale: fc.integer({ min: 0, max: 3 }),
  })
  .map(formatDecimal)
/** Mostly forward, sometimes far back. */
const step = fc.record({
  passMs: fc.oneof(
    { weight: 8, arbitrary: fc.nat(400) },
    { weight: 1, arbitrary: fc.integer({ min: -100_000, max: 0 }) },
    { weight: 1, arbitrary: fc.nat(4_000) },
  ),
  amount,
})
const steps = fc.array(step, { minLength: 1, maxLength: 120, size: "max" })
const lengthMs = fc.oneof(
  fc.integer({ min: 1, max: 1_999 }),
  fc.integer({ min: 2_000, max: 60_000 }),
)

describe("a rolling limit", () => {
  it("never admits more than its maximum in any window, and refuses nothing that fits one a thousandth longer", () => {
    fc.assert(
      fc.property(steps, lengthMs, amount, (sequence, window, max) => {
        const meters = openMeters()
        const events: Event[] = []
        let nowMs = t0
        let countedMs = -Infinity
        for (const { passMs, amount: asked } of sequence) {
          nowMs += passMs
          const atMs = Math.max(countedMs, nowMs)
          const claim = aClaim({ amount: asked, max, lengthMs: window })
          const mostMs = window < 2_000 ? window : window + Math.floor(window / 1_000)
          const before = sumWithin(events, atMs, mostMs)
          const isTaken = meters.take([claim], nowMs) === undefined
          if (isTaken) {
            countedMs = atMs
            events.push({ atMs, amount: millionths(claim.amount) })
          } else
            assert.ok(before + millionths(claim.amount) > millionths(claim.max), "refused too much")
          for (const event of events) {
            assert.ok(sumWithin(events, event.atMs, window) <= millionths(claim.max))
          }
        }
      }),
      numRuns(100),
    )
  })

  it("admits exactly what is left, and not one least unit more", () => {
    fc.assert(
      fc.property(steps, lengthMs, (sequence, window) => {
        const meters = openMeters()
        let nowMs = t0
        for (const { passMs, amount: asked } of sequence) {
          nowMs += passMs
          meters.take([aClaim({ amount: asked, max: "5000", lengthMs: window })], nowMs)
        }
        const probe = aClaim({ max: "5000", lengthMs: window })
        const [room] = meters.headroom([probe], nowMs)
        const left = millionths(probe.max) - millionths(room!.used)
        const asking = (coefficient: bigint) => ({
          ...probe,
          amount: { coefficient, scale: oracleScale },
        })
        assert.notEqual(meters.take([asking(left + 1n)], nowMs), undefined)
        assert.equal(meters.take([asking(left)], nowMs), undefined)
        assert.notEqual(meters.take([asking(1n)], nowMs), undefined)
      }),
      numRuns(100),
    )
  })

  it("frees when it says: what is asked fits then, and not a millisecond earlier", () => {
    fc.assert(
      fc.property(steps, lengthMs, amount, (sequence, window, asked) => {
        const meters = openMeters()
        let nowMs = t0
        for (const each of sequence) {
          nowMs = Math.max(nowMs, nowMs + each.passMs)
          meters.take([aClaim({ amount: each.amount, max: "4000", lengthMs: window })], nowMs)
        }
        const claim = aClaim({ amount: asked, max: "4000", lengthMs: window })
        const freesAtMs = meters.headroom([claim], nowMs)[0]!.freesAtMs!
        assert.ok(freesAtMs >= nowMs)
        assert.equal(meters.ask([claim], freesAtMs), undefined)
        if (freesAtMs > nowMs) assert.notEqual(meters.ask([claim], freesAtMs - 1), undefined)
      }),
      numRuns(100),
    )
  })
})

describe("a day's limit", () => {
  it("never admits more than its maximum on any day", () => {
    const hours = fc.array(fc.record({ passMs: fc.integer({ min: 0, max: 6 * hourMs }), amount }), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(hours, amount, (sequence, max) => {
        const meters = openMeters()
        const used = new Map<number, bigint>()
        let nowMs = t0
        for (const { passMs, amount: asked } of sequence) {
          nowMs += passMs
          const startMs = nowMs - ((nowMs - t0) % (24 * hourMs))
          const claim = aClaim({ amount: asked, max, window: dayFrom(startMs) })
          const after = (used.get(startMs) ?? 0n) + millionths(claim.amount)
          const isTaken = meters.take([claim], nowMs) === undefined
          assert.equal(isTaken, after <= millionths(claim.max))
          if (isTaken) used.set(startMs, after)
        }
      }),
      numRuns(100),
    )
  })
})

describe("several claims", () => {
  it("come to the same whatever their order in the request", () => {
    const claim = fc.record({
      meter: fc.constantFrom("a", "b", "c"),
      limit: fc.constantFrom("one", "two"),
      amount,
      max: fc.constantFrom("3000", "5000", "9000"),
      mode: fc.constantFrom("enforce" as const, "observe" as const),
    })
    const request = fc
      .array(claim, { minLength: 1, maxLength: 5 })
      .chain((claims) =>
        fc.tuple(fc.constant(claims), fc.shuffledSubarray(claims, { minLength: claims.length })),
      )
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
        const [left, right] = [openMeters(), openMeters()]
        for (const [index, [claims, shuffled]] of requests.entries()) {
          const one = left.take(claims.map(aClaim), t0 + index)
          const other = right.take(shuffled.map(aClaim), t0 + index)
          assert.equal(one === undefined, other === undefined)
        }
        for (const meter of ["a", "b", "c"]) {
          const [usedLeft, usedRight] = [left, right].map((meters) =>
            formatDecimal(meters.headroom([aClaim({ meter })], t0 + 20)[0]!.used),
          )
          assert.equal(usedLeft, usedRight)
        }
      }),
      numRuns(100),
    )
  })
})

describe("a limit that gives back", () => {
  it("lets no more be taken in a window than twice its maximum, and gives back no more than it once", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 1_999 }), (sequence, window) => {
        const meters = openMeters()
        const takenEvents: Event[] = []
        let nowMs = t0
        let max = 0n
        for (const each of sequence) {
          nowMs += Math.abs(each.passMs) % 500
          const claim = aClaim({
            amount: each.amount,
            max: "4000",
            lengthMs: window,
            release: "refused",
          })
          max = millionths(claim.max)
          if (meters.take([claim], nowMs) !== undefined) continue
          takenEvents.push({ atMs: nowMs, amount: millionths(claim.amount) })
          meters.release(refundsOf([claim]), nowMs, nowMs)
          assert.ok(sumWithin(takenEvents, nowMs, window) <= 2n * max)
        }
      }),
      numRuns(100),
    )
  })
})
