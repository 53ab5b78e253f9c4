import { describe, it } from "node:test"
import assert from "node:assert/strict"

import { openMeters, type Meters } from "../../../../../src/vault/ledger/meters/meters.ts"
import { refundsOf } from "../../../../../src/vault/ledger/records/request-row.ts"
import type { Headroom } from "../../../../../src/vault/ledger/records/reservation.ts"
import type { Claim } from "../../../../../src/vault/policy/terms.ts"
import { formatDecimal } from "../../../../../src/venue/decimal.ts"
import { aClaim, dayFrom, hourMs, type ClaimChanges } from "../../../../support/a-claim.ts"

const t0 = 1_780_000_000_000

function taken(asked: Headroom | undefined): boolean {
  return asked === undefined
}

/** Takes one claim; tells whether it was taken. */
function take(meters: Meters, atMs: number, changes: ClaimChanges = {}): boolean {
  return taken(meters.take([aClaim(changes)], atMs))
}

function used(meters: Meters, atMs: number, changes: ClaimChanges = {}): string {
  const [room] = meters.headroom([aClaim(changes)], atMs)
  return formatDecimal(room!.used)
}

function freesAtMs(meters: Meters, atMs: number, changes: ClaimChanges = {}): number | undefined {
  return meters.headroom([aClaim(changes)], atMs)[0]!.freesAtMs
}

describe("a limit", () => {
  const bounds = [
    { max: "10", before: "9", amount: "1", fits: true },
    { max: "10", before: "9", amount: "1.0000000000000000001", fits: false },
    { max: "10", before: "10", amount: "0", fits: true },
    { max: "0.3", before: "0.1", amount: "0.2", fits: true },
    { max: "0.3", before: "0.1", amount: "0.20000000000000001", fits: false },
    { max: "10", before: "0", amount: "10", fits: true },
    { max: "10", before: "0", amount: "10.1", fits: false },
  ]
  for (const { max, before, amount, fits } of bounds) {
    it(`${fits ? "admits" : "refuses"} ${amount} after ${before} of ${max}`, () => {
      const meters = openMeters()
      assert.ok(take(meters, t0, { amount: before, max }))
      assert.equal(take(meters, t0, { amount, max }), fits)
    })
  }

  it("counts a rolling window up to its last millisecond, and no longer", () => {
    const meters = openMeters()
    assert.ok(take(meters, t0, { amount: "10" }))
    assert.equal(take(meters, t0 + hourMs - 1), false)
    assert.equal(used(meters, t0 + hourMs - 1), "10")
    assert.equal(used(meters, t0 + hourMs), "0")
    assert.ok(take(meters, t0 + hourMs))
  })

  it("frees what came close together with the last of it: at most a thousandth later", () => {
    const meters = openMeters()
    for (const afterMs of [0, 3_599, 3_600]) take(meters, t0 + afterMs)
    assert.equal(used(meters, t0 + hourMs + 3_598), "3")
    assert.equal(used(meters, t0 + hourMs + 3_599), "1")
    assert.equal(used(meters, t0 + hourMs + 3_600), "0")
  })

  it("is exact to the millisecond where the window is below two seconds", () => {
    const meters = openMeters()
    const lengthMs = 1_999
    take(meters, t0, { lengthMs })
    take(meters, t0 + 1, { lengthMs })
    assert.equal(used(meters, t0 + 1_998, { lengthMs }), "2")
    assert.equal(used(meters, t0 + 1_999, { lengthMs }), "1")
    assert.equal(used(meters, t0 + 2_000, { lengthMs }), "0")
  })

  it("counts a day up to its end, whenever in it something was taken", () => {
    const meters = openMeters()
    const window = dayFrom(t0, 23)
    const next = dayFrom(window.kind === "day" ? window.endMs : 0)
    assert.ok(take(meters, t0, { amount: "4", window }))
    assert.ok(take(meters, t0 + 23 * hourMs - 1, { amount: "6", window }))
    assert.equal(take(meters, t0 + 23 * hourMs - 1, { window }), false)
    assert.equal(used(meters, t0 + 23 * hourMs, { window: next }), "0")
    assert.ok(take(meters, t0 + 23 * hourMs, { amount: "10", window: next }))
  })

  it("has a meter of its own for each meter's name", () => {
    const meters = openMeters()
    assert.ok(take(meters, t0, { amount: "10" }))
    assert.ok(take(meters, t0, { amount: "10", meter: "orders:other" }))
  })

  it("goes on from what was used when its name, maximum or mode changes", () => {
    const meters = openMeters()
    assert.ok(take(meters, t0, { amount: "10" }))
    assert.equal(take(meters, t0, { limit: "renamed", policy: "moved" }), false)
    assert.ok(take(meters, t0, { max: "12" }))
    assert.ok(take(meters, t0, { mode: "observe" }))
    assert.equal(used(meters, t0), "12")
  })
})

describe("the claims of one request", () => {
  it("are all taken or none", () => {
    const meters = openMeters()
    const wide = aClaim({ meter: "wide", max: "100", limit: "wide" })
    const narrow = aClaim({ meter: "narrow", max: "1", limit: "narrow" })
    assert.ok(taken(meters.take([wide, narrow], t0)))
    for (const claims of [
      [wide, narrow],
      [narrow, wide],
    ]) {
      assert.equal(meters.take(claims, t0)?.claim.limit, "narrow")
    }
    assert.equal(used(meters, t0, { meter: "wide" }), "1")
  })

  it("add up where one limit claims the same meter twice", () => {
    const meters = openMeters()
    const half = aClaim({ amount: "5" })
    assert.ok(taken(meters.take([half, { ...half }], t0)))
    assert.equal(used(meters, t0), "10")
    const one = openMeters()
    const more = aClaim({ amount: "5.1" })
    const spent = one.take([half, more], t0)
    assert.equal(formatDecimal(spent!.asked), "10.1")
    assert.equal(spent!.freesAtMs, undefined)
    assert.equal(used(one, t0), "0")
  })

  it("count once where two limits count the same thing, each by its own maximum", () => {
    const meters = openMeters()
    const claims = (amount: string): readonly Claim[] => [
      aClaim({ amount, limit: "wide", max: "10" }),
      aClaim({ amount, limit: "narrow", policy: "other", max: "6" }),
    ]
    assert.ok(taken(meters.take(claims("6"), t0)))
    assert.equal(used(meters, t0), "6")
    assert.equal(meters.take(claims("1"), t0)?.claim.limit, "narrow")
  })

  it("tell of the limit that stays full for the longest", () => {
    const meters = openMeters()
    const short = aClaim({ meter: "s", limit: "short", lengthMs: 1_000, amount: "10" })
    const long = aClaim({ meter: "l", limit: "long", lengthMs: 60_000, amount: "10" })
    meters.take([short, long], t0)
    assert.equal(meters.ask([short, long], t0)?.claim.limit, "long")
    assert.equal(meters.ask([long, short], t0)?.claim.limit, "long")
    const never = aClaim({ meter: "n", limit: "never", amount: "11" })
    assert.equal(meters.ask([short, never, long], t0)?.claim.limit, "never")
  })

  it("are counted and never refused where a limit only observes", () => {
    const meters = openMeters()
    const watched = aClaim({ mode: "observe", amount: "10" })
    assert.equal(meters.take([watched], t0), undefined)
    assert.equal(meters.take([watched], t0), undefined)
    assert.equal(used(meters, t0), "20")
  })

  it("are counted above the maximum when they were allowed already", () => {
    const meters = openMeters()
    meters.count([aClaim({ amount: "25" })], t0)
    assert.equal(used(meters, t0), "25")
    assert.equal(take(meters, t0, { amount: "0" }), false)
  })
})

describe("when a limit frees", () => {
  it("is now where what is asked fits", () => {
    assert.equal(freesAtMs(openMeters(), t0), t0)
  })

  it("is never where more is asked than the maximum", () => {
    assert.equal(freesAtMs(openMeters(), t0, { amount: "10.5" }), undefined)
  })

  it("is when enough of what was taken is gone", () => {
    const meters = openMeters()
    for (const [afterMs, amount] of [
      [0, "2"],
      [10_000, "3"],
      [20_000, "5"],
    ] as const) {
      take(meters, t0 + afterMs, { amount })
    }
    const nowMs = t0 + 30_000
    for (const [amount, freesMs] of [
      ["1", 0],
      ["2", 0],
      ["2.1", 10_000],
      ["5", 10_000],
      ["5.1", 20_000],
      ["10", 20_000],
    ] as const) {
      const atMs = freesAtMs(meters, nowMs, { amount })
      assert.equal(atMs, t0 + freesMs + hourMs, amount)
      assert.equal(taken(meters.ask([aClaim({ amount })], atMs - 1)), false)
      assert.ok(taken(meters.ask([aClaim({ amount })], atMs)))
    }
  })
})

describe("a clock that goes back", () => {
  it("frees nothing, and counts what is taken then from the latest time on", () => {
    const meters = openMeters()
    assert.ok(take(meters, t0, { amount: "4" }))
    assert.ok(take(meters, t0 - 10 * hourMs, { amount: "6" }))
    assert.equal(take(meters, t0 - 10 * hourMs), false)
    assert.equal(take(meters, t0 + hourMs - 1), false)
    assert.ok(take(meters, t0 + hourMs, { amount: "10" }))
  })

  it("into yesterday finds today's use, and adds to it", () => {
    const meters = openMeters()
    const yesterday = { window: dayFrom(t0 - 24 * hourMs) }
    const today = { window: dayFrom(t0) }
    assert.ok(take(meters, t0 - 1, { ...yesterday, amount: "9" }))
    assert.ok(take(meters, t0, { ...today, amount: "7" }))
    assert.ok(take(meters, t0 - 1, { ...yesterday, amount: "3" }))
    assert.equal(take(meters, t0 - 1, yesterday), false)
    assert.equal(take(meters, t0 + 24 * hourMs - 1, today), false)
    assert.ok(take(meters, t0 + 24 * hourMs, { window: dayFrom(t0 + 24 * hourMs) }))
  })

  it("into a day whose use is forgotten counts there for as long as the longest day", () => {
    const meters = openMeters()
    const yesterday = { window: dayFrom(t0 - 24 * hourMs) }
    const today = { window: dayFrom(t0) }
    const tomorrow = { window: dayFrom(t0 + 24 * hourMs) }
    assert.ok(take(meters, t0, { meter: "other" })) // yesterday is over at this very time
    assert.ok(take(meters, t0 - 1, { ...yesterday, amount: "10" }))
    assert.equal(take(meters, t0 + 10, today), false)
    assert.equal(take(meters, t0 + 26 * hourMs - 1, tomorrow), false)
    assert.ok(take(meters, t0 + 26 * hourMs, tomorrow))
  })
})

describe("giving back", () => {
  const refundable = { release: "refused" } as const
  const refund = (amount: string, max = "10") => refundsOf([aClaim({ ...refundable, amount, max })])

  it("frees what a refused request took", () => {
    const meters = openMeters()
    assert.ok(take(meters, t0, { ...refundable, amount: "10" }))
    meters.release(refund("4"), t0, t0 + 5)
    assert.equal(used(meters, t0 + 5, refundable), "6")
    assert.equal(take(meters, t0 + 5, { ...refundable, amount: "4.1" }), false)
    assert.ok(take(meters, t0 + 5, { ...refundable, amount: "4" }))
  })

  it("gives back at most the maximum within a window", () => {
    const meters = openMeters()
    for (let round = 0; round < 3; round++) {
      assert.equal(take(meters, t0, { ...refundable, amount: "7" }), round < 2, `round ${round}`)
      meters.release(refund("7"), t0, t0)
    }
    // 7 and then 3 of 7 were given back, so 4 are used; nothing more comes back within the window.
    assert.equal(used(meters, t0, refundable), "4")
    meters.release(refund("4"), t0, t0 + hourMs - 1)
    assert.equal(used(meters, t0 + hourMs - 1, refundable), "4")
  })

  it("gives back again when a window has passed since", () => {
    const meters = openMeters()
    assert.ok(take(meters, t0, { ...refundable, amount: "10" }))
    meters.release(refund("10"), t0, t0)
    const later = t0 + hourMs
    assert.ok(take(meters, later - 1, { ...refundable, amount: "10" }))
    meters.release(refund("10"), later - 1, later - 1)
    assert.equal(used(meters, later - 1, refundable), "10")
    meters.release(refund("10"), later - 1, later)
    assert.equal(used(meters, later, refundable), "0")
  })

  it("gives nothing back above a maximum that was lowered since", () => {
    const meters = openMeters()
    assert.ok(take(meters, t0, { ...refundable, amount: "10" }))
    meters.release(refund("6"), t0, t0)
    meters.release(refund("4", "5"), t0, t0)
    assert.equal(used(meters, t0, refundable), "4")
  })

  it("gives nothing back of what no longer counts", () => {
    const meters = openMeters()
    take(meters, t0, { ...refundable, amount: "3" })
    take(meters, t0 + hourMs, { ...refundable, amount: "5" })
    meters.release(refund("3"), t0, t0 + hourMs)
    assert.equal(used(meters, t0 + hourMs, refundable), "5")
  })

  it("takes away what was taken at that time, not what was taken before", () => {
    const meters = openMeters()
    take(meters, t0, { ...refundable, amount: "4" })
    take(meters, t0 + 60_000, { ...refundable, amount: "5" })
    meters.release(refund("5"), t0 + 60_000, t0 + 60_000)
    assert.equal(used(meters, t0 + hourMs - 1, refundable), "4")
    assert.equal(used(meters, t0 + hourMs, refundable), "0")
  })

  it("frees nothing in a limit that gives nothing back, though it counts the same", () => {
    const meters = openMeters()
    const claims = [
      aClaim({ ...refundable, limit: "generous", amount: "10" }),
      aClaim({ limit: "strict", amount: "10" }),
    ]
    assert.ok(taken(meters.take(claims, t0)))
    assert.equal(refundsOf(claims).length, 1)
    meters.release(refundsOf(claims), t0, t0)
    assert.equal(used(meters, t0, refundable), "0")
    assert.equal(used(meters, t0), "10")
  })

  it("knows a day's window too", () => {
    const meters = openMeters()
    const window = dayFrom(t0)
    const claim = aClaim({ ...refundable, window, amount: "10" })
    for (const [round, left] of ["0", "10"].entries()) {
      assert.ok(taken(meters.take([claim], t0 + round)))
      meters.release(refundsOf([claim]), t0 + round, t0 + 2)
      assert.equal(used(meters, t0 + 2, { ...refundable, window }), left)
    }
  })
})

describe("what meters remember", () => {
  it("is at most about a thousand parts of a busy meter", () => {
    const meters = openMeters()
    let most = 0
    for (let step = 0; step < 100_000; step++) {
      meters.count([aClaim({ amount: "1" })], t0 + step * 101)
      most = Math.max(most, meters.size().parts)
    }
    assert.ok(most > 500 && most <= 1_001, `${most} parts`)
  })

  it("is nothing of meters with nothing left", () => {
    const meters = openMeters()
    for (let count = 0; count < 100; count++) take(meters, t0, { meter: `m${count}` })
    assert.equal(meters.size().meters, 100)
    take(meters, t0 + hourMs, { meter: "another" })
    assert.deepEqual(meters.size(), { meters: 1, parts: 1 })
  })

  it("is nothing of amounts of zero", () => {
    const meters = openMeters()
    take(meters, t0, { amount: "0" })
    assert.deepEqual(meters.size(), { meters: 0, parts: 0 })
  })

  it("doesn't change by asking, at whatever time", () => {
    const meters = openMeters()
    take(meters, t0, { amount: "10" })
    meters.headroom([aClaim()], t0 + 50 * hourMs)
    meters.ask([aClaim()], t0 + 50 * hourMs)
    assert.equal(used(meters, t0), "10")
    assert.equal(meters.highWaterMs(), t0)
  })
})
