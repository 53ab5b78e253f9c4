import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { checkOrderFields, checkOrderRules } from "../../../../src/sandbox/order-rules.ts"
import type { JsonObject, JsonValue } from "../../../../src/venue/json.ts"
import { fieldRules, orderFields, type Order } from "../../../../src/venue/payload/payload.ts"
import { orderRules } from "../../../../src/venue/payload/order-rules.ts"
import { parsePayload } from "../../../../src/venue/payload/parse-payload.ts"
import { canonicalJson } from "../../../../src/venue/signing-hash.ts"
import { codesIn, readRepositoryFile } from "../../../support/markdown.ts"
import { numRuns } from "../../../support/runs.ts"
import { endpointOf, profileOf } from "../profile-text.ts"

const profile = profileOf(
  "symbols:",
  "  - {id: 1, name: BTC-PERP, market: perp, quote: USD}",
  "  - {id: 3, name: BTC/USD, market: spot, quote: USD}",
)
const unknownSymbol = 99

const limit = { symbol_id: 1, is_buy: true, order_type: "limit", quantity: "0.5", price: "64000" }
const market = { symbol_id: 1, is_buy: false, order_type: "market", quantity: "0.5" }
const limitUnpriced = without(limit, "price")
const spot = { ...limit, symbol_id: 3 }
const takeProfit = { tpsl_mode: "partial", tp_trigger_price: "66000" }
const attached = { ...limit, algo_order_type: "attached_tpsl", tpsl: takeProfit }
const standalone = {
  symbol_id: 1,
  is_buy: false,
  quantity: "1",
  algo_order_type: "tpsl",
  tpsl: takeProfit,
}
const trigger = { trigger_price: "60000", trigger_by: "last_price" }
const conditional = { ...limit, algo_order_type: "conditional", conditional: trigger }

function read(body: JsonObject) {
  return parsePayload(endpointOf(profile, "placeOrder"), body, profile)
}

/** `path rule`, one for each error; none for an order that is accepted. */
function errorsOf(body: JsonObject): readonly string[] {
  const payload = read(body)
  return payload.ok ? [] : payload.error.map(({ path, rule }) => `${path} ${rule}`)
}

function orderOf(body: JsonObject): Order {
  const payload = read(body)
  assert.ok(payload.ok && payload.value.kind === "orders")
  return payload.value.orders[0]!
}

function without(body: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
}

type Case = { readonly name: string; readonly body: JsonObject; readonly errors: readonly string[] }

function check(cases: readonly Case[]): void {
  for (const { name, body, errors } of cases) {
    it(name, () => {
      assert.deepEqual(errorsOf(body), errors)
    })
  }
}

function eachValue(field: string, body: JsonObject, values: readonly JsonValue[]): readonly Case[] {
  return values.map((value) => ({
    name: `accepts ${field} ${JSON.stringify(value)}`,
    body: { ...body, [field]: value },
    errors: [],
  }))
}

function eachRefused(field: string, rule: string, values: readonly JsonValue[]): readonly Case[] {
  return values.map((value) => ({
    name: `refuses ${field} ${JSON.stringify(value)} as ${rule}`,
    body: { ...limit, [field]: value },
    errors: [`/${field} ${rule}`],
  }))
}

describe("the fields of an order", () => {
  check([
    { name: "accepts a limit order", body: limit, errors: [] },
    { name: "accepts a market order", body: market, errors: [] },
    {
      name: "accepts an order on a symbol outside the table",
      body: { ...limit, symbol_id: unknownSymbol },
      errors: [],
    },
    ...["symbol_id", "is_buy", "quantity"].map((name) => ({
      name: `refuses an order without ${name}`,
      body: without(limit, name),
      errors: [`/${name} required`],
    })),
    {
      name: "refuses a field that isn't documented, also in capitals",
      body: { ...limit, Quantity: "1", leverage: 5 },
      errors: ["/Quantity unknown_field", "/leverage unknown_field"],
    },
    {
      name: "refuses fields that aren't documented in the objects inside",
      body: { ...conditional, conditional: { ...trigger, x: 1 } },
      errors: ["/conditional/x unknown_field"],
    },
    {
      name: "tells all errors at once",
      body: { symbol_id: "1", is_buy: 1, order_type: "stop", quantity: "-1", x: null },
      errors: [
        "/symbol_id wrong_type",
        "/is_buy wrong_type",
        "/order_type value_not_allowed",
        "/quantity not_decimal",
        "/x unknown_field",
      ],
    },
    {
      name: "refuses an empty body",
      body: {},
      errors: [
        "/symbol_id required",
        "/is_buy required",
        "/quantity required",
        "/order_type order_type_required",
      ],
    },

    ...eachValue("symbol_id", limit, [0, Number.MAX_SAFE_INTEGER]),
    ...eachRefused("symbol_id", "wrong_type", ["1", 1.5, 2 ** 53, null, true]),
    ...eachRefused("symbol_id", "out_of_range", [-1]),
    ...eachRefused("is_buy", "wrong_type", ["true", 1, 0, null]),

    ...eachValue("quantity", limit, ["0.00000001", "1", "1.50", "9".repeat(40)]),
    ...eachRefused("quantity", "wrong_type", [1, null, ["1"], { value: "1" }]),
    ...eachRefused("quantity", "not_decimal", [
      "",
      " 1",
      "1 ",
      "+1",
      "-1",
      "01",
      "1.",
      ".5",
      "1e3",
      "0x10",
      "1_000",
      "1,5",
      "NaN",
      "9".repeat(41),
    ]),
    ...eachRefused("quantity", "not_above_zero", ["0", "0.0", "0.000"]),
    ...eachRefused("price", "not_above_zero", ["0"]),
    ...eachRefused("price", "wrong_type", [64000, null]),

    ...eachValue("client_order_id", limit, ["a", "x".repeat(36), "✓".repeat(36), "🙂".repeat(36)]),
    ...eachRefused("client_order_id", "too_long", ["x".repeat(37), "🙂".repeat(37)]),
    ...eachRefused("client_order_id", "empty", [""]),
    ...eachRefused("client_order_id", "wrong_type", [null, 7]),

    ...eachValue("slippage", market, ["0.0001", "0.00010", "0.1", "0.1000", "0.05"]),
    ...["0.00009999999999999999", "0.1000000000000000001", "1", "0.2"].map((slippage) => ({
      name: `refuses slippage ${slippage}`,
      body: { ...market, slippage },
      errors: ["/slippage out_of_range"],
    })),
    {
      name: "refuses slippage 0",
      body: { ...market, slippage: "0" },
      errors: ["/slippage not_above_zero"],
    },

    ...eachValue("time_in_force", limit, ["gtc", "fok", "ioc"]),
    ...eachValue("position_side", limit, ["both", "long", "short"]),
    ...eachValue("margin_mode", limit, ["cross", "isolated"]),
    ...eachValue("stp_mode", limit, ["cancel_maker", "cancel_taker", "cancel_both", "none"]),
    ...eachValue("price_match", limitUnpriced, [
      "queue_1",
      "queue_5",
      "counter_party_1",
      "counter_party_5",
    ]),
    ...["time_in_force", "position_side", "margin_mode", "stp_mode", "order_type"].flatMap(
      (name) => [
        ...eachRefused(name, "value_not_allowed", ["", "LIMIT", "gtx"]),
        ...eachRefused(name, "wrong_type", [null, 1]),
      ],
    ),

    ...eachValue("flags", limit, [
      [],
      ["post_only"],
      ["reduce_only"],
      ["reduce_only", "post_only"],
    ]),
    ...eachRefused("flags", "wrong_type", ["post_only", null, {}]),
    {
      name: "refuses an unknown flag",
      body: { ...limit, flags: ["post_only", "hidden"] },
      errors: ["/flags/1 value_not_allowed"],
    },
    {
      name: "refuses a flag that isn't a string",
      body: { ...limit, flags: [null] },
      errors: ["/flags/0 wrong_type"],
    },
    {
      name: "refuses a flag twice",
      body: { ...limit, flags: ["post_only", "post_only"] },
      errors: ["/flags/1 duplicate_value"],
    },
  ])
})

describe("the interface's validation rules", () => {
  const postOnly = { ...limit, flags: ["post_only"] }
  const reduceOnly = { ...limit, flags: ["reduce_only"] }
  check([
    { name: "1: accepts post_only on a priced limit order", body: postOnly, errors: [] },
    {
      name: "1: accepts post_only with gtc",
      body: { ...postOnly, time_in_force: "gtc" },
      errors: [],
    },
    ...["ioc", "fok"].map((time_in_force) => ({
      name: `1: refuses post_only with ${time_in_force}`,
      body: { ...postOnly, time_in_force },
      errors: ["/time_in_force post_only_needs_gtc"],
    })),
    {
      name: "1: refuses post_only on a market order",
      body: { ...market, flags: ["post_only"] },
      errors: ["/order_type post_only_needs_limit", "/price post_only_needs_price"],
    },
    {
      name: "1: refuses post_only without order_type",
      body: { ...standalone, flags: ["post_only"], price: "1" },
      errors: ["/order_type post_only_needs_limit"],
    },
    {
      name: "1 and 2: refuses post_only with price_match in place of a price",
      body: { ...limitUnpriced, price_match: "queue_1", flags: ["post_only"] },
      errors: ["/price post_only_needs_price", "/price_match post_only_with_price_match"],
    },
    {
      name: "2: refuses post_only with price_match beside a price",
      body: { ...postOnly, price_match: "queue_1" },
      errors: ["/price_match post_only_with_price_match", "/price limit_needs_one_price"],
    },
    { name: "3: accepts reduce_only without tpsl", body: reduceOnly, errors: [] },
    {
      name: "3: refuses reduce_only with a tpsl of null",
      body: { ...reduceOnly, tpsl: null },
      errors: ["/tpsl reduce_only_with_tpsl"],
    },
    {
      name: "3: refuses reduce_only with a tpsl",
      body: { ...attached, flags: ["reduce_only"] },
      errors: ["/tpsl reduce_only_with_tpsl"],
    },
    {
      name: "3: accepts a tpsl of null without reduce_only",
      body: { ...limit, tpsl: null },
      errors: [],
    },
    {
      name: "4: refuses a market order with a price",
      body: { ...market, price: "1" },
      errors: ["/price market_with_price"],
    },
    {
      name: "5: refuses a limit order with neither price nor price_match",
      body: limitUnpriced,
      errors: ["/price limit_needs_one_price"],
    },
    {
      name: "5: refuses a limit order with both price and price_match",
      body: { ...limit, price_match: "queue_1" },
      errors: ["/price limit_needs_one_price"],
    },
    {
      name: "6: refuses a tpsl without a leg",
      body: { ...attached, tpsl: { tpsl_mode: "full" } },
      errors: ["/tpsl tpsl_needs_leg"],
    },
    {
      name: "6: accepts a tpsl with a stop-loss leg alone",
      body: { ...attached, tpsl: { tpsl_mode: "full", sl_trigger_price: "1" } },
      errors: [],
    },
    {
      name: "6: accepts a tpsl with both legs",
      body: { ...attached, tpsl: { ...takeProfit, sl_trigger_price: "1" } },
      errors: [],
    },
  ])
})

describe("what the tables say of an order's kinds", () => {
  check([
    {
      name: "accepts an order with algo_order_type tpsl and no order_type",
      body: standalone,
      errors: [],
    },
    ...["1", undefined].flatMap((price) =>
      ["queue_1", undefined].map((price_match) => ({
        name: `leaves rule 5 out of it then (price ${price ?? "none"}, price_match ${price_match ?? "none"})`,
        body: { ...standalone, ...(price && { price }), ...(price_match && { price_match }) },
        errors: [],
      })),
    ),
    {
      name: "keeps rule 4 where algo_order_type tpsl comes with order_type market",
      body: { ...standalone, order_type: "market", price: "1" },
      errors: ["/price market_with_price"],
    },
    {
      name: "keeps rule 5 where algo_order_type tpsl comes with order_type limit",
      body: { ...standalone, order_type: "limit" },
      errors: ["/price limit_needs_one_price"],
    },
    ...[
      without(limit, "order_type"),
      without(conditional, "order_type"),
      without(attached, "order_type"),
    ].map((body) => ({
      name: `refuses a missing order_type with algo_order_type ${JSON.stringify(body["algo_order_type"])}`,
      body,
      errors: ["/order_type order_type_required"],
    })),

    { name: "accepts a conditional order", body: conditional, errors: [] },
    {
      name: "refuses conditional without its algo_order_type",
      body: without(conditional, "algo_order_type"),
      errors: ["/conditional conditional_needs_algo_order_type"],
    },
    {
      name: "refuses conditional with another algo_order_type",
      body: { ...attached, conditional: trigger },
      errors: ["/conditional conditional_needs_algo_order_type"],
    },
    {
      name: "refuses algo_order_type conditional without conditional",
      body: without(conditional, "conditional"),
      errors: ["/conditional algo_order_type_needs_conditional"],
    },
    {
      name: "refuses a conditional of null",
      body: { ...conditional, conditional: null },
      errors: ["/conditional wrong_type"],
    },
    {
      name: "refuses a conditional without its fields",
      body: { ...conditional, conditional: {} },
      errors: ["/conditional/trigger_price required", "/conditional/trigger_by required"],
    },
    {
      name: "refuses a conditional that is an array",
      body: { ...conditional, conditional: [] },
      errors: ["/conditional wrong_type"],
    },

    { name: "accepts an attached tpsl", body: attached, errors: [] },
    {
      name: "refuses tpsl without its algo_order_type",
      body: without(attached, "algo_order_type"),
      errors: ["/tpsl tpsl_needs_algo_order_type"],
    },
    {
      name: "refuses tpsl with algo_order_type conditional",
      body: { ...conditional, tpsl: takeProfit },
      errors: ["/tpsl tpsl_needs_algo_order_type"],
    },
    ...["tpsl", "attached_tpsl"].flatMap((algo_order_type) => [
      {
        name: `refuses algo_order_type ${algo_order_type} without tpsl`,
        body: { ...limit, algo_order_type },
        errors: ["/tpsl algo_order_type_needs_tpsl"],
      },
      {
        name: `refuses algo_order_type ${algo_order_type} with a tpsl of null`,
        body: { ...limit, algo_order_type, tpsl: null },
        errors: ["/tpsl algo_order_type_needs_tpsl"],
      },
    ]),
    {
      name: "refuses a tpsl without its mode",
      body: { ...attached, tpsl: { tp_trigger_price: "1" } },
      errors: ["/tpsl/tpsl_mode required"],
    },

    {
      name: "refuses time_in_force on a market order",
      body: { ...market, time_in_force: "ioc" },
      errors: ["/time_in_force market_with_time_in_force"],
    },
    {
      name: "refuses price_match on a market order",
      body: { ...market, price_match: "queue_1" },
      errors: ["/price_match market_with_price_match"],
    },
    ...Object.entries({ slippage: "0.01", market_order_type: "base" }).flatMap(([name, value]) => {
      const refused = [`/${name} ${name}_needs_market`]
      const withLegs = (order: JsonObject, legs: JsonObject) => ({
        ...order,
        tpsl: { tpsl_mode: "partial", ...legs },
        [name]: value,
      })
      const limitLeg = {
        tp_trigger_price: "1",
        tp_order_type: "limit",
        tp_order_price: "1",
      }
      const [tp, sl] = [{ tp_trigger_price: "1" }, { sl_trigger_price: "1" }]
      return [
        {
          name: `refuses ${name} on a limit order`,
          body: { ...limit, [name]: value },
          errors: refused,
        },
        {
          name: `refuses ${name} on a limit order whose tpsl is null`,
          body: { ...limit, tpsl: null, [name]: value },
          errors: refused,
        },
        ...[attached, standalone].flatMap((order) => [
          {
            name: `refuses ${name} on ${order.algo_order_type} whose legs are limit orders`,
            body: withLegs(order, limitLeg),
            errors: refused,
          },
          ...[
            { ...tp, tp_order_type: "market" },
            { ...sl, sl_order_type: "market" },
            // Without a type, with or without a price, a leg may become a market order.
            tp,
            sl,
            { ...tp, tp_order_price: "1" },
            { ...limitLeg, ...sl, sl_order_type: "market" },
          ].map((legs) => ({
            name: `accepts ${name} on ${order.algo_order_type} with ${JSON.stringify(legs)}`,
            body: withLegs(order, legs),
            errors: [],
          })),
        ]),
      ]
    }),
    {
      name: "accepts market_order_type base on a market order",
      body: { ...market, market_order_type: "base" },
      errors: [],
    },
  ])

  for (const leg of ["tp", "sl"]) {
    const other = {
      tpsl_mode: "full",
      [leg === "tp" ? "sl_trigger_price" : "tp_trigger_price"]: "1",
    }
    const fields: JsonObject = { trigger_by: "mark_price", order_type: "market", order_price: "1" }
    check([
      ...Object.keys(fields).map((name) => ({
        name: `refuses ${leg}_${name} without ${leg}_trigger_price`,
        body: { ...attached, tpsl: { ...other, [`${leg}_${name}`]: fields[name]! } },
        errors: [`/tpsl/${leg}_trigger_price leg_needs_trigger_price`],
      })),
      {
        name: `refuses ${leg}_order_type limit without ${leg}_order_price`,
        body: {
          ...attached,
          tpsl: {
            tpsl_mode: "full",
            [`${leg}_trigger_price`]: "1",
            [`${leg}_order_type`]: "limit",
          },
        },
        errors: [`/tpsl/${leg}_order_price leg_needs_order_price`],
      },
      {
        name: `accepts ${leg}_order_type limit with ${leg}_order_price`,
        body: {
          ...attached,
          tpsl: {
            tpsl_mode: "full",
            [`${leg}_trigger_price`]: "1",
            [`${leg}_order_type`]: "limit",
            [`${leg}_order_price`]: "1",
          },
        },
        errors: [],
      },
      {
        name: `refuses ${leg}_trigger_by mark_price on spot`,
        body: {
          ...attached,
          symbol_id: 3,
          tpsl: {
            tpsl_mode: "full",
            [`${leg}_trigger_price`]: "1",
            [`${leg}_trigger_by`]: "mark_price",
          },
        },
        errors: [`/tpsl/${leg}_trigger_by spot_needs_last_price`],
      },
    ])
  }
})

describe("what spot and perpetual symbols ask of an order", () => {
  const quote = { ...market, market_order_type: "quote" }
  check([
    { name: "accepts a limit order on spot", body: spot, errors: [] },
    {
      name: "refuses position_side on spot",
      body: { ...spot, position_side: "both" },
      errors: ["/position_side spot_with_position_side"],
    },
    {
      name: "refuses margin_mode on spot",
      body: { ...spot, margin_mode: "cross" },
      errors: ["/margin_mode spot_with_margin_mode"],
    },
    {
      name: "accepts last_price for a condition on spot",
      body: { ...conditional, symbol_id: 3 },
      errors: [],
    },
    ...["mark_price", "oracle_price"].flatMap((trigger_by) => [
      {
        name: `refuses ${trigger_by} for a condition on spot`,
        body: { ...conditional, symbol_id: 3, conditional: { ...trigger, trigger_by } },
        errors: ["/conditional/trigger_by spot_needs_last_price"],
      },
      {
        name: `accepts ${trigger_by} for a condition on a perpetual`,
        body: { ...conditional, conditional: { ...trigger, trigger_by } },
        errors: [],
      },
    ]),
    {
      name: "accepts market_order_type quote on spot",
      body: { ...quote, symbol_id: 3 },
      errors: [],
    },
    {
      name: "refuses market_order_type quote on a perpetual",
      body: quote,
      errors: ["/market_order_type perpetual_needs_base"],
    },
    {
      name: "holds neither for a symbol outside the table",
      body: { ...quote, symbol_id: unknownSymbol, position_side: "both" },
      errors: [],
    },
  ])
})

describe("a field that venue.yaml admits", () => {
  const admitting = profileOf("extra_fields: {placeOrder: [venue_note]}")
  const readIn = (body: JsonObject) =>
    parsePayload(endpointOf(admitting, "placeOrder"), body, admitting).ok

  it("is accepted with any value, and others still aren't", () => {
    assert.ok(readIn({ ...limit, venue_note: { any: [null] } }))
    assert.ok(!readIn({ ...limit, venue_notes: 1 }))
  })
})

describe("an order that was read", () => {
  it("holds every field as it came", () => {
    const order = orderOf({
      ...conditional,
      client_order_id: "mm-1",
      time_in_force: "ioc",
      position_side: "long",
      margin_mode: "isolated",
      stp_mode: "none",
      flags: ["reduce_only"],
    })
    assert.deepEqual(order, {
      clientOrderId: "mm-1",
      path: "",
      symbolId: 1,
      isBuy: true,
      orderType: "limit",
      timeInForce: "ioc",
      quantity: { coefficient: 5n, scale: 1 },
      price: { coefficient: 64000n, scale: 0 },
      slippage: undefined,
      positionSide: "long",
      marginMode: "isolated",
      marketOrderType: undefined,
      stpMode: "none",
      priceMatch: undefined,
      algoOrderType: "conditional",
      conditional: { triggerPrice: { coefficient: 60000n, scale: 0 }, triggerBy: "last_price" },
      tpsl: undefined,
      flags: ["reduce_only"],
    })
  })

  it("holds both legs of a tpsl", () => {
    const tpsl = {
      tpsl_mode: "partial",
      tp_trigger_price: "66000",
      tp_order_type: "limit",
      tp_order_price: "65990",
      sl_trigger_price: "58000",
      sl_trigger_by: "mark_price",
    }
    assert.deepEqual(orderOf({ ...attached, tpsl }).tpsl, {
      mode: "partial",
      takeProfit: {
        triggerPrice: { coefficient: 66000n, scale: 0 },
        triggerBy: undefined,
        orderType: "limit",
        orderPrice: { coefficient: 65990n, scale: 0 },
      },
      stopLoss: {
        triggerPrice: { coefficient: 58000n, scale: 0 },
        triggerBy: "mark_price",
        orderType: undefined,
        orderPrice: undefined,
      },
    })
  })

  it("is frozen at every depth", () => {
    const order = orderOf({ ...attached, flags: ["post_only"] })
    const parts = partsOf(order)
    assert.ok(parts.length >= 7, `${parts.length} parts`)
    for (const part of parts) assert.ok(Object.isFrozen(part), JSON.stringify(Object.keys(part)))
    assert.throws(() => Object.assign(order.quantity, { scale: 0 }), TypeError)
  })
})

/** A value and all objects in it. */
function partsOf(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return []
  return [value, ...Object.values(value).flatMap(partsOf)]
}

/** Values to draw an order's fields from: what the tables allow, and near misses. */
const pools: Readonly<Record<string, readonly JsonValue[]>> = {
  client_order_id: ["a", "🙂".repeat(36), "x".repeat(37), "", null],
  symbol_id: [1, 3, 1, 3, "1", -1],
  is_buy: [true, false, 1],
  order_type: ["limit", "market", "stop"],
  time_in_force: ["gtc", "ioc", "fok", null],
  quantity: ["1", "0.5", "0", 1],
  price: ["1", "0.5", "0", "1e3", null],
  slippage: ["0.0001", "0.1", "0.11", "0.00009"],
  position_side: ["both", "long", "left"],
  margin_mode: ["cross", "isolated"],
  market_order_type: ["base", "quote"],
  stp_mode: ["none", "cancel_both", "all"],
  price_match: ["queue_1", "counter_party_5", "queue_2"],
  algo_order_type: ["conditional", "tpsl", "attached_tpsl", "trailing"],
  conditional: [trigger, { ...trigger, trigger_by: "mark_price" }, {}, null],
  tpsl: [
    takeProfit,
    { tpsl_mode: "full" },
    { tpsl_mode: "full", tp_order_type: "limit" },
    { tpsl_mode: "full", sl_trigger_price: "1", sl_order_type: "limit" },
    { tpsl_mode: "full", sl_trigger_price: "1", sl_order_type: "limit", sl_order_price: "1" },
    { tpsl_mode: "full", sl_trigger_price: "1", sl_order_type: "market" },
    { tpsl_mode: "full", sl_trigger_price: "1", tp_trigger_by: "mark_price" },
    { sl_trigger_price: "1" },
    null,
    "none",
  ],
  flags: [[], ["post_only"], ["reduce_only"], ["post_only", "post_only"], ["hidden"], "post_only"],
  venue_note: ["x"],
}
const fieldsOf = fc.record(
  Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, fc.constantFrom(...pool)])),
  { requiredKeys: [] },
)
const bases = [limit, market, spot, attached, standalone, conditional]

/** A valid order with up to four of its fields replaced, added or left out. */
const nearOrder: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.constantFrom<JsonObject>(...bases),
    fieldsOf,
    fc.subarray(Object.keys(pools), { maxLength: 3 }),
    fc.option(fc.constantFrom(...Object.keys(limit)), { freq: 4 }),
  )
  .map(([base, drawn, kept, dropped]) => {
    const overlay = Object.fromEntries(kept.flatMap((name) => pairOf(name, drawn[name])))
    return without({ ...base, ...overlay }, dropped ?? "")
  })

function pairOf(
  name: string,
  value: JsonValue | undefined,
): readonly (readonly [string, JsonValue])[] {
  return value === undefined ? [] : [[name, value]]
}

/** Rules that the sandbox leaves out, since they are our strict reading and not the interface's words; its page lists them. */
const accepted = /by a reading of its own, as ([^.]*)\. In the rest/.exec(
  readRepositoryFile("docs/sandbox.md"),
)
const ourReading = new Set(codesIn(accepted?.[1] ?? ""))

describe("reading orders, whatever they hold", () => {
  it("agrees with the sandbox, which reads the interface by itself, but for the rules that its page says", () => {
    fc.assert(
      fc.property(nearOrder, (body) => {
        const payload = read(body)
        const rules = payload.ok ? [] : payload.error.map(({ rule }) => rule)
        const refusesByInterface = rules.some((rule) => !ourReading.has(rule))
        const sandboxRefuses = (checkOrderFields(body) ?? checkOrderRules(body)) !== undefined
        assert.equal(refusesByInterface, sandboxRefuses, rules.join(", "))
      }),
      numRuns(500),
    )
  })

  it("refuses alone, each by its rule, what the sandbox's page says that that accepts", () => {
    const wider: Readonly<Record<string, JsonObject>> = {
      unknown_field: { ...limit, leverage: 5 },
      empty: { ...limit, client_order_id: "" },
      duplicate_value: { ...limit, flags: ["post_only", "post_only"] },
      conditional_needs_algo_order_type: { ...limit, conditional: trigger },
      tpsl_needs_algo_order_type: { ...limit, tpsl: takeProfit },
      market_with_time_in_force: { ...market, time_in_force: "ioc" },
      market_with_price_match: { ...market, price_match: "queue_1" },
      slippage_needs_market: { ...limit, slippage: "0.01" },
      market_order_type_needs_market: { ...limit, market_order_type: "base" },
      leg_needs_trigger_price: {
        ...attached,
        tpsl: { ...takeProfit, sl_order_type: "market" },
      },
    }
    assert.deepEqual(Object.keys(wider), [...ourReading])
    for (const [rule, body] of Object.entries(wider)) {
      assert.match(errorsOf(body).join(), new RegExp(`^\\S+ ${rule}$`))
      assert.equal(checkOrderFields(body) ?? checkOrderRules(body), undefined, rule)
    }
  })

  it("accepts what it accepted again, after it was written as canonical JSON", () => {
    fc.assert(
      fc.property(nearOrder, (body) => {
        const first = read(body)
        const text = canonicalJson(body, profile.canonicalForm)
        assert.deepEqual(read(JSON.parse(text) as JsonObject), first)
      }),
      numRuns(200),
    )
  })

  it("names only rules that are listed, at paths that begin in the body", () => {
    const listed: readonly string[] = [...fieldRules, ...orderRules]
    fc.assert(
      fc.property(nearOrder, (body) => {
        const payload = read(body)
        for (const { rule, path, message } of payload.ok ? [] : payload.error) {
          assert.ok(listed.includes(rule), rule)
          assert.match(path, /^\/[a-z]/)
          assert.ok(message.length > 0)
        }
      }),
      numRuns(200),
    )
  })

  it("has no rule twice in its lists", () => {
    const listed = [...fieldRules, ...orderRules]
    assert.equal(new Set(listed).size, listed.length)
  })

  it("knows each field of the interface's table", () => {
    assert.deepEqual(
      orderFields.map((field) => field.name).sort(),
      Object.keys(pools)
        .filter((name) => name !== "venue_note")
        .sort(),
    )
  })
})
