import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { judge } from "../../src/vault/policy/judge.ts"
import type { Decimal } from "../../src/venue/decimal.ts"
import type { Order, OrderLeg } from "../../src/venue/payload/payload.ts"
import { circumstances, order, placing, policiesOf } from "../support/policy-case.ts"
import { numRuns } from "../support/runs.ts"
import { testProfile } from "../support/test-profile.ts"

/**
 * An order in whole numbers: quantities in thousandths, prices in cents, rates in hundredths of a percent. What it can
 * fill at and lose is told here from these alone, in exact fractions, and shares nothing with the judge.
 */
type Plain = {
  readonly form: "limit" | "market" | "matched" | "stop_limit" | "stop_market" | "quote" | "tpsl"
  readonly isBuy: boolean
  readonly milli: bigint
  readonly price: bigint
  readonly trigger: bigint
  readonly slippage: bigint
  readonly saysSlippage: boolean
  /** Of an order that is limited by a price or fills at the market. */
  readonly legs: readonly PlainLeg[]
}

type PlainLeg = { readonly isLimit: boolean; readonly price: bigint; readonly trigger: bigint }

type Given = {
  /** In force, and held back. */
  readonly prices: readonly [bigint, ...bigint[]]
  readonly band: bigint
  readonly fee: bigint
}

/** A fraction: numerator and denominator. */
type Ratio = readonly [bigint, bigint]

const cents = fc.bigInt({ min: 1n, max: 20_000n })
const near = fc.bigInt({ min: 9_000n, max: 11_000n })
const price = fc.oneof(cents, near, near)
const arbitraryLeg = fc.record({ isLimit: fc.boolean(), price, trigger: price })

const arbitraryPlain: fc.Arbitrary<Plain> = fc.record({
  form: fc.constantFrom(
    ...(["limit", "market", "matched", "stop_limit", "stop_market", "quote", "tpsl"] as const),
  ),
  isBuy: fc.boolean(),
  milli: fc.bigInt({ min: 1n, max: 3_000n }),
  price,
  trigger: price,
  slippage: fc.bigInt({ min: 1n, max: 1_000n }), // the interface takes no more than a tenth
  saysSlippage: fc.boolean(),
  legs: fc.array(arbitraryLeg, { maxLength: 2 }),
})

const arbitraryGiven: fc.Arbitrary<Given> = fc.record({
  prices: fc.oneof(fc.tuple(near), fc.tuple(near, near)),
  band: fc.bigInt({ min: 0n, max: 2_000n }),
  fee: fc.constantFrom(0n, 10n, 55n, 10_000n),
})

/** Where in what is allowed a fill is: the lowest of it, the highest, or between, in thousandths. */
const where = fc.oneof(fc.constantFrom(0n, 1_000n), fc.bigInt({ min: 0n, max: 1_000n }))
const fills = fc.record({ entry: where, legs: fc.tuple(where, where) })

describe("what an order may lose at once", () => {
  it("is no less than what it loses, whatever fills its own fields allow", () => {
    let [told, exact] = [0, 0]
    fc.assert(
      fc.property(arbitraryPlain, arbitraryGiven, fills, (plain, given, filled) => {
        const cost = costOf(plain, given)
        if (cost === null) return
        told += 1
        // Whichever of the prices is the market's.
        for (const reference of given.prices) {
          const lost = lossOf(plain, { ...given, reference }, filled)
          assert.ok(!isMore(lost, cost), `${text(lost)} of ${text(cost)}`)
          if (!isMore(cost, lost)) exact += 1
        }
      }),
      numRuns(3_000),
    )
    assert.ok(told > 0 && exact > 0, "the cost is told, and comes true at times")
  })

  it("is known, but of what becomes a market order and says no slippage", () => {
    fc.assert(
      fc.property(arbitraryPlain, arbitraryGiven, (plain, given) => {
        assert.equal(costOf(plain, given) === null, isUnbounded(plain))
      }),
      numRuns(300),
    )
  })
})

function isUnbounded({ form, legs, saysSlippage }: Plain): boolean {
  const hasMarketLeg = legsAllowed(form) && legs.some(({ isLimit }) => !isLimit)
  return !saysSlippage && (hasMarketLeg || ["market", "stop_market", "quote"].includes(form))
}

const legsAllowed = (form: Plain["form"]) => ["limit", "market", "tpsl"].includes(form)

/** Reading a policy takes longer than judging by it. */
const [written] = policiesOf("policy: p\nrules: [{name: all, endpoints: [placeOrder]}]")

function costOf(plain: Plain, { prices, band, fee }: Given): Ratio | null {
  assert.ok(written)
  const priceMatchBand = { coefficient: band, scale: 4 }
  const rules = written.rules.map((rule) => ({ ...rule, priceMatchBand }))
  const [fresh, held] = prices.map(inCents)
  const decision = judge(placing(orderOf(plain)), [{ ...written, rules }], {
    ...circumstances({ profile: testProfile({ feeRate: { coefficient: fee, scale: 4 } }) }),
    referencePrice: () => fresh,
    heldPrice: () => held,
  })
  assert.equal(decision.kind, "allow")
  const cost = decision.sizes[0]?.cost
  return cost ? [cost.coefficient, 10n ** BigInt(cost.scale)] : null
}

function orderOf(plain: Plain): Order {
  const { form, isBuy, milli, trigger, legs } = plain
  const common = { isBuy, quantity: { coefficient: milli, scale: 3 } }
  const limit = { ...common, price: inCents(plain.price) }
  const slippage = plain.saysSlippage ? { coefficient: plain.slippage, scale: 4 } : undefined
  const market = { ...common, orderType: "market", price: undefined } as const
  const stop = {
    algoOrderType: "conditional",
    conditional: { triggerPrice: inCents(trigger), triggerBy: "last_price" },
  } as const
  const own: Readonly<Record<Plain["form"], Partial<Order>>> = {
    limit,
    market: { ...market, slippage },
    matched: { ...common, price: undefined, priceMatch: "queue_5" },
    stop_limit: { ...limit, ...stop },
    stop_market: { ...market, ...stop, slippage },
    quote: { ...market, symbolId: 3, marketOrderType: "quote", slippage },
    tpsl: { ...common, orderType: undefined, price: undefined },
  }
  const [takeProfit, stopLoss] = legs.map(legOf)
  const hasLegs = form === "tpsl" || (legsAllowed(form) && legs.length > 0)
  const tpsl = { mode: "partial", takeProfit, stopLoss } as const
  return order({
    ...own[form],
    ...(hasLegs && { algoOrderType: form === "tpsl" ? "tpsl" : "attached_tpsl", tpsl }),
    ...(hasLegs && { slippage }),
  })
}

function legOf({ isLimit, price: orderPrice, trigger }: PlainLeg): OrderLeg {
  return {
    triggerPrice: inCents(trigger),
    triggerBy: undefined,
    orderType: isLimit ? "limit" : "market",
    orderPrice: isLimit ? inCents(orderPrice) : undefined,
  }
}

function inCents(coefficient: bigint): Decimal {
  return { coefficient, scale: 2 }
}

/** `reference`: around which a market order fills, and what its fill is held against. */
type Moment = Given & { readonly reference: bigint }
type Filled = typeof fills extends fc.Arbitrary<infer Value> ? Value : never

/** What an order and all its legs lose against the reference price, filled where `filled` says. */
function lossOf(plain: Plain, moment: Moment, filled: Filled): Ratio {
  const { form, isBuy, legs } = plain
  const quantity: Ratio = [plain.milli, 1_000n]
  const entry = at(entryFills(plain, moment), filled.entry)
  if (form === "quote") return lossOfAmount(plain, entry, moment)
  const own = form === "tpsl" ? none : lossAt({ quantity, isBuy, fill: entry }, moment)
  if (!legsAllowed(form)) return own
  return legs
    .map((leg, place) => {
      const sides = form === "tpsl" ? [true, false] : [!isBuy]
      const losses = sides.map((isLegBuy) => {
        const fill = at(legFills(leg, isLegBuy, plain), filled.legs[place] ?? 0n)
        return lossAt({ quantity, isBuy: isLegBuy, fill }, moment)
      })
      return losses.reduce((most, next) => (isMore(next, most) ? next : most))
    })
    .reduce(plus, own)
}

/** The lowest and the highest price of a fill, in cents. */
type Fills = readonly [Ratio, Ratio]

const whole = 10_000n
const twice = 30_000n // further than any price here

function entryFills({ form, isBuy, price: own, trigger, slippage }: Plain, moment: Moment): Fills {
  const { reference, band } = moment
  if (form === "limit" || form === "stop_limit") return limited(own, isBuy)
  if (form === "matched") return around(reference, band)
  return around(form === "stop_market" ? trigger : reference, slippage)
}

/** A leg that becomes a market order fills around its trigger. */
function legFills({ isLimit, price: own, trigger }: PlainLeg, isBuy: boolean, plain: Plain): Fills {
  return isLimit ? limited(own, isBuy) : around(trigger, plain.slippage)
}

function limited(own: bigint, isBuy: boolean): Fills {
  return isBuy ? [ratio(1n), ratio(own)] : [ratio(own), ratio(twice)]
}

function around(middle: bigint, off: bigint): Fills {
  return [
    [middle * (whole - off), whole],
    [middle * (whole + off), whole],
  ]
}

function at([low, high]: Fills, thousandths: bigint): Ratio {
  const parts = [times(low, [1_000n - thousandths, 1_000n]), times(high, [thousandths, 1_000n])]
  return parts.reduce(plus)
}

/** Paid over the reference price, or got under it, and the fee of what was traded, in quote units. */
function lossAt(
  { quantity, isBuy, fill }: { quantity: Ratio; isBuy: boolean; fill: Ratio },
  { reference, fee }: Moment,
): Ratio {
  const traded = times(quantity, times(fill, [1n, 100n]))
  const fair = times(quantity, [reference, 100n])
  const worse = isBuy ? plus(traded, negative(fair)) : plus(fair, negative(traded))
  return plus(worse, times(traded, [fee, whole]))
}

/** For an amount in quote units: what it got or gave in base units is worth less or more. */
function lossOfAmount({ milli, isBuy }: Plain, [n, d]: Ratio, { reference, fee }: Moment): Ratio {
  const amount: Ratio = [milli, 1_000n]
  const worth = times(amount, [reference * d, n])
  const worse = isBuy ? plus(amount, negative(worth)) : plus(worth, negative(amount))
  return plus(worse, times(amount, [fee, whole]))
}

const none: Ratio = [0n, 1n]

function ratio(units: bigint): Ratio {
  return [units, 1n]
}

function plus([a, b]: Ratio, [c, d]: Ratio): Ratio {
  return [a * d + c * b, b * d]
}

function times([a, b]: Ratio, [c, d]: Ratio): Ratio {
  return [a * c, b * d]
}

function negative([a, b]: Ratio): Ratio {
  return [-a, b]
}

function isMore([a, b]: Ratio, [c, d]: Ratio): boolean {
  return a * d > c * b
}

function text([a, b]: Ratio): string {
  return `${Number(a) / Number(b)}`
}
