import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { ErrorName } from "../../../src/sandbox/state/error-codes.ts"
import { numRuns } from "../../support/runs.ts"
import { type Fields, nowMs, typeA, wallet } from "./signed-bodies.ts"
import { accepted, rejected, venueUnderTest } from "./venue-under-test.ts"

const path = "/v1/trade/orders"
const limit: Fields = {
  symbol_id: 1,
  is_buy: true,
  order_type: "limit",
  quantity: "0.5",
  price: "64000",
}
const market: Fields = { symbol_id: 1, is_buy: false, order_type: "market", quantity: "0.5" }
const spot: Fields = { ...limit, symbol_id: 3 }
const takeProfit: Fields = { tpsl_mode: "partial", tp_trigger_price: "66000" }

describe("placing an order", () => {
  it("answers a limit order with its hash, its id and the state open", () => {
    const reply = venueUnderTest().post(path, typeA({ ...limit, client_order_id: "mm-1" }))
    const { tx_hash, ...rest } = accepted(reply)
    assert.match(String(tx_hash), /^0x[0-9a-f]{64}$/)
    assert.deepEqual(rest, { order_id: "1000001", client_order_id: "mm-1", state: "open" })
  })

  it("fills a market order at once, and names no client_order_id when none came", () => {
    const { client_order_id, state } = accepted(venueUnderTest().post(path, typeA(market)))
    assert.deepEqual({ client_order_id, state }, { client_order_id: null, state: "filled" })
  })

  const states = [
    { order: { ...limit, time_in_force: "gtc" }, state: "open" },
    { order: { ...limit, time_in_force: "ioc" }, state: "filled" },
    { order: { ...limit, time_in_force: "fok" }, state: "filled" },
    {
      order: {
        ...market,
        algo_order_type: "conditional",
        conditional: { trigger_price: "1", trigger_by: "mark_price" },
      },
      state: "open",
    },
  ]
  for (const { order, state } of states) {
    it(`leaves ${JSON.stringify(order)} ${state}`, () => {
      assert.equal(accepted(venueUnderTest().post(path, typeA(order)))["state"], state)
    })
  }
})

type Case = { readonly name: string; readonly order: Fields; readonly error?: ErrorName }

const rule1: readonly Case[] = [
  { name: "accepts post_only on a limit order with a price", order: postOnly(limit) },
  {
    name: "accepts post_only with gtc",
    order: postOnly({ ...limit, time_in_force: "gtc" }),
  },
  {
    name: "refuses post_only with ioc",
    order: postOnly({ ...limit, time_in_force: "ioc" }),
    error: "order_rule_1",
  },
  {
    name: "refuses post_only with fok",
    order: postOnly({ ...limit, time_in_force: "fok" }),
    error: "order_rule_1",
  },
  {
    name: "refuses post_only on a market order",
    order: postOnly(market),
    error: "order_rule_1",
  },
  {
    name: "refuses post_only without a price",
    order: postOnly(without(limit, "price")),
    error: "order_rule_1",
  },
]
const rules2And3: readonly Case[] = [
  {
    name: "refuses post_only with price_match",
    order: postOnly({ ...limit, price_match: "queue_1" }),
    error: "order_rule_2",
  },
  { name: "accepts reduce_only without tpsl", order: { ...limit, flags: ["reduce_only"] } },
  {
    name: "refuses reduce_only with tpsl",
    order: {
      ...limit,
      flags: ["reduce_only"],
      algo_order_type: "attached_tpsl",
      tpsl: takeProfit,
    },
    error: "order_rule_3",
  },
  {
    name: "refuses reduce_only with a tpsl of null",
    order: { ...limit, flags: ["reduce_only"], tpsl: null },
    error: "order_rule_3",
  },
  { name: "accepts a tpsl of null without reduce_only", order: { ...limit, tpsl: null } },
]
const rules4And5: readonly Case[] = [
  { name: "accepts a market order without price", order: market },
  {
    name: "refuses a market order with price",
    order: { ...market, price: "64000" },
    error: "order_rule_4",
  },
  {
    name: "accepts a limit order with price_match alone",
    order: { ...without(limit, "price"), price_match: "queue_5" },
  },
  {
    name: "refuses a limit order with price and price_match",
    order: { ...limit, price_match: "queue_5" },
    error: "order_rule_5",
  },
  {
    name: "refuses a limit order with neither price nor price_match",
    order: without(limit, "price"),
    error: "order_rule_5",
  },
]
const rule6: readonly Case[] = [
  { name: "accepts a take-profit leg alone", order: attached(takeProfit) },
  {
    name: "accepts a stop-loss leg alone",
    order: attached({ tpsl_mode: "full", sl_trigger_price: "60000" }),
  },
  {
    name: "refuses a tpsl without a leg",
    order: attached({ tpsl_mode: "full" }),
    error: "order_rule_6",
  },
]
const tables: readonly Case[] = [
  {
    name: "refuses an order without quantity",
    order: without(limit, "quantity"),
    error: "missing_field",
  },
  {
    name: "refuses an order without symbol_id",
    order: without(limit, "symbol_id"),
    error: "missing_field",
  },
  {
    name: "refuses an order without is_buy",
    order: without(limit, "is_buy"),
    error: "missing_field",
  },
  {
    name: "refuses an order without order_type",
    order: without(limit, "order_type"),
    error: "missing_field",
  },
  {
    name: "accepts a tpsl order without order_type",
    order: { ...without(market, "order_type"), algo_order_type: "tpsl", tpsl: takeProfit },
  },
  {
    name: "refuses a tpsl order whose tpsl is null",
    order: { ...market, algo_order_type: "tpsl", tpsl: null },
    error: "missing_field",
  },
  {
    name: "refuses a conditional order without conditional",
    order: { ...market, algo_order_type: "conditional" },
    error: "missing_field",
  },
  {
    name: "refuses a conditional without trigger_by",
    order: { ...market, algo_order_type: "conditional", conditional: { trigger_price: "1" } },
    error: "missing_field",
  },
  {
    name: "refuses a limit take-profit without its price",
    order: attached({ ...takeProfit, tp_order_type: "limit" }),
    error: "missing_field",
  },
  {
    name: "refuses a limit stop-loss without its price",
    order: attached({ tpsl_mode: "full", sl_trigger_price: "1", sl_order_type: "limit" }),
    error: "missing_field",
  },
  {
    name: "refuses a tpsl without tpsl_mode",
    order: attached({ tp_trigger_price: "1" }),
    error: "missing_field",
  },
  {
    name: "accepts a client_order_id of 36 characters",
    order: { ...limit, client_order_id: "é".repeat(36) },
  },
  {
    name: "refuses a client_order_id of 37 characters",
    order: { ...limit, client_order_id: "a".repeat(37) },
    error: "invalid_field",
  },
  { name: "accepts slippage 0.0001", order: { ...market, slippage: "0.0001" } },
  {
    name: "refuses slippage 0.00009",
    order: { ...market, slippage: "0.00009" },
    error: "invalid_field",
  },
  { name: "accepts slippage 0.1", order: { ...market, slippage: "0.1" } },
  {
    name: "refuses slippage 0.1000000000000000000001",
    order: { ...market, slippage: "0.1000000000000000000001" },
    error: "invalid_field",
  },
  {
    name: "refuses a quantity that is a number",
    order: { ...limit, quantity: 1 },
    error: "invalid_field",
  },
  {
    name: "refuses a quantity of zero",
    order: { ...limit, quantity: "0.00" },
    error: "invalid_field",
  },
  { name: "refuses a negative price", order: { ...limit, price: "-1" }, error: "invalid_field" },
  {
    name: "refuses a price in exponents",
    order: { ...limit, price: "1e3" },
    error: "invalid_field",
  },
  { name: "refuses a price of null", order: { ...limit, price: null }, error: "invalid_field" },
  {
    name: "refuses is_buy as a string",
    order: { ...limit, is_buy: "true" },
    error: "invalid_field",
  },
  {
    name: "refuses an unknown flag",
    order: { ...limit, flags: ["hidden"] },
    error: "invalid_field",
  },
  {
    name: "refuses flags that aren't an array",
    order: { ...limit, flags: "post_only" },
    error: "invalid_field",
  },
  {
    name: "refuses an unknown time_in_force",
    order: { ...limit, time_in_force: "day" },
    error: "invalid_field",
  },
  { name: "refuses an unknown symbol", order: { ...limit, symbol_id: 4 }, error: "unknown_symbol" },
]
const markets: readonly Case[] = [
  { name: "accepts position_side on a perpetual", order: { ...limit, position_side: "both" } },
  { name: "accepts a spot order", order: spot },
  {
    name: "refuses position_side on spot",
    order: { ...spot, position_side: "both" },
    error: "perpetual_only",
  },
  {
    name: "refuses margin_mode on spot",
    order: { ...spot, margin_mode: "cross" },
    error: "perpetual_only",
  },
  {
    name: "refuses a mark_price trigger on spot",
    order: {
      ...spot,
      algo_order_type: "conditional",
      conditional: { trigger_price: "1", trigger_by: "mark_price" },
    },
    error: "perpetual_only",
  },
  {
    name: "refuses a take-profit by oracle_price on spot",
    order: { ...attached({ ...takeProfit, tp_trigger_by: "oracle_price" }), symbol_id: 3 },
    error: "perpetual_only",
  },
  {
    name: "accepts a take-profit by last_price on spot",
    order: { ...attached({ ...takeProfit, tp_trigger_by: "last_price" }), symbol_id: 3 },
  },
  {
    name: "accepts quote size on spot",
    order: { ...market, symbol_id: 3, market_order_type: "quote" },
  },
  {
    name: "refuses quote size on a perpetual",
    order: { ...market, market_order_type: "quote" },
    error: "spot_only",
  },
]
// What the daemon refuses by its own, stricter reading must come to the sandbox as the interface has it.
const looser: readonly Case[] = [
  { name: "accepts slippage on a limit order", order: { ...limit, slippage: "0.01" } },
  { name: "accepts time_in_force on a market order", order: { ...market, time_in_force: "ioc" } },
  { name: "accepts the same flag twice", order: { ...limit, flags: ["post_only", "post_only"] } },
  { name: "accepts an empty client_order_id", order: { ...limit, client_order_id: "" } },
]

describe("the order rules", () => {
  const groups = [rule1, rules2And3, rules4And5, rule6, tables, markets, looser]
  for (const { name, order, error } of groups.flat()) {
    it(name, () => {
      const reply = venueUnderTest().post(path, typeA(order))
      if (error === undefined) accepted(reply)
      else rejected(reply, error)
    })
  }

  it("leaves the nonce of a refused order free", () => {
    const venue = venueUnderTest()
    const nonce = nowMs
    rejected(venue.post(path, typeA({ ...market, price: "1" }, { nonce })), "order_rule_4")
    accepted(venue.post(path, typeA(market, { nonce })))
  })

  it("takes every slippage from 1 to 1000 basis points and no other", () => {
    const basisPoints = fc.integer({ min: 0, max: 1_200 })
    fc.assert(
      fc.property(basisPoints, (points) => {
        const slippage = (points / 10_000).toFixed(4)
        const { envelope } = venueUnderTest().post(path, typeA({ ...market, slippage }))
        assert.equal(envelope.code === "0", points >= 1 && points <= 1_000)
      }),
      numRuns(20),
    )
  })

  it("lists what it accepted with the account in lower case", () => {
    const venue = venueUnderTest()
    accepted(venue.post(path, typeA({ ...limit, client_order_id: "a" })))
    assert.deepEqual(accepted(venue.get("/v1/trade/open-orders"))["list"], [
      {
        order_id: "1000001",
        client_order_id: "a",
        account_address: wallet.address.toLowerCase(),
        symbol_id: 1,
        is_buy: true,
        order_type: "limit",
        quantity: "0.5",
        price: "64000",
        state: "open",
        created_at: nowMs,
      },
    ])
  })
})

function postOnly(order: Fields): Fields {
  return { ...order, flags: ["post_only"] }
}

function attached(tpsl: Fields): Fields {
  return { ...limit, algo_order_type: "attached_tpsl", tpsl }
}

function without(order: Fields, name: string): Fields {
  return Object.fromEntries(Object.entries(order).filter(([key]) => key !== name))
}
