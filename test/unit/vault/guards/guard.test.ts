import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Opener } from "../../../../src/vault/guards/exposure.ts"
import { openExposure, type Exposure } from "../../../../src/vault/guards/open-exposure.ts"
import type { Decimal } from "../../../../src/venue/decimal.ts"
import { judgeGuard, type LossUnknown } from "../../../../src/vault/guards/guard.ts"
import type { Loss } from "../../../../src/vault/guards/loss.ts"
import type { Guard, PositionMax } from "../../../../src/vault/policy/guard-terms.ts"
import { formatDecimal } from "../../../../src/venue/decimal.ts"
import {
  buy,
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

const nothing: Guard = {
  ...{
    name: "g",
    maxPosition: undefined,
    maxFreed: undefined,
    maxOpenOrders: undefined,
    maxOpenNotional: undefined,
  },
  loss: undefined,
}

function positionGuard(kind: PositionMax["kind"], max: string): Guard {
  const bySymbol = new Map([[symbolId, { kind, max: decimal(max) }]])
  return { ...nothing, maxPosition: { bySymbol, default: undefined } }
}

const netOf10 = positionGuard("net", "10")

/** What a guard says, with decimals as text. */
function judged(
  guard: Guard,
  exposure: Exposure,
  asked:
    | readonly Opener[]
    | {
        readonly openers: readonly Opener[]
        readonly reference: string
        /** Where it isn't known of every symbol. */
        readonly isPriced?: (symbolId: number) => boolean
        readonly lost?: string
      },
) {
  const {
    openers,
    reference,
    isPriced = () => true,
    lost,
  } = "openers" in asked ? asked : { openers: asked, reference: undefined, lost: undefined }
  const referencePrice = (id: number) =>
    reference === undefined || !isPriced(id) ? undefined : decimal(reference)
  const said: object | undefined = judgeGuard(guard, exposure, {
    ...{ openers, referencePrice },
    loss: lost === undefined ? undefined : () => lossOf(lost),
  })
  return (
    said && Object.fromEntries(Object.entries(said).map(([name, value]) => [name, shown(value)]))
  )
}

/** Of 1,000, and a bound of 100. */
function lossOf(lost: string): Loss | LossUnknown {
  if (!/^\d/.test(lost)) return lost as LossUnknown
  const from = { fromMs: 0, of: decimal("1000"), at: decimal("1000") }
  return { measured: decimal(lost), equity: decimal("950"), from, max: decimal("100") }
}

function shown(value: unknown): unknown {
  return typeof value === "object" ? formatDecimal(value as Decimal) : value // no other object is in it
}

describe("max_position", () => {
  it("lets a side come to it and no further, and says by what it would be passed", () => {
    const exposure = exposureOf({ positions: [held("long", "2")], orders: [open("long", "3")] })
    take(exposure, [buy("1.5")])
    assert.equal(judged(netOf10, exposure, [buy("3.50")]), undefined)
    assert.deepEqual(judged(netOf10, exposure, [buy("3.51")]), {
      ...{ kind: "max_position", measure: "net", symbolId },
      ...{ max: "10", measured: "5", inFlight: "1.5", asked: "3.51", worst: "10.01", room: "3.5" },
    })
  })

  it("bounds the short side as the long one", () => {
    const exposure = exposureOf({ positions: [held("short", "9")] })
    assert.equal(judged(netOf10, exposure, [sell("1")]), undefined)
    assert.equal(judged(netOf10, exposure, [sell("1.1")])?.["room"], "1")
  })

  it("leaves 10 of room and not 20 to who is 10 short", () => {
    const exposure = exposureOf({ positions: [held("short", "10")] })
    assert.equal(judged(netOf10, exposure, [buy("10")]), undefined)
    assert.equal(judged(netOf10, exposure, [buy("10.1")])?.["room"], "10")
  })

  it("takes all orders of a request together, or none", () => {
    const exposure = exposureOf()
    assert.equal(judged(netOf10, exposure, [buy("5"), buy("5")]), undefined)
    assert.equal(judged(netOf10, exposure, [buy("5"), buy("5.1")])?.["asked"], "10.1")
    assert.equal(judged(netOf10, exposure, [buy("10"), sell("10")]), undefined)
    assert.equal(judged(netOf10, exposure, [buy("1"), sell("11")])?.["asked"], "11")
  })

  it("stops only the side that is beyond it, which has no room", () => {
    const exposure = exposureOf({ positions: [held("long", "12")] })
    assert.equal(judged(netOf10, exposure, [sell("10")]), undefined)
    assert.equal(judged(netOf10, exposure, [buy("0.1")])?.["room"], "0")
  })

  it("bounds each side by net, and both together by gross", () => {
    const exposure = exposureOf({ positions: [held("long", "4"), held("short", "5")] })
    assert.equal(judged(netOf10, exposure, [sell("5")]), undefined)
    const gross = positionGuard("gross", "10")
    assert.equal(judged(gross, exposure, [buy("1")]), undefined)
    assert.equal(judged(gross, exposure, [sell("1")]), undefined)
    const over = judged(gross, exposure, [buy("0.5"), sell("0.6")])
    assert.deepEqual(
      [over?.["asked"], over?.["worst"], over?.["measure"]],
      ["1.1", "10.1", "gross"],
    )
  })

  it("counts notional at the reference price, and refuses without one", () => {
    const exposure = exposureOf({ positions: [held("long", "4")] })
    const guard = positionGuard("notional", "100")
    assert.equal(judged(guard, exposure, { openers: [buy("1")], reference: "20" }), undefined)
    const over = judged(guard, exposure, { openers: [buy("1")], reference: "20.01" })
    assert.deepEqual([over?.["measured"], over?.["worst"]], ["80.04", "100.05"])
    const unknown = { kind: "unknown_price", of: "max_position", symbolId }
    assert.deepEqual(judged(guard, exposure, [buy("1")]), unknown)
  })

  it("is the symbol's own, else the default, else none", () => {
    const other = { ...buy("11"), symbolId: 2 }
    const exposure = exposureOf()
    assert.equal(judged(netOf10, exposure, [other]), undefined)
    const fallback = { kind: "net", max: decimal("11") } as const
    const guard = { ...netOf10, maxPosition: { ...netOf10.maxPosition!, default: fallback } }
    assert.equal(judged(guard, exposure, [other]), undefined)
    assert.equal(judged(guard, exposure, [other, { ...buy("1"), symbolId: 2 }])?.["symbolId"], 2)
    assert.equal(judged(guard, exposure, [buy("11")])?.["max"], "10")
  })
})

describe("max_open_orders", () => {
  it("counts open ones, those in flight and those that are asked", () => {
    const exposure = exposureOf({ orders: [open("long", "1"), open("short", "1")] })
    take(exposure, [buy("1")])
    const guard = { ...nothing, maxOpenOrders: 4 }
    assert.equal(judged(guard, exposure, [buy("1")]), undefined)
    assert.deepEqual(judged(guard, exposure, [buy("1"), sell("1")]), {
      ...{ kind: "max_open_orders", max: "4", measured: "2", inFlight: "1", asked: "2" },
      ...{ worst: "5", room: "1" },
    })
  })
})

describe("max_open_notional", () => {
  const guard = { ...nothing, maxOpenNotional: decimal("100") }

  it("counts what open orders, those in flight and those that are asked come to", () => {
    const exposure = exposureOf({ orders: [open("long", "2", "10")] })
    take(exposure, [opener("short", "1", "30")])
    assert.equal(judged(guard, exposure, [opener("long", "1", "50")]), undefined)
    assert.deepEqual(judged(guard, exposure, [opener("long", "1", "50.5")]), {
      ...{ kind: "max_open_notional", max: "100", measured: "20", inFlight: "30", asked: "50.5" },
      ...{ worst: "100.5", room: "50" },
    })
  })

  it("refuses where it can't be known", () => {
    const exposure = exposureOf({ orders: [open("short", "2", "10")] })
    const unknown = { kind: "unknown_price", of: "max_open_notional" }
    assert.deepEqual(judged(guard, exposure, [opener("long", "1", "1")]), unknown)
  })
})

describe("a bound on losses", () => {
  const window = { kind: "rolling", lengthMs: 3_600_000 } as const
  const guard: Guard = {
    ...nothing,
    loss: {
      ...{
        kind: "loss",
        window,
        max: { kind: "amount", value: decimal("100") },
        shock: decimal("0.01"),
      },
      ...{ maxAgeMs: 60_000, then: "refuse" },
    },
  }
  const costing = (quantity: string, cost: string | null): Opener => ({
    ...buy(quantity),
    cost: cost === null ? null : decimal(cost),
  })

  it("lets the loss, what orders cost and what a shock does to the position come to it, and no further", () => {
    // By a shock of 1 % of a price of 100, each base unit may lose 1.
    const exposure = exposureOf({ positions: [held("long", "20")], orders: [open("short", "5")] })
    take(exposure, [costing("10", "4")])
    const ask = (lost: string) =>
      judged(guard, exposure, { openers: [costing("7", "9")], reference: "100", lost })
    assert.equal(ask("50"), undefined)
    assert.deepEqual(ask("50.01"), {
      ...{ kind: "loss", max: "100", measured: "50.01", inFlight: "34", asked: "16" },
      ...{ worst: "100.01", room: "15.99", from: "1000", equity: "950" },
    })
  })

  it("asks no shock for an order on the smaller side", () => {
    const exposure = exposureOf({ positions: [held("long", "20")] })
    const ask = (quantity: string) => ({ openers: [sell(quantity)], reference: "100", lost: "80" })
    assert.equal(judged(guard, exposure, ask("20")), undefined)
    assert.equal(judged(guard, exposure, ask("20.01"))?.["worst"], "100.01")
  })

  it("can't judge without the loss, a price, or what an order may cost", () => {
    const exposure = exposureOf()
    const [openers, reference, lost] = [[costing("1", "1")], "100", "0"]
    for (const why of ["no_equity", "reading_old", "equity_changed"]) {
      assert.deepEqual(judged(guard, exposure, { openers, reference, lost: why }), { kind: why })
    }
    const unknown = { kind: "unknown_price", of: "loss" }
    const asked = { openers: [costing("1", null)], reference, lost }
    assert.deepEqual(judged(guard, exposure, asked), unknown)
    const others = { openers: [{ ...costing("1", "1"), symbolId: 2 }], reference, lost }
    const holding = exposureOf({ positions: [held("long", "1")] })
    const isPriced = (id: number) => id !== symbolId
    assert.deepEqual(judged(guard, holding, { ...others, isPriced }), unknown)
    take(exposure, [costing("1", null)])
    assert.deepEqual(judged(guard, exposure, { openers, reference, lost }), unknown)
  })
})

describe("a guard", () => {
  it("refuses what it bounds before there is a reading, and nothing else", () => {
    const exposure = openExposure({ lagMs })
    assert.deepEqual(judged(netOf10, exposure, [buy("1")]), { kind: "no_reading" })
    assert.deepEqual(judged({ ...nothing, maxOpenOrders: 1 }, exposure, [buy("1")]), {
      kind: "no_reading",
    })
    assert.equal(judged(netOf10, exposure, [{ ...buy("1"), symbolId: 2 }]), undefined)
    assert.equal(judged(nothing, exposure, [buy("1")]), undefined)
    assert.equal(judged(netOf10, exposure, []), undefined)
  })

  it("refuses all that opens while too much is in flight, and nothing that only reduces", () => {
    const exposure = { ...exposureOf(), worst: () => "in_flight" as const }
    assert.deepEqual(judged(netOf10, exposure, [buy("1")]), { kind: "in_flight" })
    assert.deepEqual(judged(nothing, exposure, [buy("1")]), { kind: "in_flight" })
    assert.equal(judged(netOf10, exposure, []), undefined)
  })
})
