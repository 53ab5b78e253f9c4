import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Order } from "../../../../../src/venue/payload/payload.ts"
import {
  decide,
  decimal,
  denyFile,
  leg,
  marketOrder,
  order,
  outcomeOf,
  placing,
  requestFor,
  ruleFile,
  standaloneTpsl,
  withTakeProfit,
} from "../../../../support/policy-case.ts"

type Case = {
  readonly matcher: string
  readonly name: string
  readonly order: Order
  readonly rule: string
  readonly deny: "allow" | "denied_by_rule"
}

const withoutType = order({ orderType: undefined })
const limitLeg = leg({ orderType: "limit", orderPrice: decimal("70000") })

// One case a line reads as the table that it is.
// prettier-ignore
const cases: readonly Case[] = [
  // symbols
  { matcher: "symbols: [BTC-PERP]", name: "a symbol by name", order: order(), rule: "allow", deny: "denied_by_rule" },
  { matcher: "symbols: ['1']", name: "a symbol by id", order: order(), rule: "allow", deny: "denied_by_rule" },
  { matcher: "symbols: [BTC-PERP]", name: "another symbol", order: order({ symbolId: 2 }), rule: "symbol_not_allowed", deny: "allow" },
  { matcher: "symbols: [BTC-PERP, ETH-PERP, BTC-USD]", name: "a symbol outside the table", order: order({ symbolId: 7 }), rule: "symbol_not_allowed", deny: "allow" },
  { matcher: "symbols: ['7']", name: "a symbol outside the table by its id", order: order({ symbolId: 7 }), rule: "allow", deny: "denied_by_rule" },
  // sides
  { matcher: "sides: [buy]", name: "a listed side", order: order(), rule: "allow", deny: "denied_by_rule" },
  { matcher: "sides: [buy]", name: "the other side", order: order({ isBuy: false }), rule: "side_not_allowed", deny: "allow" },
  { matcher: "sides: [buy]", name: "a buy whose leg sells", order: withTakeProfit(order()), rule: "side_not_allowed", deny: "denied_by_rule" },
  { matcher: "sides: [sell]", name: "a buy whose leg sells, by its leg", order: withTakeProfit(order()), rule: "side_not_allowed", deny: "denied_by_rule" },
  { matcher: "sides: [buy]", name: "a standalone tpsl, which may be either", order: standaloneTpsl(), rule: "side_not_allowed", deny: "denied_by_rule" },
  { matcher: "sides: [sell]", name: "a standalone tpsl, whatever its is_buy", order: standaloneTpsl(), rule: "side_not_allowed", deny: "denied_by_rule" },
  { matcher: "sides: [buy, sell]", name: "a standalone tpsl with both sides listed", order: standaloneTpsl(), rule: "allow", deny: "denied_by_rule" },
  // order types
  { matcher: "order_types: [limit]", name: "a limit order", order: order(), rule: "allow", deny: "denied_by_rule" },
  { matcher: "order_types: [limit]", name: "a market order", order: marketOrder(), rule: "order_type_not_allowed", deny: "allow" },
  { matcher: "order_types: [limit]", name: "a limit order whose leg becomes a market order", order: withTakeProfit(order()), rule: "order_type_not_allowed", deny: "denied_by_rule" },
  { matcher: "order_types: [market]", name: "a limit order whose leg says market", order: withTakeProfit(order(), leg({ orderType: "market" })), rule: "order_type_not_allowed", deny: "denied_by_rule" },
  { matcher: "order_types: [limit]", name: "a limit order with a limit leg", order: withTakeProfit(order(), limitLeg), rule: "allow", deny: "denied_by_rule" },
  { matcher: "order_types: [market]", name: "a limit order with a limit leg, which is no market order", order: withTakeProfit(order(), limitLeg), rule: "order_type_not_allowed", deny: "allow" },
  { matcher: "order_types: [limit]", name: "a leg with a price and no type, which may be either", order: withTakeProfit(order(), leg({ orderPrice: decimal("1") })), rule: "order_type_not_allowed", deny: "denied_by_rule" },
  { matcher: "order_types: [limit]", name: "a market order whose leg may become a limit order", order: withTakeProfit(marketOrder(), leg({ orderPrice: decimal("1") })), rule: "order_type_not_allowed", deny: "denied_by_rule" },
  { matcher: "order_types: [market]", name: "a standalone tpsl by its leg's type", order: standaloneTpsl(), rule: "allow", deny: "denied_by_rule" },
  { matcher: "order_types: [limit, market]", name: "an order whose type can't be read", order: withoutType, rule: "order_type_not_allowed", deny: "denied_by_rule" },
  // time in force
  { matcher: "time_in_force: [gtc]", name: "a limit order that leaves it out, as gtc", order: order(), rule: "allow", deny: "denied_by_rule" },
  { matcher: "time_in_force: [ioc]", name: "a limit order that leaves it out, not as ioc", order: order(), rule: "time_in_force_not_allowed", deny: "allow" },
  { matcher: "time_in_force: [ioc, fok]", name: "a listed time in force", order: order({ timeInForce: "ioc" }), rule: "allow", deny: "denied_by_rule" },
  { matcher: "time_in_force: [gtc, fok, ioc]", name: "a market order, which has none", order: marketOrder(), rule: "time_in_force_not_allowed", deny: "allow" },
  { matcher: "time_in_force: [gtc]", name: "a limit leg, whose time in force isn't disclosed", order: withTakeProfit(order(), limitLeg), rule: "time_in_force_not_allowed", deny: "denied_by_rule" },
  { matcher: "time_in_force: [ioc]", name: "an order whose type can't be read", order: withoutType, rule: "time_in_force_not_allowed", deny: "denied_by_rule" },
  // flags
  { matcher: "require_flags: [post_only]", name: "the flag", order: order({ flags: ["post_only"] }), rule: "allow", deny: "denied_by_rule" },
  { matcher: "require_flags: [post_only]", name: "another flag", order: order({ flags: ["reduce_only"] }), rule: "flag_required", deny: "allow" },
  { matcher: "require_flags: [post_only, reduce_only]", name: "one flag of two", order: order({ flags: ["post_only"] }), rule: "flag_required", deny: "allow" },
  { matcher: "require_flags: [post_only]", name: "a post_only order whose leg isn't", order: withTakeProfit(order({ flags: ["post_only"] })), rule: "flag_required", deny: "denied_by_rule" },
  { matcher: "forbid_flags: [reduce_only]", name: "no flag", order: order(), rule: "allow", deny: "denied_by_rule" },
  { matcher: "forbid_flags: [reduce_only]", name: "the forbidden flag", order: order({ flags: ["reduce_only"] }), rule: "flag_forbidden", deny: "allow" },
  { matcher: "forbid_flags: [reduce_only, post_only]", name: "one forbidden flag of two", order: order({ flags: ["post_only"] }), rule: "flag_forbidden", deny: "allow" },
  // position sides
  { matcher: "position_sides: [long, both]", name: "a listed position side", order: order({ positionSide: "long" }), rule: "allow", deny: "denied_by_rule" },
  { matcher: "position_sides: [long, both]", name: "another position side", order: order({ positionSide: "short" }), rule: "position_side_not_allowed", deny: "allow" },
  { matcher: "position_sides: [both, long, short]", name: "a perpetual's order without one, which the account decides", order: order(), rule: "position_side_not_allowed", deny: "denied_by_rule" },
  { matcher: "position_sides: [both, long, short]", name: "a symbol outside the table without one", order: order({ symbolId: 7 }), rule: "position_side_not_allowed", deny: "denied_by_rule" },
  { matcher: "position_sides: [both, long, short]", name: "a spot order, which has none", order: order({ symbolId: 3 }), rule: "position_side_not_allowed", deny: "allow" },
  { matcher: "position_sides: [long]", name: "a leg, which is of its entry's position", order: withTakeProfit(order({ positionSide: "long" })), rule: "allow", deny: "denied_by_rule" },
  // margin modes
  { matcher: "margin_modes: [isolated]", name: "a listed margin mode", order: order({ marginMode: "isolated" }), rule: "allow", deny: "denied_by_rule" },
  { matcher: "margin_modes: [isolated]", name: "the other margin mode", order: order({ marginMode: "cross" }), rule: "margin_mode_not_allowed", deny: "allow" },
  { matcher: "margin_modes: [cross, isolated]", name: "a perpetual's order without one, which the account decides", order: order(), rule: "margin_mode_not_allowed", deny: "denied_by_rule" },
  { matcher: "margin_modes: [cross, isolated]", name: "a spot order, which has none", order: order({ symbolId: 3 }), rule: "margin_mode_not_allowed", deny: "allow" },
  { matcher: "margin_modes: [cross]", name: "a leg, which is of its entry's margin", order: withTakeProfit(order({ marginMode: "cross" })), rule: "allow", deny: "denied_by_rule" },
  // self-trade prevention
  { matcher: "stp_modes: [cancel_maker]", name: "an order that leaves it out, as cancel_maker", order: order(), rule: "allow", deny: "denied_by_rule" },
  { matcher: "stp_modes: [cancel_taker, cancel_both, none]", name: "an order that leaves it out, as nothing else", order: order(), rule: "stp_mode_not_allowed", deny: "allow" },
  { matcher: "stp_modes: [none]", name: "none, which is a mode", order: order({ stpMode: "none" }), rule: "allow", deny: "denied_by_rule" },
  { matcher: "stp_modes: [cancel_maker]", name: "a leg, whose mode isn't disclosed", order: withTakeProfit(order()), rule: "stp_mode_not_allowed", deny: "denied_by_rule" },
  // algo types
  { matcher: "algo_order_types: [none]", name: "a plain order", order: order(), rule: "allow", deny: "denied_by_rule" },
  { matcher: "algo_order_types: [conditional, tpsl, attached_tpsl]", name: "a plain order, which has no algo type", order: order(), rule: "algo_order_type_not_allowed", deny: "allow" },
  { matcher: "algo_order_types: [attached_tpsl]", name: "an order with a leg", order: withTakeProfit(order()), rule: "allow", deny: "denied_by_rule" },
  { matcher: "algo_order_types: [none]", name: "an order with a leg, which isn't plain", order: withTakeProfit(order()), rule: "algo_order_type_not_allowed", deny: "allow" },
  { matcher: "algo_order_types: [none]", name: "a trigger without its algo type, which isn't taken for none", order: order({ conditional: { triggerPrice: decimal("1"), triggerBy: "last_price" } }), rule: "algo_order_type_not_allowed", deny: "denied_by_rule" },
  // client order ids
  { matcher: "client_order_id: 'mm-[0-9]+'", name: "an id that matches as a whole", order: order({ clientOrderId: "mm-17" }), rule: "allow", deny: "denied_by_rule" },
  { matcher: "client_order_id: 'mm-[0-9]+'", name: "an id that matches at its start alone", order: order({ clientOrderId: "mm-17x" }), rule: "client_order_id_not_allowed", deny: "allow" },
  { matcher: "client_order_id: 'mm-[0-9]+'", name: "an id that matches at its end alone", order: order({ clientOrderId: "xmm-17" }), rule: "client_order_id_not_allowed", deny: "allow" },
  { matcher: "client_order_id: 'a|b'", name: "an alternative as a whole", order: order({ clientOrderId: "ab" }), rule: "client_order_id_not_allowed", deny: "allow" },
  { matcher: "client_order_id: '.*'", name: "an order without an id, which is nobody's", order: order(), rule: "client_order_id_not_allowed", deny: "allow" },
  { matcher: "client_order_id: 'mm-[0-9]+'", name: "a leg, which goes by its order's id", order: withTakeProfit(order({ clientOrderId: "mm-17" })), rule: "allow", deny: "denied_by_rule" },
]

describe("order matchers", () => {
  for (const { matcher, name, order: placed, rule, deny } of cases) {
    it(`in a rule, ${matcher} meets ${name}: ${rule}`, () => {
      assert.equal(outcomeOf(decide(ruleFile(matcher), placing(placed))), rule)
    })
    it(`in a deny, ${matcher} meets ${name}: ${deny}`, () => {
      assert.equal(outcomeOf(decide(denyFile(matcher), placing(placed))), deny)
    })
  }

  it("needs every matcher of a deny to match the same order", () => {
    const file = denyFile("symbols: [BTC-PERP]", "sides: [sell]")
    assert.equal(outcomeOf(decide(file, placing(order()))), "allow")
    assert.equal(outcomeOf(decide(file, placing(order({ isBuy: false })))), "denied_by_rule")
    assert.equal(outcomeOf(decide(file, placing(order({ isBuy: false, symbolId: 2 })))), "allow")
  })
})

const matcherLines = [
  "symbols: [BTC-PERP]",
  "sides: [buy, sell]",
  "order_types: [limit, market]",
  "time_in_force: [gtc, fok, ioc]",
  "require_flags: [post_only]",
  "forbid_flags: [post_only]",
  "position_sides: [both, long, short]",
  "margin_modes: [cross, isolated]",
  "stp_modes: [cancel_maker, cancel_taker, cancel_both, none]",
  "algo_order_types: [none, conditional, tpsl, attached_tpsl]",
  "client_order_id: '.*'",
]

describe("an order that can't be read", () => {
  for (const matcher of matcherLines) {
    it(`matches no rule with ${matcher}`, () => {
      for (const payload of [
        { kind: "opaque", batchLength: 1 },
        { kind: "struct" },
        { kind: "orders", orders: [], form: "batch" },
      ] as const) {
        const request = requestFor("modifyOrder", { payload })
        assert.equal(outcomeOf(decide(ruleFile(matcher), request)), "order_unreadable")
      }
    })
    it(`matches a deny with ${matcher}`, () => {
      const request = requestFor("modifyOrder")
      assert.equal(outcomeOf(decide(denyFile(matcher), request)), "denied_by_rule")
    })
    it(`leaves operations that make no order alone in a deny with ${matcher}`, () => {
      assert.equal(outcomeOf(decide(denyFile(matcher), requestFor("cancelOrder"))), "allow")
    })
    it(`covers no operation that makes no order in a rule with ${matcher}`, () => {
      const decision = decide(ruleFile(matcher), requestFor("cancelOrder"))
      assert.equal(outcomeOf(decision), "no_rule_covers_endpoint")
    })
    it(`matches a deny with ${matcher} that names the operation, though it makes no order`, () => {
      const file = denyFile("endpoints: [cancelOrder]", matcher)
      assert.equal(outcomeOf(decide(file, requestFor("cancelOrder"))), "denied_by_rule")
    })
    it(`matches no rule with ${matcher} that names the operation, though it makes no order`, () => {
      const file = ruleFile("endpoints: [cancelOrder]", matcher)
      assert.equal(outcomeOf(decide(file, requestFor("cancelOrder"))), "order_unreadable")
    })
  }

  it("is what an operation brings that makes no order, whatever its payload was read as", () => {
    const { payload } = placing(order())
    const file = ruleFile("endpoints: [cancelOrder]", "symbols: [BTC-PERP]")
    const decision = decide(file, requestFor("cancelOrder", { payload }))
    assert.equal(outcomeOf(decision), "order_unreadable")
  })

  it("is allowed by a rule that asks nothing of orders", () => {
    const file = ruleFile("endpoints: [chaseOrder]")
    assert.equal(outcomeOf(decide(file, requestFor("chaseOrder"))), "allow")
  })
})
