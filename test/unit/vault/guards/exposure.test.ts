import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  enlarges,
  type Opener,
  type Parts,
  type Side,
} from "../../../../src/vault/guards/exposure.ts"
import {
  type Exposure,
  maxInFlight,
  openExposure,
} from "../../../../src/vault/guards/open-exposure.ts"
import { formatDecimal } from "../../../../src/venue/decimal.ts"
import {
  aReading,
  askedAtMs,
  buy,
  coveredMs,
  decimal,
  exposureOf,
  held,
  lagMs,
  open,
  opener,
  sell,
  symbolId,
  take,
} from "../../../support/guards/exposures.ts"

function worstOf(exposure: Exposure, asked: readonly Opener[] = []) {
  const worst = exposure.worst(asked)
  if (typeof worst === "string") throw new Error(worst)
  return worst
}

const texts = ({ measured, inFlight, asked }: Parts) =>
  [measured, inFlight, asked].map(formatDecimal)

/** What a side comes to: measured, in flight, asked. */
function position(exposure: Exposure, side: Side, asked: readonly Opener[] = []) {
  return texts(worstOf(exposure, asked).position(symbolId, side))
}

const coveringTold = { askedAtMs, venueAtMs: askedAtMs }
const toldCoveredMs = askedAtMs - lagMs - 2_000

describe("an exposure", () => {
  it("has no figure before a reading", () => {
    const exposure = openExposure({ lagMs })
    take(exposure, [buy("1")])
    assert.equal(exposure.worst([buy("1")]), "no_reading")
    assert.equal(exposure.reading(), undefined)
    exposure.read(aReading())
    assert.deepEqual(position(exposure, "long", [buy("1")]), ["0", "1", "1"])
    assert.deepEqual(exposure.reading(), aReading())
  })

  it("adds position, open orders, what is in flight and what is asked, each side by itself", () => {
    const exposure = exposureOf({
      orders: [open("long", "0.5"), open("long", "0.25"), open("short", "7")],
      positions: [held("long", "2")],
    })
    take(exposure, [buy("4"), sell("0.1")])
    assert.deepEqual(position(exposure, "long", [buy("8"), buy("16")]), ["2.75", "4", "24"])
    assert.deepEqual(position(exposure, "short", [buy("8")]), ["7", "0.1", "0"])
  })

  it("counts a position on its own side, and takes none of it off the other", () => {
    const exposure = exposureOf({ positions: [held("short", "10")] })
    assert.deepEqual(position(exposure, "short"), ["10", "0", "0"])
    assert.deepEqual(position(exposure, "long"), ["0", "0", "0"])
  })

  it("holds both sides of a symbol in hedge mode", () => {
    const exposure = exposureOf({ positions: [held("long", "3"), held("short", "4")] })
    assert.deepEqual(position(exposure, "long"), ["3", "0", "0"])
    assert.deepEqual(position(exposure, "short"), ["4", "0", "0"])
  })

  it("keeps symbols apart", () => {
    const exposure = exposureOf({ positions: [{ ...held("long", "3"), symbolId: 2 }] })
    take(exposure, [{ ...buy("4"), symbolId: 2 }])
    assert.deepEqual(position(exposure, "long", [{ ...buy("5"), symbolId: 2 }]), ["0", "0", "0"])
    assert.deepEqual(texts(worstOf(exposure).position(2, "long")), ["3", "4", "0"])
  })

  it("doesn't count an open order that only reduces", () => {
    const exposure = exposureOf({ orders: [{ ...open("long", "5", "2"), side: "neither" }] })
    assert.deepEqual(position(exposure, "long"), ["0", "0", "0"])
    assert.deepEqual(texts(worstOf(exposure).openOrders), ["0", "0", "0"])
    assert.deepEqual(texts(worstOf(exposure).openNotional(() => undefined)!), ["0", "0", "0"])
  })

  it("counts open orders of all symbols, each order of a request", () => {
    const exposure = exposureOf({
      orders: [open("long", "1"), { ...open("short", "1"), symbolId: 2 }],
    })
    take(exposure, [buy("1"), buy("1"), sell("1")])
    assert.deepEqual(texts(worstOf(exposure, [buy("1")]).openOrders), ["2", "3", "1"])
  })

  it("counts a record once, and one without openers not at all", () => {
    const exposure = exposureOf()
    take(exposure, [buy("1")])
    take(exposure, [buy("1")])
    take(exposure, [], { record: "r2" })
    assert.equal(exposure.inFlight(), 1)
    assert.deepEqual(position(exposure, "long"), ["0", "1", "0"])
  })

  it(`has no figure with ${maxInFlight} requests in flight, and again with one less`, () => {
    const exposure = exposureOf()
    for (let count = 1; count < maxInFlight; count++) {
      take(exposure, [buy("1")], { record: `r${count}` })
    }
    assert.deepEqual(position(exposure, "long"), ["0", String(maxInFlight - 1), "0"])
    take(exposure, [buy("1")], { record: "last", expiresAfterMs: coveredMs + 1 })
    assert.equal(exposure.worst([buy("1")]), "in_flight")
    exposure.read(aReading({ askedAtMs: askedAtMs + 1 }))
    assert.deepEqual(position(exposure, "long"), ["0", String(maxInFlight - 1), "0"])
  })
})

describe("a reading", () => {
  it("covers what ended 10 s and the lag before it was asked for, and nothing later", () => {
    for (const [expiresAfterMs, inFlight] of [
      [coveredMs, 0],
      [coveredMs + 1, 1],
    ] as const) {
      const exposure = openExposure({ lagMs })
      take(exposure, [buy("1")], { expiresAfterMs })
      exposure.read(aReading())
      assert.equal(exposure.inFlight(), inFlight)
      assert.deepEqual(position(exposure, "long"), ["0", String(inFlight), "0"])
    }
  })

  it("that tells the venue's time covers what ended 2 s and the lag before it was asked for", () => {
    for (const [expiresAfterMs, inFlight] of [
      [toldCoveredMs, 0],
      [toldCoveredMs + 1, 1],
    ] as const) {
      const exposure = openExposure({ lagMs })
      take(exposure, [buy("1")], { expiresAfterMs })
      exposure.read(aReading(coveringTold))
      assert.equal(exposure.inFlight(), inFlight)
    }
  })

  it("covers nothing that the venue, by its own time, could take within the lag", () => {
    const expiresAfterMs = 500_000
    for (const [venueAtMs, inFlight] of [
      [expiresAfterMs + lagMs + 1, 0],
      [expiresAfterMs + lagMs, 1],
    ] as const) {
      const exposure = openExposure({ lagMs })
      take(exposure, [buy("1")], { expiresAfterMs })
      exposure.read(aReading({ venueAtMs }))
      assert.equal(exposure.inFlight(), inFlight)
    }
  })

  it("takes the place of the one before, and keeps in full what it doesn't cover", () => {
    const exposure = exposureOf({ orders: [open("long", "5")], positions: [held("short", "1")] })
    take(exposure, [buy("1")], { record: "early", expiresAfterMs: coveredMs + 1 })
    take(exposure, [buy("2")], { record: "late", expiresAfterMs: coveredMs + 2 })
    assert.ok(exposure.read(aReading({ askedAtMs: askedAtMs + 1, orders: [open("long", "1")] })))
    assert.deepEqual(position(exposure, "long"), ["1", "2", "0"])
    assert.deepEqual(position(exposure, "short"), ["0", "0", "0"])
  })

  it("covers what is counted after it too, as at a start", () => {
    const exposure = exposureOf()
    take(exposure, [buy("1")], { record: "covered", expiresAfterMs: coveredMs })
    take(exposure, [buy("2")], { record: "not", expiresAfterMs: coveredMs + 1 })
    assert.deepEqual(position(exposure, "long"), ["0", "2", "0"])
  })

  it("that was asked for before the one in force changes nothing", () => {
    const exposure = exposureOf({ positions: [held("long", "1")] })
    take(exposure, [buy("1")])
    const older = aReading({ askedAtMs: askedAtMs - 1, venueAtMs: askedAtMs })
    assert.equal(exposure.read(older), false)
    assert.deepEqual(position(exposure, "long"), ["1", "1", "0"])
    assert.ok(exposure.read(aReading()))
    assert.deepEqual(position(exposure, "long"), ["0", "1", "0"])
  })

  // The ledger's clock is 20 s ahead. What the first let go of was taken after the second looked, and before it did.
  it("that overtook one which covers more changes nothing", () => {
    const exposure = openExposure({ lagMs })
    const expiresAfterMs = askedAtMs - 10_000
    take(exposure, [buy("1")], { expiresAfterMs })
    const slow = { askedAtMs, venueAtMs: expiresAfterMs + lagMs + 1 }
    assert.ok(exposure.read(aReading({ ...slow, positions: [held("long", "1")] })))
    assert.deepEqual(position(exposure, "long"), ["1", "0", "0"])
    const swift = { askedAtMs: askedAtMs + 1_000, venueAtMs: expiresAfterMs - 1_000 }
    assert.equal(exposure.read(aReading(swift)), false)
    assert.equal(exposure.read(aReading({ askedAtMs: askedAtMs + 1_000 })), false)
    assert.deepEqual(position(exposure, "long"), ["1", "0", "0"])
    assert.ok(exposure.read(aReading({ ...slow, askedAtMs: askedAtMs + 1 })))
  })
})

describe("what open orders come to", () => {
  const notional = (exposure: Exposure, reference?: string, asked: readonly Opener[] = []) => {
    const parts = worstOf(exposure, asked).openNotional(() =>
      reference === undefined ? undefined : decimal(reference),
    )
    return parts && texts(parts)
  }

  it("is a buy's price, a sell's or the reference, the higher, and the reference without a price", () => {
    assert.deepEqual(notional(exposureOf({ orders: [open("long", "2", "10")] }), "99"), [
      "20",
      "0",
      "0",
    ])
    assert.deepEqual(notional(exposureOf({ orders: [open("short", "2", "10")] }), "9"), [
      "20",
      "0",
      "0",
    ])
    assert.deepEqual(notional(exposureOf({ orders: [open("short", "2", "10")] }), "11"), [
      "22",
      "0",
      "0",
    ])
    assert.deepEqual(notional(exposureOf({ orders: [open("long", "2")] }), "11"), ["22", "0", "0"])
    assert.deepEqual(notional(exposureOf({ orders: [open("short", "2")] }), "11"), ["22", "0", "0"])
  })

  it("is unknown without a reference, unless all are buys with a price", () => {
    assert.deepEqual(notional(exposureOf({ orders: [open("long", "2", "10")] })), ["20", "0", "0"])
    assert.equal(notional(exposureOf({ orders: [open("short", "2", "10")] })), undefined)
    assert.equal(notional(exposureOf({ orders: [open("long", "2")] })), undefined)
  })

  it("follows the reference", () => {
    const exposure = exposureOf({ orders: [open("short", "2", "10"), open("long", "1", "1")] })
    const seen = ["11", "11.0", "12", "9", undefined, "11"].map(
      (price) => notional(exposure, price)?.[0],
    )
    assert.deepEqual(seen, ["23", "23", "25", "21", undefined, "23"])
  })

  it("is what was recorded for what is in flight, and unknown with one that had no price", () => {
    const exposure = exposureOf()
    take(exposure, [opener("long", "1", "5"), opener("short", "1", "6")])
    assert.deepEqual(notional(exposure, "99", [opener("long", "1", "7")]), ["0", "11", "7"])
    assert.equal(notional(exposure, "99", [opener("long", "1", null)]), undefined)
    take(exposure, [opener("long", "1", null)], { record: "r2", expiresAfterMs: coveredMs + 1 })
    assert.equal(notional(exposure, "99"), undefined)
    exposure.read(aReading({ askedAtMs: askedAtMs + 1 }))
    assert.deepEqual(notional(exposure, "99"), ["0", "11", "0"])
  })
})

describe("what an order enlarges", () => {
  const plain = { isBuy: true, positionSide: undefined, reduceOnly: false } as const
  const sold = { ...plain, isBuy: false }

  it("is the long side by a buy and the short one by a sell, one way", () => {
    assert.equal(enlarges("one_way", plain), "long")
    assert.equal(enlarges("one_way", sold), "short")
    assert.equal(enlarges("one_way", { ...sold, positionSide: "both" }), "short")
  })

  it("is the side that it names in hedge mode, if it doesn't close that", () => {
    assert.equal(enlarges("hedge", { ...plain, positionSide: "long" }), "long")
    assert.equal(enlarges("hedge", { ...sold, positionSide: "short" }), "short")
    assert.equal(enlarges("hedge", { ...sold, positionSide: "long" }), "neither")
    assert.equal(enlarges("hedge", { ...plain, positionSide: "short" }), "neither")
  })

  it("can't be told in hedge mode of an order without a side", () => {
    assert.equal(enlarges("hedge", plain), undefined)
    assert.equal(enlarges("hedge", { ...plain, positionSide: "both" }), undefined)
  })

  it("is neither side where it is reduce-only", () => {
    assert.equal(enlarges("one_way", { ...plain, reduceOnly: true }), "neither")
    assert.equal(enlarges("hedge", { ...plain, reduceOnly: true }), "neither")
  })
})
