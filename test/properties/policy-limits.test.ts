import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { claimsOf, enforced } from "../../src/vault/policy/claims-of.ts"
import { judge } from "../../src/vault/policy/judge.ts"
import { type Claim, denialReasons, type Policy } from "../../src/vault/policy/terms.ts"
import { type JudgedRequest, subjectOf } from "../../src/vault/policy/match/judged-request.ts"
import { formatDecimal, type Decimal } from "../../src/venue/decimal.ts"
import type { Order } from "../../src/venue/payload/payload.ts"
import { operationIds } from "../../src/venue/profile.ts"
import { arbitraryDecimal, arbitraryPayload } from "../support/arbitrary-payload.ts"
import {
  circumstances,
  leg,
  limitFile,
  order,
  placing,
  placingBatch,
  policiesOf,
  requestFor,
} from "../support/policy-case.ts"
import { numRuns } from "../support/runs.ts"
import { testProfile } from "../support/test-profile.ts"

/**
 * An order in whole numbers: quantities in thousandths, prices in cents, rates in hundredths of a percent. The
 * oracle below counts from these alone, by the table of the design, and shares nothing with the judge.
 */
type Plain = {
  readonly form: "limit" | "market" | "matched" | "stop_limit" | "stop_market" | "quote" | "bracket"
  readonly symbolId: 1 | 2 | 3
  readonly isBuy: boolean
  readonly isReduceOnly: boolean
  readonly milli: bigint
  readonly priceCents: bigint
  readonly triggerCents: bigint
  readonly slippage: bigint
}

type PlainLimit = {
  readonly counted: "submitted_notional" | "submitted_quantity" | "orders" | "requests"
  readonly symbolIds: readonly number[] | undefined
  readonly side: "buy" | "sell" | undefined
  readonly per: "all" | "symbol"
  readonly lane: "reduce" | undefined
}

const referenceCents = new Map([
  [1, 640_00n],
  [2, 30_00n],
  [3, 641_00n],
])
const band = 150n // 1.5 %

const arbitraryPlain: fc.Arbitrary<Plain> = fc
  .record({
    form: fc.constantFrom(
      "limit",
      "market",
      "matched",
      "stop_limit",
      "stop_market",
      "quote",
      "bracket",
    ),
    symbolId: fc.constantFrom(1, 2, 3),
    isBuy: fc.boolean(),
    isReduceOnly: fc.boolean(),
    milli: fc.bigInt({ min: 1n, max: 3_000n }),
    priceCents: fc.bigInt({ min: 1n, max: 90_000n }),
    triggerCents: fc.bigInt({ min: 1n, max: 90_000n }),
    slippage: fc.bigInt({ min: 1n, max: 1_000n }),
  } as const)
  .map((plain): Plain => {
    // A leg and reduce_only exclude each other, and quote units are for spot.
    if (plain.form === "bracket") return { ...plain, isReduceOnly: false }
    return plain.form === "quote" ? { ...plain, symbolId: 3 } : plain
  })

const arbitraryLimit: fc.Arbitrary<PlainLimit> = fc.record({
  counted: fc.constantFrom("submitted_notional", "submitted_quantity", "orders", "requests"),
  symbolIds: fc.option(fc.subarray([1, 2, 3], { minLength: 1 }), { nil: undefined }),
  side: fc.constantFrom("buy", "sell", undefined),
  per: fc.constantFrom("all", "symbol"),
  lane: fc.constantFrom(undefined, undefined, "reduce"),
})

const isOco = fc.boolean()
const request = fc.array(arbitraryPlain, { minLength: 1, maxLength: 4 })
const requests = fc.array(request, { maxLength: 4 })

describe("limits on random orders", () => {
  it("claim what a count in whole numbers comes to, request after request", () => {
    let claimed = 0
    fc.assert(
      fc.property(requests, arbitraryLimit, isOco, (all, limit, oco) => {
        const policies = policiesOf(fileOf(limit))
        const used = new Map<string, bigint>()
        const expected = new Map<string, bigint>()
        for (const plains of all) {
          for (const { meter, amount } of claimsFor(plains, policies, oco) ?? []) {
            add(used, groupOf(meter), inUnits(amount))
            claimed += 1
          }
          for (const [group, amount] of oracle(plains, limit, oco) ?? []) {
            add(expected, group, amount)
          }
        }
        assert.deepEqual(sorted(used), sorted(expected))
      }),
      numRuns(200),
    )
    assert.ok(claimed > 0, "some requests are counted, so that the property says something")
  })

  it("refuse exactly what the count can't tell", () => {
    fc.assert(
      fc.property(requests, arbitraryLimit, isOco, (all, limit, oco) => {
        const policies = policiesOf(fileOf(limit))
        for (const plains of all) {
          assert.equal(
            claimsFor(plains, policies, oco) === undefined,
            oracle(plains, limit, oco) === undefined,
          )
        }
      }),
      numRuns(100),
    )
  })
})

/** What the policies' limit claims; `undefined` when it refuses. */
function claimsFor(
  plains: readonly Plain[],
  policies: readonly Policy[],
  oco: boolean,
): readonly Claim[] | undefined {
  const given = circumstances({
    profile: testProfile({ tpslLegs: oco ? "oco_reduce_only" : "independent" }),
    referencePrice: (symbolId) => asDecimal(referenceCents.get(symbolId) ?? 0n, 2),
  })
  const decision = judge(requestOf(plains), policies, given)
  return decision.kind === "refuse" ? undefined : decision.claims
}

function fileOf({ counted, symbolIds, side, per, lane }: PlainLimit): string {
  const isCount = counted === "orders" || counted === "requests"
  const optional = [
    symbolIds === undefined ? [] : [`symbols: [${symbolIds.map((id) => `'${id}'`).join(", ")}]`],
    side === undefined ? [] : [`sides: [${side}]`],
    lane === undefined ? [] : [`lane: ${lane}`],
  ].flat()
  const file = limitFile(
    `${isCount ? "count" : "sum"}: ${counted}`,
    "window: 1h",
    "max: '1'",
    `per: ${per}`,
    ...optional,
  )
  return file.replace("allow_full_tpsl", "price_match_band: 1.5%, allow_full_tpsl")
}

type Group = readonly [group: string, amount: bigint]

/** The oracle: what a limit counts of a request by group, in units of 10^-9; `undefined` when it can't tell. */
function oracle(
  plains: readonly Plain[],
  limit: PlainLimit,
  oco: boolean,
): ReadonlyMap<string, bigint> | undefined {
  const isReducing = plains.every(({ isReduceOnly, symbolId }) => isReduceOnly && symbolId !== 3)
  if (isReducing !== (limit.lane === "reduce")) return new Map()
  const groups = new Map<string, bigint>()
  for (const plain of plains) {
    const parts = partsThatMatch(plain, limit)
    if (parts.length === 0) continue
    const counting = parts.filter((part) => part === "entry" || !oco)
    const counted = countOrder[limit.counted](plain, counting, limit)
    if (counted === undefined) return undefined
    for (const [group, amount] of counted) add(groups, group, amount)
  }
  // A request is one, however many orders of it match.
  if (limit.counted === "requests") for (const group of groups.keys()) groups.set(group, unit)
  return groups
}

type CountOrder = (
  plain: Plain,
  parts: readonly Part[],
  limit: PlainLimit,
) => readonly Group[] | undefined

function countOne(plain: Plain, _: readonly Part[], { per }: PlainLimit): readonly Group[] {
  return [[per === "symbol" ? String(plain.symbolId) : "", unit]]
}

const countOrder: Record<PlainLimit["counted"], CountOrder> = {
  requests: countOne,
  orders: countOne,
  submitted_quantity: (plain, parts) => {
    if (plain.form === "quote" || isEitherUnit(plain)) return undefined
    return parts.map(() => [String(plain.symbolId), plain.milli * 10n ** 6n])
  },
  submitted_notional: (plain, parts, { per }) => {
    if (isEitherUnit(plain) && parts.length > 0) return undefined
    const group = per === "symbol" ? String(plain.symbolId) : "USD"
    return parts.map((part) => [group, cost(plain, part)])
  },
}

const unit = 10n ** 9n

/** What may become a market order on spot needs market_order_type, and these orders have none. */
function isEitherUnit({ form, symbolId }: Plain): boolean {
  return symbolId === 3 && ["market", "stop_market", "bracket"].includes(form)
}

type Part = "entry" | "leg"

function partsThatMatch(plain: Plain, { symbolIds, side }: PlainLimit): readonly Part[] {
  if (symbolIds?.includes(plain.symbolId) === false) return []
  const parts: readonly Part[] = plain.form === "bracket" ? ["entry", "leg"] : ["entry"]
  return parts.filter((part) => {
    const partSide = plain.isBuy === (part === "entry") ? "buy" : "sell"
    return side === undefined || side === partSide
  })
}

function cost(
  { form, symbolId, isBuy, milli, priceCents, triggerCents, slippage }: Plain,
  part: Part,
) {
  if (form === "quote") return milli * 10n ** 6n
  const reference = referenceCents.get(symbolId) ?? 0n
  const highest = (...prices: readonly bigint[]) =>
    prices.reduce((most, next) => (next > most ? next : most))
  if (part === "leg") return milli * highest(triggerCents, reference) * (10_000n + slippage)
  const limitPrice = isBuy ? priceCents : highest(priceCents, reference)
  const price = {
    limit: limitPrice * 10_000n,
    bracket: limitPrice * 10_000n,
    market: reference * (10_000n + slippage),
    matched: reference * (10_000n + band),
    stop_limit: highest(priceCents, triggerCents, reference) * 10_000n,
    stop_market: highest(triggerCents, reference) * (10_000n + slippage),
  }
  return milli * price[form]
}

function requestOf(plains: readonly Plain[]): JudgedRequest {
  const orders = plains.map(orderOf)
  const [first] = orders
  assert.ok(first)
  return orders.length === 1 ? placing(first) : placingBatch(...orders)
}

function orderOf(plain: Plain): Order {
  const common = {
    symbolId: plain.symbolId,
    isBuy: plain.isBuy,
    quantity: asDecimal(plain.milli, 3),
    flags: plain.isReduceOnly ? (["reduce_only"] as const) : [],
  }
  const trigger = asDecimal(plain.triggerCents, 2)
  const limit = { ...common, price: asDecimal(plain.priceCents, 2) }
  const slippage = asDecimal(plain.slippage, 4)
  const market = { ...common, orderType: "market", price: undefined, slippage } as const
  const stop = {
    algoOrderType: "conditional",
    conditional: { triggerPrice: trigger, triggerBy: "last_price" },
  } as const
  const tpsl = {
    mode: "partial",
    takeProfit: undefined,
    stopLoss: leg({ triggerPrice: trigger }),
  } as const
  const changesByForm = {
    limit,
    market,
    matched: { ...common, price: undefined, priceMatch: "queue_5" },
    stop_limit: { ...limit, ...stop },
    stop_market: { ...market, ...stop },
    quote: { ...market, marketOrderType: "quote" },
    bracket: { ...limit, slippage, algoOrderType: "attached_tpsl", tpsl },
  } as const
  return order(changesByForm[plain.form])
}

function asDecimal(coefficient: bigint, scale: number): Decimal {
  return { coefficient, scale }
}

function inUnits({ coefficient, scale }: Decimal): bigint {
  return coefficient * 10n ** BigInt(9 - scale)
}

function add(groups: Map<string, bigint>, group: string, amount: bigint): void {
  groups.set(group, (groups.get(group) ?? 0n) + amount)
}

function groupOf(meter: string): string {
  const [, group] = JSON.parse(meter.slice(meter.indexOf(":") + 1)) as readonly [string, string]
  return group
}

function sorted(groups: ReadonlyMap<string, bigint>): readonly (readonly [string, bigint])[] {
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
}

const matchers = [
  "endpoints: [placeOrder, placeBatch, chaseOrder, cancelOrder]",
  "endpoints: [approveAgent, transfer, cancelAll]",
  "symbols: [BTC-PERP, ETH-PERP]",
  "sides: [buy]",
  "order_types: [limit]",
  "time_in_force: [gtc]",
  "position_sides: [long]",
  "margin_modes: [cross]",
  "stp_modes: [cancel_maker]",
  "algo_order_types: [none, tpsl]",
  "client_order_id: 'a.*'",
  "hours: {zone: Europe/Berlin, to: '12:00'}",
  "where: [{pointer: /amount, max: '5'}]",
  "target_addresses: ['0x2222222222222222222222222222222222222222']",
]
const sums = [
  "sum: submitted_notional, window: 1h, max: '5'",
  "sum: submitted_quantity, window: day, zone: UTC, max: '5', per: symbol",
  "sum: worst_cost, window: 1h, max: '5', per: symbol",
  "count: requests, window: 1s, max: '5', per: account",
  "count: orders, window: 31d, max: '5', per: client, lane: reduce",
  "count: orders, window: 1h, max: '5', mode: observe, per: key",
]

/** Some of the lines, each key once. */
const someMatchers = fc.uniqueArray(fc.constantFrom(...matchers), {
  maxLength: 3,
  selector: (line) => line.slice(0, line.indexOf(":")),
})

function entries(kind: string, list: readonly (readonly string[])[]): string {
  if (list.length === 0) return ""
  const texts = list.map(
    (parts, index) => `  - {${[`name: ${kind}-${index}`, ...parts].join(", ")}}`,
  )
  return `${kind}:\n${texts.join("\n")}\n`
}

const arbitraryLimitEntry = fc
  .tuple(fc.constantFrom(...sums), someMatchers)
  .filter(([added, asked]) => {
    // What makes no order has no symbol and submits nothing: loading says so.
    const isOfOrders = added.includes("submitted") || added.includes("symbol")
    return !isOfOrders || !asked.some((line) => line.startsWith("endpoints"))
  })
  .map(([added, asked]) => [added, ...asked])

const arbitraryPolicies: fc.Arbitrary<readonly Policy[]> = fc
  .array(
    fc.record({
      limits: fc.array(arbitraryLimitEntry, { maxLength: 3 }),
      hold: fc.array(someMatchers, { maxLength: 2 }),
      deny: fc.array(someMatchers, { maxLength: 1 }),
      appliesTo: fc.constantFrom("", "applies_to: {clients: [bot]}", "applies_to: {keys: [other]}"),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((files) =>
    policiesOf(
      `policy: all\nrules:\n  - {name: all, endpoints: [${operationIds.join(", ")}], allow_full_tpsl: true}\n`,
      ...files.map(({ limits, hold, deny, appliesTo }, index) =>
        [
          `policy: p${index}`,
          appliesTo,
          entries("limits", limits),
          entries("hold", hold),
          entries("deny", deny),
        ].join("\n"),
      ),
    ),
  )

const arbitraryRequest: fc.Arbitrary<JudgedRequest> = fc
  .record({
    operation: fc.constantFrom(...operationIds),
    payload: arbitraryPayload,
    body: fc.constantFrom({}, { amount: "3" }, { amount: 7 }, { amount: null }),
    expiresInMs: fc.oneof(fc.integer(), fc.double()),
  })
  .map(({ operation, ...changes }) => requestFor(operation, changes))

const arbitraryCircumstances = fc
  .record({
    price: fc.option(arbitraryDecimal, { nil: undefined }),
    nowMs: fc.oneof(fc.integer({ min: 0, max: 2 ** 45 }), fc.double()),
    tpslLegs: fc.constantFrom("independent", "oco_reduce_only"),
  })
  .map(({ price, nowMs, tpslLegs }) =>
    circumstances({ referencePrice: () => price, nowMs, profile: testProfile({ tpslLegs }) }),
  )

/** To read policies takes longer than to judge by them, so each are asked several requests. */
const several = fc.array(fc.tuple(arbitraryRequest, arbitraryCircumstances), {
  minLength: 5,
  maxLength: 5,
})

describe("limits and holds, whatever the request", () => {
  it("answer and don't throw, and claims have amounts above zero and meters of one window", () => {
    fc.assert(
      fc.property(arbitraryPolicies, several, (policies, requests) => {
        for (const [asked, given] of requests) {
          const decision = judge(asked, policies, given)
          if (decision.kind === "refuse") {
            assert.ok(denialReasons.includes(decision.denial.reason))
            continue
          }
          const windows = new Map<string, string>()
          for (const { meter, amount, window } of decision.claims) {
            assert.ok(amount.coefficient > 0n)
            const form = JSON.stringify(window)
            assert.equal(windows.get(meter) ?? form, form)
            windows.set(meter, form)
          }
          const { orders = [] } = asked.payload.kind === "orders" ? asked.payload : {}
          assert.ok(decision.sizes.length === 0 || decision.sizes.length === orders.length)
        }
      }),
      numRuns(60),
    )
  })

  it("claim the same of a recorded request by its sizes, though no price is known any more", () => {
    fc.assert(
      fc.property(arbitraryPolicies, several, (policies, requests) => {
        for (const [asked, given] of requests) {
          const decision = judge(asked, policies, given)
          if (decision.kind === "refuse") continue
          const later = { ...given, referencePrice: () => undefined }
          const again = claimsOf(subjectOf(asked, later), decision.sizes, policies)
          assert.deepEqual(enforced(again), { ok: true, value: decision.claims })
        }
      }),
      numRuns(60),
    )
  })

  it("claim and hold the same in every order of files and entries", () => {
    fc.assert(
      fc.property(
        arbitraryPolicies,
        several,
        fc.infiniteStream(fc.nat()),
        (policies, requests, dice) => {
          for (const [asked, given] of requests) {
            const shuffled = shuffle(policies, dice).map((policy) => ({
              ...policy,
              limits: shuffle(policy.limits, dice),
              hold: shuffle(policy.hold, dice),
              deny: shuffle(policy.deny, dice),
            }))
            const [one, other] = [judge(asked, policies, given), judge(asked, shuffled, given)]
            assert.equal(one.kind, other.kind)
            if (one.kind === "refuse" || other.kind === "refuse") continue
            assert.deepEqual(claimSet(other.claims), claimSet(one.claims))
            assert.deepEqual(other.sizes, one.sizes)
          }
        },
      ),
      numRuns(60),
    )
  })

  it("match what a deny with the same matchers matches", () => {
    fc.assert(
      fc.property(someMatchers, several, (lines, requests) => {
        const all = `rules:\n  - {name: all, endpoints: [${operationIds.join(", ")}], allow_full_tpsl: true}\n`
        const withList = (list: string) => policiesOf(`policy: p\n${all}${entries(list, [lines])}`)
        const [denying, holding] = [withList("deny"), withList("hold")]
        for (const [asked, given] of requests) {
          const denied = judge(asked, denying, given)
          const held = judge(asked, holding, given)
          const isDenied = denied.kind === "refuse" && denied.denial.reason === "denied_by_rule"
          const isHeld = held.verdicts().some(({ verdict }) => verdict === "holds")
          assert.equal(isHeld, isDenied)
        }
      }),
      numRuns(60),
    )
  })
})

function claimSet(claims: readonly Claim[]): readonly string[] {
  return claims
    .map(({ amount, max, ...rest }) =>
      JSON.stringify({ ...rest, amount: formatDecimal(amount), max: formatDecimal(max) }),
    )
    .sort()
}

function shuffle<Item>(items: readonly Item[], dice: fc.Stream<number>): readonly Item[] {
  return items
    .map((item) => ({ item, rank: Number(dice.next().value) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
