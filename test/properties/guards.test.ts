import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { Parts } from "../../src/vault/guards/exposure.ts"
import type { Exposure } from "../../src/vault/guards/open-exposure.ts"
import {
  addDecimals,
  type Decimal,
  maxDecimal,
  subtractDecimals,
  zero,
} from "../../src/venue/decimal.ts"
import { play, type Setup, type Slip } from "../support/guards/play.ts"
import { numRuns } from "../support/runs.ts"

const steps = fc.array(fc.nat({ max: 0x7fff_ffff }), {
  minLength: 100,
  maxLength: 600,
  size: "max",
})

/** Of some days. */
const manySteps = fc.array(fc.nat({ max: 0x7fff_ffff }), {
  minLength: 500,
  maxLength: 2_000,
  size: "max",
})

/** Without the venue's time, the clocks may be as far apart as that allows for. With it, the further one shows. */
const clocks = fc.oneof(
  fc.record({
    tells: fc.constant("always"),
    aheadMs: fc.constantFrom(-15_000, -2_000, 0, 2_000, 15_000),
  }),
  fc.record({
    tells: fc.constantFrom("at_times", "never"),
    aheadMs: fc.oneof(fc.constant(10_000), fc.integer({ min: -10_000, max: 10_000 })),
  }),
) satisfies fc.Arbitrary<Pick<Setup, "tells" | "aheadMs">>

const setups: fc.Arbitrary<Setup> = fc
  .tuple(
    clocks,
    fc.record({
      mode: fc.constantFrom("one_way", "hedge"),
      validityMs: fc.constantFrom(500, 2_000, 5_000),
      boundsOrders: fc.boolean(),
      isGross: fc.boolean(),
    }),
  )
  .map(([clock, rest]) => ({ ...clock, ...rest }))

/** That no history passes a bound, whatever readings show. */
const holds = (slip: Slip, histories = steps) =>
  fc.property(histories, setups, (history, setup) => {
    assert.equal(play(history, setup, slip).over, undefined)
  })

/** Counts from the position itself, also where it lies on the other side. */
function fromPosition(exposure: Exposure): Exposure {
  return {
    ...exposure,
    worst(asked) {
      const worst = exposure.worst(asked)
      if (typeof worst === "string") return worst
      return {
        ...worst,
        position(symbolId, side) {
          const parts = worst.position(symbolId, side)
          const other = (exposure.reading()?.positions ?? [])
            .filter((position) => position.symbolId === symbolId && position.side !== side)
            .reduce((sum, { quantity }) => addDecimals(sum, quantity), zero)
          const sum = addDecimals(parts.measured, addDecimals(parts.inFlight, parts.asked))
          const less = subtractDecimals(maxDecimal(sum, other), other)
          return { measured: less, inFlight: zero, asked: zero }
        },
      }
    },
  }
}

/** That no history has an order refused that could have reduced something. */
const letsOut = (slip: Slip) =>
  fc.property(steps, setups, (history, setup) => {
    assert.equal(play(history, setup, slip).wronged, undefined)
  })

/** Takes what is asked about without openers, as of what only reduces, for less than it is. */
const forgets =
  (part: (parts: Parts, shown: Decimal) => Partial<Parts>) =>
  (exposure: Exposure): Exposure => ({
    ...exposure,
    worst(asked) {
      const worst = exposure.worst(asked)
      if (typeof worst === "string" || asked.length > 0) return worst
      return {
        ...worst,
        position(symbolId, side) {
          const parts = worst.position(symbolId, side)
          const shown = (exposure.reading()?.positions ?? [])
            .filter((position) => position.symbolId === symbolId && position.side === side)
            .reduce((sum, { quantity }) => addDecimals(sum, quantity), zero)
          return { ...parts, ...part(parts, shown) }
        },
      }
    },
  })

/** Takes what readings freed for nothing. */
function forgetsFreed(exposure: Exposure): Exposure {
  return {
    ...exposure,
    worst(asked) {
      const worst = exposure.worst(asked)
      return typeof worst === "string" ? worst : { ...worst, freed: () => zero }
    },
  }
}

describe("a guard", () => {
  it("holds at every moment, whatever arrives late, fills, is lost, or is shown late", () => {
    fc.assert(holds({}), numRuns(300))
  })

  it("grants what fits, again and again", () => {
    let [granted, played] = [0, 0]
    fc.assert(
      fc.property(steps, setups, (history, setup) => {
        granted += play(history, setup).granted
        played += history.length
      }),
      { seed: 1, numRuns: 100 },
    )
    assert.ok(granted / played > 0.02, `${granted} of ${played} steps`)
  })

  it("refuses no order that could reduce, and others again and again", () => {
    fc.assert(letsOut({}), numRuns(300))
    let idle = 0
    const count = fc.property(steps, setups, (history, setup) => {
      idle += play(history, setup).idle
    })
    fc.assert(count, { seed: 1, numRuns: 100 })
    assert.ok(idle > 20, `${idle} refused`)
  })

  it("is never surprised by a reading where nobody else trades", () => {
    fc.assert(
      fc.property(steps, setups, (history, setup) => {
        assert.equal(play(history, setup, { reads: "one_at_a_time" }).isContradicted, false)
      }),
      numRuns(300),
    )
  })

  it("notices by one reading that somebody else trades, and frees nothing by that", () => {
    let shown = 0
    const noticed = fc.property(steps, setups, (history, setup) => {
      const { foreign } = play(history, setup, { others: "trade" })
      shown += foreign.shown
      assert.equal(foreign.isMissed, false)
      assert.equal(foreign.freed, undefined)
    })
    fc.assert(noticed, numRuns(300))
    assert.ok(shown > 100, `${shown} were shown`)
  })

  it("lets no lie of who reads bring a position beyond its maximum and max_freed of each day", () => {
    let granted = 0
    const holdsStill = fc.property(manySteps, setups, (history, setup) => {
      const played = play(history, setup, { reader: "lies" })
      granted += played.granted
      assert.equal(played.over, undefined)
    })
    fc.assert(holdsStill, numRuns(300))
    assert.ok(granted > 1_000, `${granted} were granted`)
  })

  it("lets lies bring it beyond where what they freed isn't counted", (t) => {
    const lied = holds({ around: forgetsFreed, reader: "lies" }, manySteps)
    const found = fc.check(lied, { seed: 3, numRuns: 2_000, endOnFailure: true })
    assert.ok(found.failed)
    t.diagnostic(`after ${found.numRuns} runs`)
  })

  const wrongs: Readonly<Record<string, Slip>> = {
    "what is in flight is forgotten": { around: forgets(() => ({ inFlight: zero })) },
    "open orders are forgotten": { around: forgets((_, shown) => ({ measured: shown })) },
    "positions are forgotten": {
      around: forgets(({ measured }, shown) => ({ measured: subtractDecimals(measured, shown) })),
    },
    "a reading covers what may not show yet": { reads: "without_lag" },
  }
  for (const [what, slip] of Object.entries(wrongs)) {
    it(`refuses a way out where ${what}`, (t) => {
      const found = fc.check(letsOut(slip), { seed: 3, numRuns: 2_000, endOnFailure: true })
      assert.ok(found.failed)
      t.diagnostic(`after ${found.numRuns} runs`)
    })
  }

  const slips: Readonly<Record<string, Slip>> = {
    "positions are read first": { reads: "positions_first" },
    "positions are older than the order list": { reads: "positions_older" },
    "a reading covers what may not show yet": { reads: "without_lag" },
    "a short position makes room for buys": { around: fromPosition },
  }
  for (const [what, slip] of Object.entries(slips)) {
    it(`doesn't hold where ${what}`, (t) => {
      const found = fc.check(holds(slip), { seed: 3, numRuns: 2_000, endOnFailure: true })
      assert.ok(found.failed)
      t.diagnostic(`after ${found.numRuns} runs`)
    })
  }
})
