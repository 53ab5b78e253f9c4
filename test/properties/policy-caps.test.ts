import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { judge } from "../../src/vault/policy/judge.ts"
import type { JudgedRequest } from "../../src/vault/policy/match/judged-request.ts"
import { parseDecimal, type Decimal } from "../../src/venue/decimal.ts"
import type { Order } from "../../src/venue/payload/payload.ts"
import {
  circumstances,
  decide,
  leg,
  order,
  placing,
  placingBatch,
  policiesOf,
} from "../support/policy-case.ts"
import { numRuns } from "../support/runs.ts"

/**
 * An order in whole numbers: quantities in thousandths, prices in cents, rates in hundredths of a
 * percent. The oracle below computes from these alone and shares nothing with the judge.
 */
type Plain = {
  readonly form: "limit" | "market" | "matched" | "stop_limit" | "stop_market" | "quote" | "bracket"
  readonly symbolId: 1 | 2
  readonly isBuy: boolean
  readonly milli: bigint
  readonly priceCents: bigint
  readonly triggerCents: bigint
  readonly slippage: bigint | undefined
}

type Caps = {
  readonly maxMilli: bigint | undefined
  readonly maxCents: bigint | undefined
  readonly band: bigint | undefined
}

type Prices = ReadonlyMap<number, bigint>

const spotId = 3

const plainOrder: fc.Arbitrary<Plain> = fc.record({
  form: fc.constantFrom(
    "limit",
    "market",
    "matched",
    "stop_limit",
    "stop_market",
    "quote",
    "bracket",
  ),
  symbolId: fc.constantFrom(1, 2),
  isBuy: fc.boolean(),
  milli: fc.bigInt({ min: 1n, max: 3_000n }),
  priceCents: fc.bigInt({ min: 1n, max: 20_000n }),
  triggerCents: fc.bigInt({ min: 1n, max: 20_000n }),
  slippage: fc.option(fc.bigInt({ min: 1n, max: 1_000n }), { nil: undefined, freq: 6 }),
})

const plainOrders = fc.array(plainOrder, { minLength: 1, maxLength: 3 })

const arbitraryCaps: fc.Arbitrary<Caps> = fc
  .record({
    maxMilli: fc.option(fc.bigInt({ min: 1n, max: 6_000n }), { nil: undefined }),
    maxCents: fc.option(fc.bigInt({ min: 1n, max: 60_000n }), { nil: undefined }),
    band: fc.option(fc.bigInt({ min: 0n, max: 1_000n }), { nil: undefined, freq: 6 }),
  })
  .filter(({ maxMilli, maxCents }) => maxMilli !== undefined || maxCents !== undefined)

const cents = fc.option(fc.bigInt({ min: 1n, max: 20_000n }), { nil: undefined, freq: 12 })
const arbitraryPrices = fc
  .tuple(cents, cents, cents)
  .map(
    (prices): Prices =>
      new Map(prices.flatMap((price, index) => (price === undefined ? [] : [[index + 1, price]]))),
  )

describe("caps on orders", () => {
  it("agree with a count in whole numbers, for an order and for a batch", () => {
    let allowed = 0
    fc.assert(
      fc.property(
        // To read policies takes longer than to judge by them, so each are asked several requests.
        fc.array(fc.tuple(plainOrders, arbitraryPrices), { minLength: 4, maxLength: 4 }),
        arbitraryCaps,
        (requests, caps) => {
          const policies = policiesOf(capsText(caps))
          for (const [plains, prices] of requests) {
            const given = circumstances({ referencePrice: referencePrice(prices) })
            const { kind } = judge(requestOf(plains), policies, given)
            assert.equal(kind, isWithin(plains, caps, prices) ? "allow" : "refuse")
            if (kind === "allow") allowed += 1
          }
        },
      ),
      numRuns(200),
    )
    assert.ok(allowed > 0, "some orders are allowed, so that the property says something")
  })

  it("allow the worst case exactly and refuse it with a cap one unit of least precision lower", () => {
    fc.assert(
      fc.property(
        plainOrder,
        fc.bigInt({ min: 0n, max: 1_000n }),
        arbitraryPrices,
        (drawn, band, prices) => {
          const plain = { ...drawn, slippage: drawn.slippage ?? 100n }
          const worst = worstCost(plain, { maxMilli: undefined, maxCents: undefined, band }, prices)
          if (worst === undefined) return
          const bandLine = `price_match_band: ${scaled(band, 2)}%`
          const kindAt = (max: bigint) =>
            decide(
              `policy: p\nrules:\n  - {name: r, max_notional: "${scaled(max, 9)}", ${bandLine}}\n`,
              placing(orderOf(plain)),
              { referencePrice: referencePrice(prices) },
            ).kind
          assert.equal(kindAt(worst), "allow")
          if (worst > 1n) assert.equal(kindAt(worst - 1n), "refuse")
        },
      ),
      numRuns(100),
    )
  })
})

/** The oracle: whether every order alone, and all together, stay within the caps. */
function isWithin(plains: readonly Plain[], caps: Caps, prices: Prices): boolean {
  return isWithinQuantity(plains, caps) && isWithinNotional(plains, caps, prices)
}

function isWithinQuantity(plains: readonly Plain[], { maxMilli, maxCents }: Caps): boolean {
  if (maxMilli === undefined) return true
  const inBase = plains.filter(({ form }) => form !== "quote")
  if (inBase.length < plains.length && maxCents === undefined) return false
  return [1, 2].every((id) => {
    const own = inBase.filter(({ symbolId }) => symbolId === id)
    return own.reduce((sum, { milli }) => sum + milli, 0n) <= maxMilli
  })
}

function isWithinNotional(plains: readonly Plain[], caps: Caps, prices: Prices): boolean {
  if (caps.maxCents === undefined) return true
  const costs = plains.map((plain) => worstCost(plain, caps, prices))
  const known = costs.filter((cost) => cost !== undefined)
  const sum = known.reduce((total, cost) => total + cost, 0n)
  return known.length === costs.length && sum <= caps.maxCents * 10n ** 7n
}

/** What an order can cost at most, in units of 10^-9 (thousandths × cents × ten-thousandths); none if it can't be told. */
function worstCost(plain: Plain, { band }: Caps, prices: Prices): bigint | undefined {
  const { form, isBuy, milli, priceCents, triggerCents, slippage } = plain
  const reference = prices.get(form === "quote" ? spotId : plain.symbolId)
  if (reference === undefined) return undefined
  if (form === "quote") return milli * 10n ** 6n

  const highest = (...candidates: readonly bigint[]) =>
    candidates.reduce((most, next) => (next > most ? next : most))
  const costByForm = {
    limit: { at: isBuy ? priceCents : highest(priceCents, reference), rate: 0n },
    market: { at: reference, rate: slippage },
    matched: { at: reference, rate: band },
    stop_limit: { at: highest(priceCents, triggerCents, reference), rate: 0n },
    stop_market: { at: highest(triggerCents, reference), rate: slippage },
    bracket: { at: highest(triggerCents, reference), rate: slippage ?? 0n },
  }
  const { at, rate } = costByForm[form]
  if (rate === undefined) return undefined
  // The entry of a bracket is the limit order that it is without its leg.
  const entry = form === "bracket" ? costByForm.limit.at * 10_000n : 0n
  return milli * highest(entry, at * (10_000n + rate))
}

function capsText(caps: Caps): string {
  const lines = [
    caps.maxMilli === undefined ? [] : [`    max_quantity: "${scaled(caps.maxMilli, 3)}"`],
    caps.maxCents === undefined ? [] : [`    max_notional: "${scaled(caps.maxCents, 2)}"`],
    caps.band === undefined ? [] : [`    price_match_band: ${scaled(caps.band, 2)}%`],
  ].flat()
  return ["policy: p", "rules:", "  - name: r", ...lines].join("\n")
}

function requestOf(plains: readonly Plain[]): JudgedRequest {
  const orders = plains.map(orderOf)
  const [first] = orders
  assert.ok(first)
  return orders.length === 1 ? placing(first) : placingBatch(...orders)
}

function referencePrice(prices: Prices): ReturnType<typeof circumstances>["referencePrice"] {
  return (symbolId) => {
    const price = prices.get(symbolId)
    return price === undefined ? undefined : asDecimal(price, 2)
  }
}

function orderOf(plain: Plain): Order {
  const common = {
    symbolId: plain.form === "quote" ? spotId : plain.symbolId,
    isBuy: plain.isBuy,
    quantity: asDecimal(plain.milli, 3),
  }
  const limit = { ...common, price: asDecimal(plain.priceCents, 2) }
  const market = {
    ...common,
    orderType: "market",
    price: undefined,
    slippage: plain.slippage === undefined ? undefined : asDecimal(plain.slippage, 4),
  } as const
  const trigger = asDecimal(plain.triggerCents, 2)
  const stop = {
    algoOrderType: "conditional",
    conditional: { triggerPrice: trigger, triggerBy: "last_price" },
  } as const
  const stopLoss = leg({ triggerPrice: trigger })
  const tpsl = { mode: "partial", takeProfit: undefined, stopLoss } as const
  const changesByForm = {
    limit,
    market,
    matched: { ...common, price: undefined, priceMatch: "queue_5" },
    stop_limit: { ...limit, ...stop },
    stop_market: { ...market, ...stop },
    quote: { ...market, marketOrderType: "quote" },
    bracket: { ...limit, slippage: market.slippage, algoOrderType: "attached_tpsl", tpsl },
  } as const
  return order(changesByForm[plain.form])
}

function scaled(units: bigint, scale: number): string {
  const digits = units.toString().padStart(scale + 1, "0")
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

function asDecimal(units: bigint, scale: number): Decimal {
  const decimal = parseDecimal(scaled(units, scale))
  assert.ok(decimal)
  return decimal
}
