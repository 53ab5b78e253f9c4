import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { PositionMode } from "../../../../src/vault/guards/exposure.ts"
import { openExposure } from "../../../../src/vault/guards/open-exposure.ts"
import { isBelieved, nothingFor } from "../../../../src/vault/guards/reach.ts"
import {
  aReading,
  askedAtMs,
  buy,
  coveredMs,
  exposureOf,
  held,
  lagMs,
  open,
  sell,
  symbolId,
  take,
} from "../../../support/guards/exposures.ts"

type Orders = Parameters<typeof nothingFor>[0]
type Reducer = Orders[number]["order"]

const plain = { symbolId, positionSide: undefined, algoOrderType: undefined }
const toBuy: Reducer = { ...plain, isBuy: true }
const toSell: Reducer = { ...plain, isBuy: false }

/** Of which side there is nothing; `may` where something may be reduced. */
function told(orders: readonly Reducer[], exposure = exposureOf(), mode: PositionMode = "one_way") {
  const nothing = nothingFor(
    orders.map((order) => ({ order })),
    { mode, exposure },
  )
  return nothing === undefined ? "may" : `${nothing.symbolId} ${nothing.side}`
}

const short = (quantity: string) => exposureOf({ positions: [held("short", quantity)] })

describe("a reduce-only order", () => {
  it("has nothing to reduce where the account has nothing", () => {
    assert.equal(told([toBuy]), "1 short")
    assert.equal(told([toSell]), "1 long")
  })

  it("may reduce the other side's position, however small, and not its own", () => {
    assert.equal(told([toBuy], short("0.0001")), "may")
    assert.equal(told([toBuy], short("0")), "1 short")
    assert.equal(told([toSell], short("5")), "1 long")
  })

  it("may reduce what an open order could make", () => {
    const exposure = exposureOf({ orders: [open("short", "0.1")] })
    assert.equal(told([toBuy], exposure), "may")
    assert.equal(told([toSell], exposure), "1 long")
    const reducing = exposureOf({ orders: [{ ...open("short", "0.1"), side: "neither" }] })
    assert.equal(told([toBuy], reducing), "1 short")
  })

  it("may reduce what is in flight could make, until a reading covers that", () => {
    const exposure = exposureOf()
    take(exposure, [sell("0.1")], { expiresAfterMs: coveredMs + 1 })
    assert.equal(told([toBuy], exposure), "may")
    assert.equal(told([toSell], exposure), "1 long")
    exposure.read(aReading({ askedAtMs: askedAtMs + 1 }))
    assert.equal(told([toBuy], exposure), "1 short")
  })

  it("has nothing in another symbol than the position's", () => {
    assert.equal(told([{ ...toBuy, symbolId: 2 }], short("1")), "2 short")
  })

  it("may reduce before there is a reading", () => {
    assert.equal(told([toBuy], openExposure({ lagMs })), "may")
  })

  it("may reduce where it waits for a trigger", () => {
    assert.equal(told([{ ...toBuy, algoOrderType: "conditional" }]), "may")
  })

  it("lets a batch of several pass where one may reduce, and none of them otherwise", () => {
    assert.equal(told([toSell, toBuy], short("1")), "may")
    assert.equal(told([toBuy, toSell], short("1")), "may")
    assert.equal(told([toSell, toBuy]), "1 long")
    assert.equal(told([]), "may")
  })

  it("goes by its position side in hedge mode, and may reduce without one", () => {
    const exposure = exposureOf({ positions: [held("long", "1")] })
    const of = (order: Reducer, positionSide: Reducer["positionSide"]) =>
      told([{ ...order, positionSide }], exposure, "hedge")
    assert.equal(of(toSell, "long"), "may")
    assert.equal(of(toBuy, "short"), "1 short")
    assert.equal(of(toBuy, "long"), "may", "a buy enlarges what is long")
    assert.equal(of(toSell, "both"), "may")
    assert.equal(of(toBuy, undefined), "may")
  })

  it("may reduce once a reading showed more than could be", () => {
    const exposure = exposureOf({ orders: [open("long", "1")] })
    take(exposure, [buy("2")])
    exposure.read(aReading({ askedAtMs: askedAtMs + 1, positions: [held("long", "3")] }))
    assert.equal(exposure.contradiction(), undefined)
    assert.equal(told([toBuy], exposure), "1 short")
    exposure.read(aReading({ askedAtMs: askedAtMs + 2, positions: [held("long", "5.1")] }))
    assert.ok(exposure.contradiction())
    exposure.read(aReading({ askedAtMs: askedAtMs + 3 }))
    assert.equal(told([toBuy], exposure), "may")
  })

  it("isn't surprised by what the first reading shows, nor by one that isn't taken", () => {
    const exposure = openExposure({ lagMs })
    exposure.read(aReading({ positions: [held("long", "5")] }))
    exposure.read(aReading({ askedAtMs: askedAtMs - 1, positions: [held("long", "6")] }))
    assert.equal(exposure.contradiction(), undefined)
  })
})

it("a reading is believed for 10 s since it began, and not ahead of time", () => {
  const told = [-1, 0, 10_000, 10_001].map((ageMs) => isBelieved(ageMs))
  assert.deepEqual(told, [false, true, true, false])
})
