import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Reading, Side } from "../../../../src/vault/guards/exposure.ts"
import type { Exposure } from "../../../../src/vault/guards/open-exposure.ts"
import { formatDecimal } from "../../../../src/venue/decimal.ts"
import {
  aReading,
  askedAtMs,
  buy,
  coveredMs,
  decimal,
  exposureOf,
  held,
  open,
  sell,
  symbolId,
  take,
} from "../../../support/guards/exposures.ts"

/** What a side comes to: by readings, and in flight. */
function position(exposure: Exposure, side: Side) {
  const { measured, inFlight } = worstOf(exposure).position(symbolId, side)
  return [measured, inFlight].map(formatDecimal)
}

function worstOf(exposure: Exposure) {
  const worst = exposure.worst([])
  return typeof worst === "string" ? assert.fail(worst) : worst
}

const later = (seconds: number, shown: Partial<Reading> = {}): Reading =>
  aReading({ askedAtMs: askedAtMs + 1_000 * seconds, ...shown })

/** Long 1 with a buy of 2 open, and a buy of 3 and a sell of 4 in flight that later readings cover. */
function known(): Exposure {
  const exposure = exposureOf({ positions: [held("long", "1")], orders: [open("long", "2", "7")] })
  take(exposure, [buy("3"), sell("4")], { expiresAfterMs: coveredMs + 1 })
  return exposure
}

describe("a reading that shows more of a position than could be", () => {
  it("is told, and that nothing agrees with it yet", () => {
    const exposure = known()
    assert.ok(exposure.read(later(1, { positions: [held("long", "7")] })))
    assert.deepEqual(exposure.contradiction(), { askedAtMs: askedAtMs + 1_000, isOpen: true })
    assert.equal(exposure.reading()?.askedAtMs, askedAtMs + 1_000)
  })

  it("isn't one that shows just what could be, on either side", () => {
    for (const most of [held("long", "6"), held("short", "4")]) {
      const exposure = known()
      exposure.read(later(1, { positions: [most] }))
      assert.equal(exposure.contradiction(), undefined)
      assert.equal(exposure.inFlight(), 0)
    }
  })

  it("counts where it shows more, and frees nothing where it shows less", () => {
    const exposure = known()
    exposure.read(later(1, { positions: [held("short", "5")] }))
    assert.deepEqual(position(exposure, "short"), ["5", "4"])
    assert.deepEqual(position(exposure, "long"), ["3", "3"])
    const { openOrders, openNotional } = worstOf(exposure)
    assert.equal(formatDecimal(openOrders.measured), "1")
    assert.equal(formatDecimal(openNotional(() => undefined)!.measured), "14")
  })

  it("counts its open orders where they are more", () => {
    const exposure = known()
    const orders = [open("long", "1", "8"), open("long", "1", "9")]
    exposure.read(later(1, { positions: [held("short", "5")], orders }))
    const { openOrders, openNotional } = worstOf(exposure)
    assert.equal(formatDecimal(openOrders.measured), "2")
    assert.equal(formatDecimal(openNotional(() => undefined)!.measured), "17")
    assert.deepEqual(position(exposure, "long"), ["3", "3"])
  })

  it("counts what is signed after it", () => {
    const exposure = known()
    exposure.read(later(1, { positions: [held("short", "5")] }))
    take(exposure, [buy("8")], { record: "r2", expiresAfterMs: coveredMs + 2 })
    assert.deepEqual(position(exposure, "long"), ["3", "11"])
  })

  it("frees what the next covers, if that is possible from it", () => {
    const exposure = known()
    exposure.read(later(1, { positions: [held("short", "5")] }))
    exposure.read(later(2, { positions: [held("short", "5.5")] }))
    assert.deepEqual(position(exposure, "short"), ["5.5", "0"])
    assert.deepEqual(position(exposure, "long"), ["0", "0"])
    assert.deepEqual(exposure.contradiction(), { askedAtMs: askedAtMs + 1_000, isOpen: false })
  })

  it("frees nothing by one after it that only the one before it allows", () => {
    const exposure = known()
    exposure.read(later(1, { positions: [held("short", "5")] }))
    exposure.read(later(2, { positions: [held("long", "6")], orders: [open("long", "1", "1")] }))
    assert.deepEqual(exposure.contradiction(), { askedAtMs: askedAtMs + 2_000, isOpen: true })
    assert.deepEqual(position(exposure, "short"), ["5", "4"])
    assert.deepEqual(position(exposure, "long"), ["7", "3"])
    assert.equal(formatDecimal(worstOf(exposure).openNotional(() => undefined)!.measured), "14")
    exposure.read(later(3, { positions: [held("long", "6")] }))
    assert.deepEqual(position(exposure, "long"), ["6", "0"])
    assert.deepEqual(position(exposure, "short"), ["0", "0"])
  })

  it("costs no more for going on", () => {
    const exposure = known()
    for (let seconds = 1; seconds < 20_000; seconds++) {
      const side = seconds % 2 === 0 ? "long" : "short"
      exposure.read(later(seconds, { positions: [held(side, "9")] }))
    }
    const priced = worstOf(exposure).openNotional(() => decimal("1"))
    assert.equal(formatDecimal(priced!.measured), "14")
  })
})
