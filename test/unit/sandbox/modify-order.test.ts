import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { errorCodes } from "../../../src/sandbox/state/error-codes.ts"
import { type Fields, stranger, typeA, wallet } from "./signed-bodies.ts"
import { accepted, rejected, venueUnderTest, type VenueUnderTest } from "./venue-under-test.ts"

const ordersPath = "/v1/trade/orders"
const modifyPath = "/v1/trade/orders/modify"
const chasePath = "/v1/trade/orders/chase"
const order: Fields = {
  symbol_id: 1,
  is_buy: true,
  order_type: "limit",
  quantity: "1",
  price: "60000",
}

describe("a batch of orders", () => {
  it("takes and refuses each by itself, in the order asked", () => {
    const venue = venueUnderTest()
    const market = { ...order, order_type: "market" }
    const orders = [{ ...order, client_order_id: "a" }, market, { ...order, symbol_id: 9 }]
    const { list } = accepted(venue.post(`${ordersPath}/batch`, typeA({ orders }, { tag: 11 })))
    const [first, second, third] = list as readonly Fields[]
    assert.deepEqual(first, {
      code: "0",
      msg: "",
      order_id: "1000001",
      client_order_id: "a",
      state: "open",
    })
    assert.deepEqual([second?.["code"], second?.["state"]], [errorCodes.order_rule_4, null])
    assert.deepEqual([third?.["code"], third?.["order_id"]], [errorCodes.unknown_symbol, null])
    assert.equal(openOrders(venue).length, 1)
  })

  it("must be a list of objects", () => {
    for (const orders of [undefined, "x", ["x"], [null]]) {
      const body = typeA(orders === undefined ? {} : { orders }, { tag: 11 })
      const expected = orders === undefined ? "missing_field" : "invalid_field"
      rejected(venueUnderTest().post(`${ordersPath}/batch`, body), expected)
    }
  })
})

describe("a modification", () => {
  it("replaces quantity and price, and keeps id, place and client_order_id", () => {
    const venue = venueUnderTest()
    const order_id = place(venue, { client_order_id: "mine" })
    const last = place(venue)
    const body = typeA({ ...order, order_id, quantity: "2", price: "61000" }, { tag: 8 })
    const { tx_hash, ...data } = accepted(venue.post(modifyPath, body))
    assert.match(String(tx_hash), /^0x/)
    assert.deepEqual(data, { order_id, client_order_id: "mine", state: "open" })
    const [first, second] = openOrders(venue)
    const { quantity, price, client_order_id } = first ?? {}
    assert.deepEqual([quantity, price, client_order_id], ["2", "61000", "mine"])
    assert.equal(second?.["order_id"], last)
  })

  it("fills what can't rest any more", () => {
    const venue = venueUnderTest()
    const order_id = place(venue)
    const body = typeA({ ...order, order_id, time_in_force: "ioc" }, { tag: 8 })
    assert.equal(accepted(venue.post(modifyPath, body))["state"], "filled")
    assert.deepEqual(openOrders(venue), [])
    const { list } = accepted(venue.get("/v1/trade/executions"))
    assert.equal((list as readonly Fields[])[0]?.["order_id"], order_id)
  })

  for (const changes of [{ symbol_id: 2 }, { is_buy: false }]) {
    it(`can't change ${Object.keys(changes).join()}`, () => {
      const venue = venueUnderTest()
      const body = typeA({ ...order, order_id: place(venue), ...changes }, { tag: 8 })
      rejected(venue.post(modifyPath, body), "order_changed")
    })
  }

  it("is refused for an order that isn't open, and for another account's", () => {
    const venue = venueUnderTest([wallet.address, stranger.address])
    const unknown = typeA({ ...order, order_id: "7" }, { tag: 8 })
    rejected(venue.post(modifyPath, unknown), "unknown_order")
    const body = typeA({ ...order, order_id: place(venue) }, { tag: 8, signer: stranger })
    rejected(venue.post(modifyPath, body), "unknown_order")
  })

  it("keeps to the rules of the order that it makes", () => {
    const venue = venueUnderTest()
    const body = typeA({ ...order, order_id: place(venue), price_match: "queue_1" }, { tag: 8 })
    rejected(venue.post(modifyPath, body), "order_rule_5")
    rejected(venue.post(modifyPath, typeA(order, { tag: 8 })), "missing_field")
  })

  it("of a batch is taken or refused by itself", () => {
    const venue = venueUnderTest()
    const order_id = place(venue)
    const orders = [{ ...order, order_id, price: "59000" }, { ...order, order_id: "7" }, order]
    const reply = venue.post(`${ordersPath}/batch/modify`, typeA({ orders }, { tag: 12 }))
    const codes = (accepted(reply)["list"] as readonly Fields[]).map(({ code }) => code)
    assert.deepEqual(codes, ["0", errorCodes.unknown_order, errorCodes.missing_field])
    assert.equal(openOrders(venue)[0]?.["price"], "59000")
  })
})

describe("a chase", () => {
  it("moves a limit order to the reference price", () => {
    const venue = venueUnderTest()
    const order_id = place(venue)
    const data = accepted(venue.post(chasePath, typeA({ order_id }, { tag: 10 })))
    assert.deepEqual([data["order_id"], data["price"]], [order_id, "64000"])
    assert.equal(openOrders(venue)[0]?.["price"], "64000")
  })

  it("is refused for an unknown order and for one that has no limit", () => {
    const venue = venueUnderTest()
    rejected(venue.post(chasePath, typeA({ order_id: "7" }, { tag: 10 })), "unknown_order")
    const stop = {
      symbol_id: 1,
      is_buy: true,
      quantity: "1",
      order_type: "market",
      algo_order_type: "conditional",
      conditional: { trigger_price: "65000", trigger_by: "mark_price" },
    }
    const { order_id } = accepted(venue.post(ordersPath, typeA(stop)))
    rejected(venue.post(chasePath, typeA({ order_id }, { tag: 10 })), "not_chased")
  })
})

function place(venue: VenueUnderTest, changes: Fields = {}): string {
  const { order_id } = accepted(venue.post(ordersPath, typeA({ ...order, ...changes })))
  return String(order_id)
}

function openOrders(venue: VenueUnderTest): readonly Fields[] {
  return accepted(venue.get("/v1/trade/open-orders"))["list"] as readonly Fields[]
}
