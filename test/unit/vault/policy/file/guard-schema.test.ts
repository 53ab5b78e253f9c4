import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { guardSchema } from "../../../../../src/vault/policy/file/guard-schema.ts"
import { formatDecimal } from "../../../../../src/venue/decimal.ts"
import { symbolTable } from "../../../../support/test-profile.ts"

const symbols = symbolTable([
  { id: 1, name: "BTC-PERP", market: "perp", quote: "USD", referencePrice: undefined },
])
const schema = guardSchema(symbols)

/** What is wrong with a guard, as `path: message`. */
function mistakes(guard: object): readonly string[] {
  const parsed = schema.safeParse({ name: "g", ...guard })
  if (parsed.success) return []
  return parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
}

function lossOf(guard: object) {
  const { loss } = schema.parse({ name: "g", ...guard })
  return loss ?? assert.fail("it bounds no losses")
}

const net = { "BTC-PERP": { net: "1" } }

describe("a guard in a policy", () => {
  it("bounds something", () => {
    assert.match(mistakes({}).join(), /^: must have one of max_position,.* drawdown$/)
    for (const guard of [{ max_position: net }, { max_open_orders: "0" }]) {
      assert.deepEqual(mistakes(guard), [])
    }
    assert.match(mistakes({ max_open_orders: "1.5" }).join(), /max_open_orders: must be a whole/)
  })

  it("has max_freed only beside max_position", () => {
    const freed = { max_freed: { "BTC-PERP": "2", default: "0.5" } }
    assert.deepEqual(mistakes({ max_position: net, ...freed }), [])
    assert.deepEqual(mistakes({ max_open_orders: "1", ...freed }), [
      "max_freed: goes with max_position",
    ])
    assert.match(
      mistakes({ max_position: net, max_freed: { "BTC-PERP": "0" } }).join(),
      /max_freed/,
    )
    assert.match(mistakes({ max_position: net, max_freed: { X: "1" } }).join(), /max_freed\.X/)
  })

  it("bounds each symbol once, in one measure", () => {
    const one = (max: object) => mistakes({ max_position: { "BTC-PERP": max } }).join()
    assert.match(one({ net: "1", gross: "2" }), /must have one of net, gross and notional/)
    assert.match(one({}), /must have one of net, gross and notional/)
    assert.match(mistakes({ max_position: { ...net, 1: { net: "2" } } }).join(), /named twice/)
    assert.match(mistakes({ max_position: { "ETH-PERP": { net: "2" } } }).join(), /ETH-PERP/)
  })
})

describe("a bound on losses in a policy", () => {
  it("is of a day, of a window, or of ever", () => {
    const of = (guard: object) => lossOf(guard).kind
    assert.equal(of({ daily_loss: { max: "500", zone: "Europe/Berlin" } }), "daily_loss")
    assert.equal(of({ loss: { max: "500", window: "1h" } }), "loss")
    assert.equal(of({ drawdown: { max: "500" } }), "drawdown")
  })

  it("is one of a guard, which trips by its name", () => {
    const both = { loss: { max: "5", window: "24h" }, drawdown: { max: "5" } }
    assert.match(mistakes(both).join(), /must have one of daily_loss, loss and drawdown/)
    assert.deepEqual(mistakes({ max_position: net, drawdown: { max: "5" } }), [])
  })

  it("is an amount or a share of what it is counted from", () => {
    const max = (text: string) => {
      const { kind, value } = lossOf({ drawdown: { max: text } }).max
      return `${kind} ${formatDecimal(value)}`
    }
    assert.deepEqual(
      [max("500.5"), max("5%"), max("0.5%")],
      ["amount 500.5", "share 0.05", "share 0.005"],
    )
    for (const wrong of ["0", "0%", "-5", "5 %", "much"]) {
      assert.match(
        mistakes({ drawdown: { max: wrong } }).join(),
        /drawdown\.max: must be an amount/,
      )
    }
  })

  it("shocks by 1 %, believes readings for 60 s, and trips until a person re-arms it, unless told", () => {
    const { shock, maxAgeMs, then } = lossOf({ drawdown: { max: "5" } })
    assert.deepEqual([formatDecimal(shock), maxAgeMs, then], ["0.01", 60_000, "reduce_only"])
    const told = lossOf({ drawdown: { max: "5" }, shock: "0%", max_age: "5s", then: "freeze" })
    assert.deepEqual([formatDecimal(told.shock), told.maxAgeMs, told.then], ["0", 5_000, "freeze"])
  })

  it("has its zone, its window, and nothing that goes with no loss", () => {
    assert.match(mistakes({ daily_loss: { max: "5" } }).join(), /daily_loss\.zone: must be given/)
    assert.match(mistakes({ daily_loss: { max: "5", zone: "Mars" } }).join(), /isn't a time zone/)
    for (const window of ["59m", "8d"]) {
      assert.match(mistakes({ loss: { max: "5", window } }).join(), /from 1h to 7d/)
    }
    for (const alone of [{ then: "freeze" }, { shock: "1%" }, { max_age: "60s" }]) {
      assert.match(
        mistakes({ max_position: net, ...alone }).join(),
        /goes with daily_loss, loss or/,
      )
    }
    assert.match(
      mistakes({ drawdown: { max: "5" }, then: "panic" }).join(),
      /must be one of refuse/,
    )
  })
})
