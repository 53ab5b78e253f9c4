import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { claimsOf, enforced } from "../../../../src/vault/policy/claims-of.ts"
import { judge } from "../../../../src/vault/policy/judge.ts"
import type { Decision } from "../../../../src/vault/policy/terms.ts"
import { subjectOf } from "../../../../src/vault/policy/match/judged-request.ts"
import { zero } from "../../../../src/venue/decimal.ts"
import type { Order } from "../../../../src/venue/payload/payload.ts"
import {
  addressOf,
  circumstances,
  claimTexts,
  decide,
  decimal,
  leg,
  limitFile,
  marketOrder,
  order,
  outcomeOf,
  placing,
  placingBatch,
  policiesOf,
  requestFor,
  withTakeProfit,
} from "../../../support/policy-case.ts"
import { testProfile } from "../../../support/test-profile.ts"

const notional = ["sum: submitted_notional", "window: 1h", "max: '100000'"]
const worst = ["sum: worst_cost", "window: 1h", "max: '500'"]
const quantity = ["sum: submitted_quantity", "window: 1h", "max: '100'"]
const requests = ["count: requests", "window: 1s", "max: '40'"]
const orders = ["count: orders", "window: 1s", "max: '40'"]

const ether = order({ symbolId: 2, quantity: decimal("2"), price: decimal("3000") })
const reducing = order({ flags: ["reduce_only"] })

function deniedAs(decision: Decision) {
  assert.equal(decision.kind, "refuse")
  return decision.denial
}

describe("a sum of submitted_notional", () => {
  it("counts an order at its worst price, as an amount of its quote unit", () => {
    const claims = (placed: Order) => claimTexts(decide(limitFile(...notional), placing(placed)))
    assert.deepEqual(claims(order()), [`30000 of 100000 in ["","USD"]`])
    const sell = order({ isBuy: false, price: decimal("1") })
    assert.deepEqual(claims(sell), [`32000 of 100000 in ["","USD"]`])
    const market = marketOrder({ slippage: decimal("0.01") })
    assert.deepEqual(claims(market), [`32320 of 100000 in ["","USD"]`])
    const quote = marketOrder({ symbolId: 3, marketOrderType: "quote", quantity: decimal("7.5") })
    assert.deepEqual(claims(quote), [`7.5 of 100000 in ["","USD"]`])
  })

  it("counts what one request would take past the maximum too: how much is used is the ledger's to know", () => {
    const file = limitFile("sum: submitted_notional", "window: 1h", "max: '1'")
    assert.deepEqual(claimTexts(decide(file, placing(order()))), [`30000 of 1 in ["","USD"]`])
  })

  it("sums a batch over all symbols of one quote unit, and per symbol apart", () => {
    const batch = placingBatch(order(), ether, order())
    assert.deepEqual(claimTexts(decide(limitFile(...notional), batch)), [
      `66000 of 100000 in ["","USD"]`,
    ])
    assert.deepEqual(claimTexts(decide(limitFile(...notional, "per: symbol"), batch)), [
      `60000 of 100000 in ["","1"]`,
      `6000 of 100000 in ["","2"]`,
    ])
  })

  it("never adds amounts of two quote units", () => {
    const profile = testProfile()
    const byId = new Map(profile.symbols.byId)
    byId.set(2, {
      id: 2,
      name: "ETH-PERP",
      market: "perp",
      quote: "EUR",
      referencePrice: undefined,
    })
    const given = { profile: { ...profile, symbols: { ...profile.symbols, byId } } }
    const decision = decide(limitFile(...notional), placingBatch(order(), ether), given)
    assert.deepEqual(claimTexts(decision), [
      `30000 of 100000 in ["","USD"]`,
      `6000 of 100000 in ["","EUR"]`,
    ])
  })

  it("counts entry and legs, unless the venue lets one leg fill alone and only to reduce", () => {
    const both: Order = {
      ...withTakeProfit(order()),
      tpsl: {
        mode: "partial",
        takeProfit: leg(),
        stopLoss: leg({ triggerPrice: decimal("50000") }),
      },
    }
    const claims = (tpslLegs: "independent" | "oco_reduce_only") =>
      claimTexts(
        decide(limitFile(...notional), placing(both), { profile: testProfile({ tpslLegs }) }),
      )
    // 30000 by its price, 35000 by the trigger, 32000 by the reference price
    assert.deepEqual(claims("independent"), [`97000 of 100000 in ["","USD"]`])
    assert.deepEqual(claims("oco_reduce_only"), [`30000 of 100000 in ["","USD"]`])
  })

  it("counts only the parts that its matchers match", () => {
    const claims = (line: string) =>
      claimTexts(decide(limitFile(...notional, line), placing(withTakeProfit(order()))))
    assert.deepEqual(claims("sides: [buy]"), [`30000 of 100000 in ["","USD"]`])
    assert.deepEqual(claims("sides: [sell]"), [`35000 of 100000 in ["","USD"]`])
    assert.deepEqual(claims("symbols: [ETH-PERP]"), [])
  })

  it("counts a part that can't be read as one that matches", () => {
    // What the time in force of a limit leg is, the interface doesn't tell.
    const limitLeg = leg({ orderType: "limit", orderPrice: decimal("70000") })
    const placed = withTakeProfit(order({ timeInForce: "ioc" }), limitLeg)
    const file = limitFile(...notional, "time_in_force: [fok]")
    assert.deepEqual(claimTexts(decide(file, placing(placed))), [`35000 of 100000 in ["","USD"]`])
  })

  it("refuses an order that it can't size, and names itself", () => {
    const unsized: readonly (readonly [Order, string])[] = [
      [marketOrder(), "a fresh reference price and slippage"],
      [
        order({ price: undefined, priceMatch: "queue_1" }),
        "a fresh reference price and a price_match_band in its rule",
      ],
      [order({ symbolId: 7 }), "a fresh reference price"],
    ]
    for (const [placed, needs] of unsized) {
      const denial = deniedAs(decide(limitFile(...notional), placing(placed)))
      assert.equal(denial.reason, "notional_unknown")
      assert.ok(
        denial.asked?.endsWith(`, whose size in quote units takes ${needs}`),
        denial.asked ?? "",
      )
      const { policy, rule, file, line, allowed } = denial
      assert.deepEqual([policy, rule, file, line, allowed], ["test", "entry", "0.yaml", 5, null])
    }
  })

  it("refuses both sides without a fresh reference price, and nothing that its matchers leave out", () => {
    const dead = { referencePrice: () => undefined }
    for (const isBuy of [true, false]) {
      const ask = (line: string) =>
        outcomeOf(decide(limitFile(...notional, line), placing(order({ isBuy })), dead))
      assert.equal(ask("symbols: [BTC-PERP]"), "notional_unknown")
      assert.equal(ask("symbols: [ETH-PERP]"), "allow")
    }
  })

  it("refuses what makes orders that can't be read, and any chase", () => {
    const ask = (request: ReturnType<typeof requestFor>) =>
      outcomeOf(decide(limitFile(...notional), request))
    assert.equal(ask(requestFor("modifyOrder")), "limit_unreadable")
    assert.equal(ask({ ...placing(order()), operation: "modifyOrder" }), "allow")
    assert.equal(ask({ ...placing(order()), operation: "chaseOrder" }), "limit_unreadable")
  })

  it("counts nothing of operations that make no orders, also where it names them", () => {
    const endpoints = "endpoints: [placeOrder, transfer, cancelOrder]"
    for (const operation of ["transfer", "cancelOrder", "setLeverage"] as const) {
      for (const line of ["per: all", endpoints]) {
        const decision = decide(limitFile(...notional, line), requestFor(operation))
        assert.deepEqual(claimTexts(decision), [], operation)
      }
    }
  })
})

describe("a sum of worst_cost", () => {
  const at = (price: string, changes: Partial<Order> = {}) =>
    order({ price: decimal(price), ...changes })
  const ask = (request: ReturnType<typeof requestFor>, ...lines: readonly string[]) =>
    decide(limitFile(...worst, ...lines), request)

  it("counts what an order may lose at once, as an amount of its quote unit", () => {
    assert.deepEqual(claimTexts(ask(placing(at("64000")))), [`32 of 500 in ["","USD"]`])
    assert.deepEqual(claimTexts(ask(placing(at("65000")))), [`532.5 of 500 in ["","USD"]`])
  })

  it("sums a batch over all symbols of one quote unit, and per symbol apart", () => {
    const batch = placingBatch(at("64000"), ether, at("64200"))
    assert.deepEqual(claimTexts(ask(batch)), [`170.1 of 500 in ["","USD"]`])
    assert.deepEqual(claimTexts(ask(batch, "per: symbol")), [
      `164.1 of 500 in ["","1"]`,
      `6 of 500 in ["","2"]`,
    ])
  })

  it("counts an order whole of which a leg alone matches, also where legs are left out of notional", () => {
    const limitLeg = leg({ orderType: "limit", orderPrice: decimal("70000") })
    const request = placing(withTakeProfit(at("64000"), limitLeg))
    for (const tpslLegs of ["independent", "oco_reduce_only"] as const) {
      const profile = testProfile({ tpslLegs })
      const claims = (line: string) =>
        claimTexts(decide(limitFile(...worst, line), request, { profile }))
      assert.deepEqual(claims("sides: [sell]"), [`67 of 500 in ["","USD"]`])
      assert.deepEqual(claims("sides: [buy]"), [`67 of 500 in ["","USD"]`])
      assert.deepEqual(claims("symbols: [ETH-PERP]"), [])
    }
  })

  it("counts nothing of what costs nothing, which takes a venue without fees", () => {
    const given = { profile: testProfile({ feeRate: zero }) }
    const claims = (price: string) =>
      claimTexts(decide(limitFile(...worst), placing(at(price)), given))
    assert.deepEqual(claims("64000"), [])
    assert.deepEqual(claims("64000.1"), [`0.05 of 500 in ["","USD"]`])
  })

  it("refuses an order whose cost it can't tell, and says what that takes", () => {
    const full = { ...withTakeProfit(order()).tpsl, mode: "full", takeProfit: leg() } as const
    const uncosted: readonly (readonly [Order, string])[] = [
      [marketOrder(), "a fresh reference price and slippage"],
      [withTakeProfit(order()), "a fresh reference price and slippage"],
      [
        order({ price: undefined, priceMatch: "queue_1" }),
        "a fresh reference price and a price_match_band in its rule",
      ],
      [order({ symbolId: 7 }), "a fresh reference price"],
      [
        { ...withTakeProfit(order()), tpsl: { ...full, stopLoss: undefined } },
        "a fresh reference price and slippage and tpsl_mode partial",
      ],
    ]
    for (const [placed, needs] of uncosted) {
      const denial = deniedAs(ask(placing(placed)))
      assert.equal(denial.reason, "notional_unknown")
      assert.ok(denial.asked?.endsWith(`, whose worst cost takes ${needs}`), denial.asked ?? "")
    }
  })

  it("refuses both sides without a fresh reference price, what can't be read, and any chase", () => {
    const dead = { referencePrice: () => undefined }
    for (const isBuy of [true, false])
      assert.equal(
        outcomeOf(decide(limitFile(...worst), placing(order({ isBuy })), dead)),
        "notional_unknown",
      )
    const one = placing(order())
    assert.equal(outcomeOf(ask(requestFor("modifyOrder"))), "limit_unreadable")
    assert.equal(outcomeOf(ask({ ...one, operation: "chaseOrder" })), "limit_unreadable")
    assert.deepEqual(claimTexts(ask({ ...one, operation: "modifyOrder" })), [
      `30 of 500 in ["","USD"]`,
    ])
  })

  it("counts nothing of operations that make no orders, and exits in their own lane alone", () => {
    for (const operation of ["transfer", "cancelOrder", "setLeverage"] as const)
      assert.deepEqual(claimTexts(ask(requestFor(operation))), [], operation)
    assert.deepEqual(claimTexts(ask(placing(reducing))), [])
    assert.deepEqual(claimTexts(ask(placing(reducing), "lane: reduce")), [
      `30 of 500 in ["","USD"]`,
    ])
  })
})

describe("a sum of submitted_quantity", () => {
  it("counts base units, never those of two symbols together", () => {
    const batch = placingBatch(order(), ether, order({ quantity: decimal("0.25") }))
    for (const per of ["all", "symbol"]) {
      const decision = decide(limitFile(...quantity, `per: ${per}`), batch)
      assert.deepEqual(claimTexts(decision), [`0.75 of 100 in ["","1"]`, `2 of 100 in ["","2"]`])
    }
  })

  it("needs no price, and takes symbols outside the table", () => {
    const dead = { referencePrice: () => undefined }
    const decision = decide(limitFile(...quantity), placing(marketOrder({ symbolId: 1 })), dead)
    assert.deepEqual(claimTexts(decision), [`0.5 of 100 in ["","1"]`])
    const outside = decide(limitFile(...quantity), placing(order({ symbolId: 7 })), dead)
    assert.deepEqual(claimTexts(outside), [`0.5 of 100 in ["","7"]`])
  })

  it("counts an order's quantity again for each leg, unless only one leg can fill", () => {
    const claims = (tpslLegs: "independent" | "oco_reduce_only") => {
      const given = { profile: testProfile({ tpslLegs }) }
      return claimTexts(decide(limitFile(...quantity), placing(withTakeProfit(order())), given))
    }
    assert.deepEqual(claims("independent"), [`1 of 100 in ["","1"]`])
    assert.deepEqual(claims("oco_reduce_only"), [`0.5 of 100 in ["","1"]`])
  })

  it("refuses an amount in quote units or in either", () => {
    const quote = marketOrder({ symbolId: 3, marketOrderType: "quote" })
    const either = marketOrder({ symbolId: 3, slippage: decimal("0.01") })
    for (const placed of [quote, either]) {
      const denial = deniedAs(decide(limitFile(...quantity), placing(placed)))
      assert.equal(denial.reason, "limit_unreadable")
      assert.equal(denial.asked, "0.5 BTC-USD, which can't be told in base units")
    }
  })
})

describe("a count", () => {
  it("counts a request once, whatever it brings", () => {
    const ask = (request: ReturnType<typeof requestFor>) =>
      claimTexts(decide(limitFile(...requests), request))
    assert.deepEqual(ask(placing(order())), [`1 of 40 in ["",""]`])
    assert.deepEqual(ask(placingBatch(order(), ether)), [`1 of 40 in ["",""]`])
    assert.deepEqual(ask(requestFor("transfer")), [`1 of 40 in ["",""]`])
    assert.deepEqual(ask(requestFor("modifyOrder")), [`1 of 40 in ["",""]`])
  })

  it("of requests per symbol counts once for each symbol that it matches", () => {
    const file = limitFile(...requests, "per: symbol")
    assert.deepEqual(claimTexts(decide(file, placingBatch(order(), ether, order()))), [
      `1 of 40 in ["","1"]`,
      `1 of 40 in ["","2"]`,
    ])
    const bitcoin = limitFile(...requests, "per: symbol", "symbols: [BTC-PERP]")
    assert.deepEqual(claimTexts(decide(bitcoin, placingBatch(order(), ether))), [
      `1 of 40 in ["","1"]`,
    ])
    assert.equal(outcomeOf(decide(file, requestFor("modifyOrder"))), "limit_unreadable")
  })

  it("of requests applies when one order matches or can't be read, and else doesn't", () => {
    const file = limitFile(...requests, "sides: [sell]")
    assert.deepEqual(claimTexts(decide(file, placingBatch(order(), order()))), [])
    const sell = order({ isBuy: false })
    assert.deepEqual(claimTexts(decide(file, placingBatch(order(), sell))), [`1 of 40 in ["",""]`])
    assert.deepEqual(claimTexts(decide(file, requestFor("modifyOrder"))), [`1 of 40 in ["",""]`])
    assert.deepEqual(claimTexts(decide(file, requestFor("transfer"))), [])
  })

  it("of orders counts those that match, each once with its legs", () => {
    const batch = placingBatch(withTakeProfit(order()), ether, order())
    assert.deepEqual(claimTexts(decide(limitFile(...orders), batch)), [`3 of 40 in ["",""]`])
    const bitcoin = limitFile(...orders, "symbols: [BTC-PERP]")
    assert.deepEqual(claimTexts(decide(bitcoin, batch)), [`2 of 40 in ["",""]`])
    const perSymbol = limitFile(...orders, "per: symbol")
    assert.deepEqual(claimTexts(decide(perSymbol, batch)), [
      `2 of 40 in ["","1"]`,
      `1 of 40 in ["","2"]`,
    ])
  })

  it("of orders counts all of a batch that can't be read", () => {
    const batch = requestFor("modifyBatch", { payload: { kind: "opaque", batchLength: 7 } })
    assert.deepEqual(claimTexts(decide(limitFile(...orders), batch)), [`7 of 40 in ["",""]`])
    const bitcoin = limitFile(...orders, "symbols: [BTC-PERP]")
    assert.deepEqual(claimTexts(decide(bitcoin, batch)), [`7 of 40 in ["",""]`])
    const perSymbol = limitFile(...orders, "per: symbol")
    assert.equal(outcomeOf(decide(perSymbol, batch)), "limit_unreadable")
  })

  it("of orders leaves operations that make none alone, unless it names them", () => {
    const payload = { kind: "opaque", batchLength: 3 } as const
    const cancel = requestFor("cancelBatch", { payload })
    assert.deepEqual(claimTexts(decide(limitFile(...orders), cancel)), [])
    const named = limitFile(...orders, "endpoints: [cancelBatch]")
    assert.deepEqual(claimTexts(decide(named, cancel)), [`3 of 40 in ["",""]`])
  })
})

describe("a sum of a field", () => {
  const withdrawn = (...lines: readonly string[]) =>
    limitFile("endpoints: [withdraw]", "window: 24h", "max: '1000'", ...lines)
  const amount = withdrawn("sum: {pointer: /amount}")
  const hex = "ab".repeat(20)
  const byAsset = `policy: test
rules:
  - {name: all, endpoints: [withdraw], where: [{pointer: /asset, in: [USDC, "3", "0x${hex}"]}]}
limits:
  - {name: entry, endpoints: [withdraw], sum: {pointer: /amount, by: /asset}, window: 24h, max: "1000"}
`

  it("counts what the body says there", () => {
    const ask = (value: string | number) =>
      claimTexts(decide(amount, requestFor("withdraw", { body: { amount: value } })))
    assert.deepEqual(ask("12.50"), [`12.5 of 1000 in ["",""]`])
    assert.deepEqual(ask(12), [`12 of 1000 in ["",""]`])
    assert.deepEqual(ask("0"), [])
  })

  it("counts each asset apart, and an address in any case as one", () => {
    const ask = (asset: string | number) =>
      claimTexts(decide(byAsset, requestFor("withdraw", { body: { amount: "5", asset } })))
    assert.deepEqual(ask("USDC"), [`5 of 1000 in ["","USDC"]`])
    assert.deepEqual(ask(3), [`5 of 1000 in ["","3"]`])
    assert.deepEqual(ask(`0x${hex.toUpperCase()}`), ask(`0x${hex}`))
  })

  it("refuses a body where it can't be read", () => {
    const bodies = [
      {},
      { amount: "-1" },
      { amount: -1 },
      { amount: "1e3" },
      { amount: true },
      { amount: null },
      { amount: { value: "1" } },
      { amount: ["1"] },
    ]
    for (const body of bodies) {
      const denial = deniedAs(decide(amount, requestFor("withdraw", { body })))
      assert.equal(denial.reason, "limit_unreadable", JSON.stringify(body))
      assert.equal(denial.asked, "/amount, which isn't an amount")
    }
  })

  it("has no group for what no rule lists: the rule refuses that", () => {
    for (const asset of [undefined, "usdc", "USDC ", "USDC\u200b", true, 4]) {
      const body = asset === undefined ? { amount: "1" } : { amount: "1", asset }
      const denial = deniedAs(decide(byAsset, requestFor("withdraw", { body })))
      assert.equal(denial.reason, "body_field_not_allowed", String(asset))
    }
  })

  it("leaves operations alone that it doesn't name", () => {
    assert.deepEqual(claimTexts(decide(amount, requestFor("transfer"))), [])
  })
})

describe("whom a limit is per", () => {
  const target = addressOf("7")
  const ask = (per: string, changes: Parameters<typeof requestFor>[1] = {}) =>
    claimTexts(decide(limitFile(...requests, `per: ${per}`), { ...placing(order()), ...changes }))

  it("is everyone whom the file applies to unless it says so", () => {
    const decision = decide(limitFile(...requests), placing(order()))
    assert.deepEqual(claimTexts(decision), ask("all"))
    assert.deepEqual(ask("all", { client: "other" }), ask("all"))
  })

  it("is the client, the key or the account: the target, or else the signer", () => {
    assert.deepEqual(ask("client"), [`1 of 40 in ["bot",""]`])
    assert.deepEqual(ask("key"), [`1 of 40 in ["bot-agent",""]`])
    assert.deepEqual(ask("account"), [`1 of 40 in ["${addressOf("1")}",""]`])
    assert.deepEqual(ask("account", { target }), [`1 of 40 in ["${target}",""]`])
  })

  it("keeps two symbols apart though their name is a client's", () => {
    const meters = ["per: client", "per: symbol"].map((per) => {
      const decision = decide(limitFile(...requests, per), { ...placing(order()), client: "1" })
      assert.equal(decision.kind, "allow")
      return decision.claims[0]?.meter
    })
    assert.notEqual(meters[0], meters[1])
  })

  it("counts requests that its file applies to alone", () => {
    const file = (clients: string) =>
      `${limitFile(...requests)}\napplies_to: {clients: [${clients}]}\n`
    const others = "policy: rules\nrules:\n  - {name: all, endpoints: [placeOrder]}\n"
    const claims = (clients: string) => {
      const policies = policiesOf(file(clients), others)
      return claimTexts(judge(placing(order()), policies, circumstances()))
    }
    assert.deepEqual(claims("bot"), [`1 of 40 in ["",""]`])
    assert.deepEqual(claims("other"), [])
  })
})

describe("the lane of what reduces risk", () => {
  const cancel = requestFor("cancelOrder")
  const reduce = placing(reducing)
  const mixed = placingBatch(reducing, order())
  const claimed = (request: typeof cancel, ...lines: readonly string[]) =>
    claimTexts(decide(limitFile(...requests, ...lines), request)).length > 0

  it("isn't counted by a limit that doesn't name it", () => {
    assert.equal(claimed(cancel), false)
    assert.equal(claimed(reduce), false)
    assert.equal(claimed(reduce, "endpoints: [placeOrder]"), false)
    assert.equal(claimed(cancel, "endpoints: [placeOrder]"), false)
    assert.equal(claimed(placing(order())), true)
  })

  it("is counted where endpoints name the cancel, and where lane names reduce-only orders", () => {
    assert.equal(claimed(cancel, "endpoints: [cancelOrder]"), true)
    assert.equal(claimed(cancel, "endpoints: [cancelOrder]", "lane: reduce"), true)
    assert.equal(claimed(cancel, "lane: reduce"), false)
    assert.equal(claimed(reduce, "lane: reduce"), true)
    assert.equal(claimed(reduce, "endpoints: [placeOrder]", "lane: reduce"), true)
    assert.equal(claimed(reduce, "endpoints: [placeBatch]", "lane: reduce"), false)
  })

  it("is all that a limit with lane counts", () => {
    assert.equal(claimed(placing(order()), "lane: reduce"), false)
    assert.equal(claimed(requestFor("transfer"), "lane: reduce"), false)
  })

  it("takes a request as a whole: a batch with one other order counts in full outside it", () => {
    assert.equal(claimed(mixed, "lane: reduce"), false)
    assert.deepEqual(claimTexts(decide(limitFile(...orders), mixed)), [`2 of 40 in ["",""]`])
  })

  it("isn't stopped by a limit that can't read it", () => {
    const dead = { referencePrice: () => undefined }
    assert.equal(outcomeOf(decide(limitFile(...notional), reduce, dead)), "allow")
    const lane = limitFile(...notional, "lane: reduce")
    assert.equal(outcomeOf(decide(lane, reduce, dead)), "notional_unknown")
  })

  it("has no reduce-only order on spot, where it means nothing", () => {
    assert.equal(claimed(placing({ ...reducing, symbolId: 3 })), true)
  })
})

describe("a claim", () => {
  const claimOf = (file: string, changes: Parameters<typeof circumstances>[0] = {}) => {
    const decision = decide(file, placing(order()), changes)
    assert.equal(decision.kind, "allow")
    const [claim] = decision.claims
    assert.ok(claim)
    return claim
  }

  it("names its limit with its place, and says how it is held", () => {
    const plain = claimOf(limitFile(...requests))
    const { policy, limit, file, line, mode, release, window } = plain
    assert.deepEqual([policy, limit, file, line], ["test", "entry", "0.yaml", 5])
    assert.deepEqual([mode, release], ["enforce", "never"])
    assert.deepEqual(window, { kind: "rolling", lengthMs: 1_000 })
    const other = claimOf(limitFile(...requests, "mode: observe", "release: refused"))
    assert.deepEqual([other.mode, other.release], ["observe", "refused"])
  })

  it("has the calendar day of its zone as its window", () => {
    const file = limitFile("count: requests", "window: day", "zone: Europe/Berlin", "max: '1'")
    const { window } = claimOf(file, { nowMs: Date.UTC(2026, 10, 20, 23, 30) })
    const startMs = Date.UTC(2026, 10, 20, 23)
    assert.deepEqual(window, { kind: "day", startMs, endMs: startMs + 86_400_000 })
  })

  it("refuses a time that no calendar has, with a calendar day", () => {
    const file = limitFile("count: requests", "window: day", "zone: UTC", "max: '1'")
    const decision = decide(file, placing(order()), { nowMs: Number.POSITIVE_INFINITY })
    assert.equal(outcomeOf(decision), "limit_unreadable")
  })

  it("has a raised maximum in place of its own, never a lower one", () => {
    const maxWith = (...raises: readonly (readonly [string, string])[]) =>
      claimTexts(
        decide(limitFile(...requests), placing(order()), {
          raises: raises.map(([limit, max]) => ({ limit, max: decimal(max) })),
        }),
      )
    assert.deepEqual(maxWith(["entry", "41"]), [`1 of 41 in ["",""]`])
    assert.deepEqual(maxWith(["test/entry", "41"]), [`1 of 41 in ["",""]`])
    assert.deepEqual(maxWith(["entry", "50"], ["entry", "45"]), [`1 of 50 in ["",""]`])
    assert.deepEqual(maxWith(["entry", "39"]), [`1 of 40 in ["",""]`])
    assert.deepEqual(maxWith(["another", "50"], ["other/entry", "50"]), [`1 of 40 in ["",""]`])
  })
})

describe("a limit that only observes", () => {
  it("refuses nothing that it can't read, and claims nothing then", () => {
    const file = limitFile(...notional, "mode: observe")
    const decision = decide(file, placing(order()), { referencePrice: () => undefined })
    assert.deepEqual(claimTexts(decision), [])
    assert.deepEqual(claimTexts(decide(file, placing(order()))), [`30000 of 100000 in ["","USD"]`])
  })
})

describe("claimsOf", () => {
  const policies = policiesOf(limitFile(...notional))

  it("makes the claims of a recorded request again by its recorded sizes, whatever prices do", () => {
    const decision = judge(placing(order({ isBuy: false })), policies, circumstances())
    assert.equal(decision.kind, "allow")
    for (const price of [undefined, decimal("1"), decimal("9999999")]) {
      const later = circumstances({ referencePrice: () => price })
      const subject = subjectOf(placing(order({ isBuy: false })), later)
      const again = enforced(claimsOf(subject, decision.sizes, policies))
      assert.deepEqual(again, { ok: true, value: decision.claims })
    }
  })

  it("refuses what was recorded without a size, or with fewer sizes than orders", () => {
    const subject = subjectOf(placing(order()), circumstances())
    for (const sizes of [[], [{ entry: null, legs: [], cost: null }]]) {
      const claims = enforced(claimsOf(subject, sizes, policies))
      assert.equal(claims.ok, false)
      assert.equal(claims.error.reason, "notional_unknown")
    }
  })

  it("refuses a leg that was recorded without a size of its own", () => {
    const sizes = [{ entry: decimal("30000"), legs: [], cost: null }]
    const subject = subjectOf(placing(withTakeProfit(order())), circumstances())
    assert.equal(enforced(claimsOf(subject, sizes, policies)).ok, false)
  })

  it("is told limit by limit, so that one which can't read takes nothing from the others", () => {
    const two = policiesOf(limitFile(...notional), limitFile(...requests).replace("test", "more"))
    const subject = subjectOf(placing(order()), circumstances())
    const { claims, unreadable } = claimsOf(subject, [], two)
    assert.deepEqual(
      claims.map(({ policy }) => policy),
      ["more"],
    )
    assert.deepEqual(
      unreadable.map(({ denial, mode }) => [denial.policy, denial.reason, mode]),
      [["test", "notional_unknown", "enforce"]],
    )
  })
})

describe("a refusal by a limit", () => {
  it("comes after rules and denies have spoken, and is among the verdicts", () => {
    const denied = `${limitFile(...notional)}\ndeny:\n  - {name: stop}\n`
    const dead = { referencePrice: () => undefined }
    assert.equal(outcomeOf(decide(denied, placing(order()), dead)), "denied_by_rule")
    const { verdicts } = decide(limitFile(...notional), placing(order()), dead)
    assert.deepEqual(
      verdicts().map(({ rule, verdict, reason }) => [rule, verdict, reason]),
      [
        ["all", "allows", null],
        ["entry", "denies", "notional_unknown"],
      ],
    )
  })
})

describe("a count of orders whose number can't be read", () => {
  it("refuses, rather than count none", () => {
    const file = limitFile("endpoints: [placeBatch]", ...orders)
    const ask = (batchLength: number) =>
      outcomeOf(
        decide(file, requestFor("placeBatch", { payload: { kind: "opaque", batchLength } })),
      )
    assert.equal(ask(3), "allow")
    for (const batchLength of [Number.NaN, 0.5, Number.POSITIVE_INFINITY]) {
      assert.equal(ask(batchLength), "limit_unreadable")
    }
  })
})
