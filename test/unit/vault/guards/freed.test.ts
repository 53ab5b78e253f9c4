import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { judgeGuard, leastFreed } from "../../../../src/vault/guards/guard.ts"
import type { Opener } from "../../../../src/vault/guards/exposure.ts"
import { type Exposure, openExposure } from "../../../../src/vault/guards/open-exposure.ts"
import type { Guard } from "../../../../src/vault/policy/guard-terms.ts"
import { type Decimal, formatDecimal } from "../../../../src/venue/decimal.ts"
import {
  aReading,
  buy,
  decimal,
  held,
  lagMs,
  open,
  sell,
  symbolId,
  take,
} from "../../../support/guards/exposures.ts"

const dayMs = 86_400_000
const guard: Guard = {
  ...{ name: "g", maxOpenOrders: undefined, maxOpenNotional: undefined, loss: undefined },
  maxPosition: { bySymbol: new Map(), default: { kind: "net", max: decimal("10") } },
  maxFreed: { bySymbol: new Map([[symbolId, decimal("4")]]), default: decimal("1") },
}

/** An account that has nothing, read as its day began. */
function atNoon() {
  const exposure = openExposure({ lagMs })
  let [count, lastMs] = [0, 13_000]
  /** What is signed is covered by a reading that begins 13 s after the one before it. */
  const sign = (...openers: readonly Opener[]): void => {
    take(exposure, openers, { record: `r${(count += 1)}`, expiresAfterMs: lastMs })
  }
  const read = (atMs: number, shown = {}): void => {
    lastMs = dayMs / 2 + atMs
    exposure.read(aReading({ askedAtMs: lastMs, ...shown }), leastFreed([guard]))
  }
  exposure.read(aReading({ askedAtMs: lastMs }), leastFreed([guard]))
  return { exposure, sign, read }
}

/** What is left, and what was freed where that is told. */
function left(exposure: Exposure, side: "long" | "short" = "long") {
  const openers = [side === "long" ? buy("100") : sell("100")]
  const found = judgeGuard(guard, exposure, {
    openers,
    referencePrice: () => undefined,
    loss: undefined,
  })
  assert.ok(found !== undefined && "room" in found)
  return [found.room, found.freed].map((each: Decimal | undefined) => each && formatDecimal(each))
}

describe("what readings free in a day", () => {
  it("is all up to max_freed, and no more of that side", () => {
    const { exposure, sign, read } = atNoon()
    sign(buy("4"), sell("4.5"))
    read(0)
    assert.deepEqual(left(exposure), ["10", undefined])
    assert.deepEqual(left(exposure, "short"), ["9.5", "4.5"])
    sign(buy("10"))
    read(13_000)
    assert.deepEqual(left(exposure), ["0", "14"])
  })

  it("is less by what readings show again", () => {
    const { exposure, sign, read } = atNoon()
    sign(buy("6"))
    read(0)
    assert.deepEqual(left(exposure), ["8", "6"])
    read(1, { positions: [held("long", "3")], orders: [open("long", "2")] })
    assert.deepEqual(left(exposure), ["5", undefined])
  })

  it("begins anew with the first reading of the next day, but for what is held back", () => {
    const { exposure, sign, read } = atNoon()
    sign(buy("9"))
    read(0)
    assert.deepEqual(left(exposure), ["5", "9"])
    read(dayMs / 2 - 1)
    assert.deepEqual(left(exposure), ["5", "9"])
    read(dayMs / 2)
    assert.deepEqual(left(exposure), ["9", "5"], "5 were held back, and 4 of them are freed")
    read(3 * dayMs)
    assert.deepEqual(left(exposure), ["10", undefined])
  })

  it("counts the first reading of a day to that day", () => {
    const { exposure, sign, read } = atNoon()
    sign(buy("9"))
    read(dayMs)
    assert.deepEqual(left(exposure), ["5", "9"])
  })

  it("starts from the first reading, whatever was signed before", () => {
    const exposure = openExposure({ lagMs })
    take(exposure, [buy("9")], { expiresAfterMs: 1_000 })
    exposure.read(aReading(), leastFreed([guard]))
    assert.deepEqual(left(exposure), ["10", undefined])
  })

  it("is the least that a guard says, for each symbol", () => {
    const other = { ...guard, maxFreed: { bySymbol: new Map(), default: decimal("2") } }
    const mayFree = leastFreed([{ ...guard, maxFreed: undefined }, guard, other])
    assert.deepEqual(
      [symbolId, 99].map((id) => formatDecimal(mayFree(id)!)),
      ["2", "1"],
    )
    assert.equal(leastFreed([])(symbolId), undefined)
  })
})
