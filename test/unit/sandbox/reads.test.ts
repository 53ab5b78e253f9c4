import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { agent, approval, nowMs, stranger, typeA, wallet, type Fields } from "./signed-bodies.ts"
import { accepted, rejected, venueUnderTest, type VenueUnderTest } from "./venue-under-test.ts"

const historyPath = "/v1/trade/order-history"
const executionsPath = "/v1/trade/executions"
const transactionsPath = "/v1/explorer/transactions"
const mine = wallet.address.toLowerCase()

describe("the records of what happened", () => {
  it("tell how an order ended, and what was filled at which price", () => {
    const venue = venueUnderTest()
    const filled = trade(venue)
    const { order_id } = accepted(venue.post("/v1/trade/orders", typeA(limit)))
    accepted(venue.post("/v1/trade/orders/cancel", typeA({ order_id }, { tag: 9 })))
    assert.deepEqual(
      listOf(venue, historyPath).map((each) => [each["order_id"], each["state"]]),
      [
        [filled, "filled"],
        [order_id, "cancelled"],
      ],
    )
    const [execution] = listOf(venue, executionsPath)
    assert.deepEqual([execution?.["order_id"], execution?.["price"]], [filled, "64000"])
  })

  it("hold every accepted write with the hash that was signed, and no refused one", () => {
    const venue = venueUnderTest()
    const body = typeA(market)
    const { tx_hash } = accepted(venue.post("/v1/trade/orders", body))
    rejected(venue.post("/v1/trade/orders", body), "nonce_repeated")
    assert.deepEqual(listOf(venue, transactionsPath), [
      {
        number: 1,
        tx_hash,
        signer_address: mine,
        path: "/v1/trade/orders",
        nonce: body["nonce"],
        record_time: nowMs,
      },
    ])
    trade(venue)
    assert.equal(listOf(venue, `${transactionsPath}?tx_hash=${String(tx_hash)}`).length, 1)
  })

  for (const path of [historyPath, executionsPath, transactionsPath]) {
    it(`at ${path} go from start_time, included, to end_time, excluded`, () => {
      const venue = venueUnderTest()
      const record = trade(venue)
      assert.ok(record)
      const found = (start: number, end: number) =>
        listOf(venue, `${path}?start_time=${start}&end_time=${end}`).length
      assert.equal(found(nowMs, nowMs + 1), 1)
      assert.equal(found(nowMs + 1, nowMs + 2), 0)
      assert.equal(found(nowMs - 1, nowMs), 0)
    })

    it(`at ${path} end a page at the limit, and the list without a cursor`, () => {
      const venue = venueUnderTest()
      for (let made = 0; made < 4; made++) trade(venue)
      const whole = accepted(venue.get(`${path}?limit=4`))
      assert.deepEqual([whole["next_cursor"], whole["has_more"]], [null, false])
      const first = accepted(venue.get(`${path}?limit=3`))
      assert.equal(first["has_more"], true)
      const rest = accepted(venue.get(`${path}?limit=3&cursor=${String(first["next_cursor"])}`))
      assert.deepEqual([rest["next_cursor"], rest["has_more"]], [null, false])
      assert.deepEqual(
        [first, rest].flatMap(({ list }) => list),
        whole["list"],
      )
    })

    it(`at ${path} refuse a time, a limit and a cursor that aren't numbers`, () => {
      for (const query of ["start_time=x", "end_time=-1", "limit=101", "cursor=x"]) {
        rejected(venueUnderTest().get(`${path}?${query}`), "invalid_query")
      }
    })
  }

  it("are given for one account", () => {
    const venue = venueUnderTest([wallet.address, stranger.address])
    trade(venue)
    for (const path of [historyPath, executionsPath]) {
      assert.equal(listOf(venue, `${path}?account_address=${wallet.address}`).length, 1)
      assert.equal(listOf(venue, `${path}?account_address=${stranger.address}`).length, 0)
      rejected(venue.get(`${path}?account_address=0x1`), "invalid_query")
    }
  })
})

describe("market reads", () => {
  it("list the symbols page by page", () => {
    const venue = venueUnderTest()
    const first = accepted(venue.get("/v1/market/symbols?limit=2"))
    const rest = accepted(venue.get(`/v1/market/symbols?cursor=${String(first["next_cursor"])}`))
    const names = [first, rest].flatMap(({ list }) =>
      (list as readonly Fields[]).map(({ name }) => name),
    )
    assert.deepEqual(names, ["BTC-PERP", "ETH-PERP", "BTC-USD"])
    rejected(venue.get("/v1/market/symbols?limit=0"), "invalid_query")
  })

  it("tell a symbol's prices", () => {
    const ticker = accepted(venueUnderTest().get("/v1/market/ticker?symbol_id=2"))
    assert.deepEqual([ticker["mark_price"], ticker["record_time"]], ["3200", nowMs])
    for (const query of ["", "?symbol_id=9", "?symbol_id=x"]) {
      rejected(venueUnderTest().get(`/v1/market/ticker${query}`), "unknown_symbol")
    }
  })
})

describe("account reads", () => {
  it("list agents with their end", () => {
    const venue = venueUnderTest()
    accepted(venue.post("/v1/account/approve-agent", approval({ valid_days: 1 })))
    assert.deepEqual(listOf(venue, `/v1/account/agents?account_address=${mine}`), [
      {
        agent_address: agent.address.toLowerCase(),
        expires_at: nowMs + 86_400_000,
        is_revoked: false,
      },
    ])
  })

  for (const name of ["balances", "settings", "agents", "sub-accounts"]) {
    it(`need an account: ${name}`, () => {
      const path = `/v1/account/${name}`
      const venue = venueUnderTest()
      rejected(venue.get(path), "unknown_account")
      rejected(venue.get(`${path}?account_address=${stranger.address}`), "unknown_account")
      rejected(venue.get(`${path}?account_address=x`), "invalid_query")
    })
  }
})

const limit: Fields = {
  symbol_id: 1,
  is_buy: true,
  order_type: "limit",
  quantity: "1",
  price: "60000",
}
const market: Fields = { symbol_id: 1, is_buy: true, order_type: "market", quantity: "1" }

function trade(venue: VenueUnderTest): unknown {
  return accepted(venue.post("/v1/trade/orders", typeA(market)))["order_id"]
}

function listOf(venue: VenueUnderTest, path: string): readonly Fields[] {
  return accepted(venue.get(path))["list"] as readonly Fields[]
}
