import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { placeInMarket } from "../../../../src/sandbox/market/play-order.ts"
import { moods, walkPath, type MoodName } from "../../../../src/sandbox/market/price-path.ts"
import { advanceMarket } from "../../../../src/sandbox/market/seconds.ts"
import { truthOf } from "../../../../src/sandbox/market/truth.ts"
import { numRuns } from "../../../support/runs.ts"
import { nowMs } from "../signed-bodies.ts"
import { marketUnderTest } from "../venue-under-test.ts"
import type { MarketEvent } from "../../../../src/sandbox/state/market-state.ts"

const one = `0x${"a1".repeat(20)}`
const other = `0x${"b2".repeat(20)}`

/** A decimal as a whole number of 10^-40, by a way of this test's own. */
function exact(decimal: unknown): bigint {
  const [, sign, whole = "", fraction = ""] = /^(-?)(\d+)\.?(\d*)$/.exec(String(decimal)) ?? []
  const units = BigInt(whole + fraction.padEnd(40, "0"))
  return sign === "-" ? -units : units
}

const times = (left: bigint, right: bigint) => (left * right) / 10n ** 40n
const total = (units: readonly bigint[]) => units.reduce((sum, each) => sum + each, 0n)

const orders = fc.record({
  account: fc.constantFrom(one, other),
  symbol_id: fc.constantFrom(1, 2, 3),
  is_buy: fc.boolean(),
  isLimit: fc.boolean(),
  /** How far a limit is from the reference price, in hundredths of a percent. */
  away: fc.integer({ min: -300, max: 300 }),
  milli: fc.oneof(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 1, max: 400_000 })),
  reduces: fc.boolean(),
  force: fc.constantFrom("gtc", "ioc", "fok"),
  waitMs: fc.integer({ min: 0, max: 20_000 }),
})

type Drawn = typeof orders extends fc.Arbitrary<infer Each> ? Each : never

function bodyOf({ symbol_id, is_buy, isLimit, away, milli, reduces, force }: Drawn) {
  const reference = symbol_id === 2 ? 3_200 : 64_000
  const price = ((reference * (10_000 + away)) / 10_000).toFixed(2)
  return {
    symbol_id,
    is_buy,
    quantity: (milli / 1_000).toFixed(3),
    ...(isLimit
      ? { order_type: "limit", price, time_in_force: force }
      : { order_type: "market", slippage: "0.01" }),
    ...(reduces ? { flags: ["reduce_only"] } : {}),
  }
}

function play(mood: MoodName, seed: number, drawn: readonly Drawn[]) {
  const { market } = marketUnderTest(walkPath(mood, seed), { seed, accounts: [one, other] })
  for (const account of [one, other]) {
    const leverage = new Map([1, 2].map((symbol) => [symbol, 50]))
    market.settings.set(account, { positionMode: "one_way", leverage, margin: new Map() })
  }
  let atMs = nowMs
  for (const each of drawn) {
    atMs += each.waitMs
    advanceMarket(market, atMs)
    placeInMarket(market, bodyOf(each), { account: each.account, nowMs: atMs })
  }
  atMs += 120_000
  advanceMarket(market, atMs)
  return { market, truth: truthOf(market, [one, other], atMs) }
}

type Truth = ReturnType<typeof play>["truth"]

/** Counts what happened to an account anew, from the events alone, and compares what it has. */
function recount(events: readonly MarketEvent[], truth: Truth, account: string): void {
  const own = events.filter(({ account_address }) => account_address === account)
  const fills = own.filter(({ kind }) => kind === "filled")
  const bought = (symbols: readonly unknown[]) =>
    fills
      .filter(({ symbol_id }) => symbols.includes(symbol_id))
      .map(({ is_buy, quantity, price }) => {
        const signed = is_buy === true ? exact(quantity) : -exact(quantity)
        return { signed, paid: times(signed, exact(price)) }
      })
  const has = truth.accounts.find(({ account_address }) => account_address === account)
  assert.ok(has)
  for (const symbol of [1, 2]) {
    const held: unknown = has.positions.find(({ symbol_id }) => symbol_id === symbol)?.quantity
    assert.equal(
      exact(held ?? "0"),
      total(bought([symbol]).map(({ signed }) => signed)),
      "a position is the sum of its fills",
    )
  }
  const priceOf = (id: number) =>
    exact(truth.prices.find(({ symbol_id }) => symbol_id === id)?.price)
  const value = total(
    [1, 2].map((id) => times(total(bought([id]).map(({ signed }) => signed)), priceOf(id))),
  )
  const amounts = (kind: string, name: string) =>
    total(own.filter((event) => event.kind === kind).map((event) => exact(event[name])))
  const deposited = exact("1000000")
  const expected =
    deposited -
    total(bought([1, 2, 3]).map(({ paid }) => paid)) +
    value -
    amounts("filled", "fee") +
    amounts("funding", "amount") +
    amounts("written_off", "amount")
  assert.equal(exact(has.margin_balance), expected, "what it has is what came in and what it made")
  assert.equal(exact(has.fees), amounts("filled", "fee"))
  const btc = has.balances.find(({ asset }) => asset === "BTC")?.available
  assert.equal(exact(btc), exact("10") + total(bought([3]).map(({ signed }) => signed)))
}

/** No order trades more than it asked for, at a price that it didn't allow, or before it came. */
function checkFills(events: readonly MarketEvent[]): number {
  const asked = new Map(
    events.filter(({ kind }) => kind === "accepted").map((event) => [event["order_id"], event]),
  )
  const filled = new Map<unknown, bigint>()
  for (const event of events.filter(({ kind }) => kind === "filled")) {
    const order = asked.get(event["order_id"])
    if (event["liquidity"] === "liquidation") continue
    assert.ok(order !== undefined && order.at_ms <= event.at_ms)
    const sum = (filled.get(event["order_id"]) ?? 0n) + exact(event["quantity"])
    filled.set(event["order_id"], sum)
    assert.ok(sum > 0n && sum <= exact(order["quantity"]), "no more than it asked for")
    if (order["price"] === null) continue
    const better = exact(order["price"]) - exact(event["price"])
    assert.ok(order["is_buy"] === true ? better >= 0n : better <= 0n, "at its price or better")
  }
  return filled.size
}

const runs = fc.tuple(
  fc.constantFrom(...(Object.keys(moods) as MoodName[])),
  fc.integer({ min: 0, max: 999_999 }),
  fc.array(orders, { maxLength: 25 }),
)

describe("a market's accounts", () => {
  it("have what came in, less fees, with funding and what is unrealised: counted anew, to the last digit", () => {
    const seen = { fills: 0, liquidated: 0, funding: 0 }
    fc.assert(
      fc.property(runs, ([mood, seed, drawn]) => {
        const { market, truth } = play(mood, seed, drawn)
        for (const account of [one, other]) recount(market.events, truth, account)
        seen.fills += checkFills(market.events)
        seen.liquidated += market.events.filter(({ kind }) => kind === "liquidated").length
        seen.funding += market.events.filter(({ kind }) => kind === "funding").length
      }),
      numRuns(500),
    )
    assert.ok(seen.fills > 100 && seen.liquidated > 0 && seen.funding > 0, JSON.stringify(seen))
  })

  it("come to the same by the same seed, orders and times, however often one looks between", () => {
    fc.assert(
      fc.property(runs, fc.array(fc.integer({ min: 0, max: 20_000 })), (run, looks) => {
        const [mood, seed, drawn] = run
        const first = play(mood, seed, drawn)
        const split = drawn.flatMap((each, at) => {
          const early = Math.min(looks[at] ?? 0, each.waitMs)
          // An order that is refused looks, and does nothing besides.
          const look = {
            ...each,
            account: one,
            symbol_id: 3 as const,
            milli: 400_000,
            isLimit: false,
          }
          return [
            { ...look, is_buy: true, reduces: false, waitMs: early },
            { ...each, waitMs: each.waitMs - early },
          ]
        })
        assert.deepEqual(play(mood, seed, split).market.events, first.market.events)
      }),
      numRuns(100),
    )
  })
})
