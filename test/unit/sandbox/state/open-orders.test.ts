import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  listOrders,
  orderRecord,
  nextOrderId,
  type Book,
} from "../../../../src/sandbox/state/records.ts"
import { errorCodes } from "../../../../src/sandbox/state/error-codes.ts"
import { numRuns } from "../../../support/runs.ts"
import { nowMs, stranger, typeA, wallet, type Fields } from "../signed-bodies.ts"
import { accepted, rejected, venueUnderTest, type VenueUnderTest } from "../venue-under-test.ts"

const listPath = "/v1/trade/open-orders"
const cancelPath = "/v1/trade/orders/cancel"
const batchPath = "/v1/trade/orders/batch/cancel"
const allPath = "/v1/trade/orders/cancel-all"

describe("listing open orders", () => {
  it("gives an empty page of an empty book", () => {
    assert.deepEqual(accepted(venueUnderTest().get(listPath)), {
      list: [],
      next_cursor: null,
      has_more: false,
    })
  })

  it("turns pages by the cursor", () => {
    const venue = venueUnderTest()
    const [first, second, third] = [place(venue), place(venue), place(venue)]
    const page1 = accepted(venue.get(`${listPath}?limit=2`))
    assert.deepEqual(ids(page1["list"]), [first, second])
    assert.equal(page1["has_more"], true)
    const page2 = accepted(venue.get(`${listPath}?limit=2&cursor=${String(page1["next_cursor"])}`))
    assert.deepEqual(ids(page2["list"]), [third])
    assert.deepEqual([page2["next_cursor"], page2["has_more"]], [null, false])
  })

  it("goes on rightly when the cursor's own order was cancelled meanwhile", () => {
    const venue = venueUnderTest()
    const [, second, third] = [place(venue), place(venue), place(venue)]
    const { next_cursor } = accepted(venue.get(`${listPath}?limit=2`))
    accepted(venue.post(cancelPath, typeA({ order_id: second }, { tag: 9 })))
    const rest = accepted(venue.get(`${listPath}?cursor=${String(next_cursor)}`))
    assert.deepEqual(ids(rest["list"]), [third])
  })

  it("lists one account's orders on request", () => {
    const venue = venueUnderTest([wallet.address, stranger.address])
    place(venue)
    const other = accepted(venue.post("/v1/trade/orders", typeA(order, { signer: stranger })))
    const page = accepted(venue.get(`${listPath}?account_address=${stranger.address}`))
    assert.deepEqual(ids(page["list"]), [other["order_id"]])
  })

  for (const query of ["limit=1", "limit=100", "cursor=0"]) {
    it(`takes ${query}`, () => {
      accepted(venueUnderTest().get(`${listPath}?${query}`))
    })
  }
  for (const query of [
    "limit=0",
    "limit=101",
    "limit=",
    "limit=1.5",
    "cursor=x",
    "account_address=0x1",
  ]) {
    it(`refuses ${query}`, () =>
      rejected(venueUnderTest().get(`${listPath}?${query}`), "invalid_query"))
  }

  it("gives every order once over all pages, whatever the page size", () => {
    fc.assert(
      fc.property(fc.nat(30), fc.integer({ min: 1, max: 12 }), (count, limit) => {
        const book = bookOf(count)
        const seen: string[] = []
        for (let afterNumber = 0, hasMore = true; hasMore;) {
          const page = listOrders(book, { limit, afterNumber, account: undefined })
          assert.ok(page.list.length <= limit)
          assert.equal(page.next_cursor !== null, page.has_more)
          seen.push(...page.list.map(({ order_id }) => order_id))
          hasMore = page.has_more
          afterNumber = Number(page.next_cursor)
        }
        assert.deepEqual(seen, Array.from(book.orders.keys()))
      }),
      numRuns(50),
    )
  })
})

describe("cancelling", () => {
  it("takes an order out of the book, once", () => {
    const venue = venueUnderTest()
    const order_id = place(venue)
    const reply = venue.post(cancelPath, typeA({ order_id }, { tag: 9 }))
    const { tx_hash, ...rest } = accepted(reply)
    assert.match(String(tx_hash), /^0x/)
    assert.deepEqual(rest, { order_id, client_order_id: null, state: "cancelled" })
    assert.deepEqual(accepted(venue.get(listPath))["list"], [])
    rejected(venue.post(cancelPath, typeA({ order_id }, { tag: 9 })), "unknown_order")
  })

  it("leaves another account's order alone", () => {
    const venue = venueUnderTest([wallet.address, stranger.address])
    const order_id = place(venue)
    const body = typeA({ order_id }, { tag: 9, signer: stranger })
    rejected(venue.post(cancelPath, body), "unknown_order")
    assert.deepEqual(ids(accepted(venue.get(listPath))["list"]), [order_id])
  })

  it("refuses a cancel that was signed as an order", () => {
    const venue = venueUnderTest()
    const body = typeA({ order_id: place(venue) }, { tag: 7 })
    rejected(venue.post(cancelPath, body), "wrong_signer")
  })

  it("refuses a cancel without order_id, or with a number", () => {
    rejected(venueUnderTest().post(cancelPath, typeA({}, { tag: 9 })), "missing_field")
    rejected(venueUnderTest().post(cancelPath, typeA({ order_id: 1 }, { tag: 9 })), "invalid_field")
  })

  it("cancels a batch item by item", () => {
    const venue = venueUnderTest()
    const order_id = place(venue)
    const body = typeA({ order_ids: [order_id, "7"] }, { tag: 13 })
    assert.deepEqual(accepted(venue.post(batchPath, body))["list"], [
      { order_id, state: "cancelled", code: "0" },
      { order_id: "7", state: null, code: errorCodes.unknown_order },
    ])
    rejected(venue.post(batchPath, typeA({ order_ids: "7" }, { tag: 13 })), "invalid_field")
  })

  it("cancels all of an account's orders, or those in one symbol", () => {
    const venue = venueUnderTest([wallet.address, stranger.address])
    const kept = accepted(venue.post("/v1/trade/orders", typeA(order, { signer: stranger })))
    const [first, second] = [place(venue), place(venue, { symbol_id: 2 })]
    const inSymbol = venue.post(allPath, typeA({ symbol_id: 2 }, { tag: 14 }))
    assert.deepEqual(accepted(inSymbol)["order_ids"], [second])
    const rest = venue.post(allPath, typeA({}, { tag: 14 }))
    assert.deepEqual(accepted(rest)["order_ids"], [first])
    assert.deepEqual(ids(accepted(venue.get(listPath))["list"]), [kept["order_id"]])
  })
})

const order: Fields = {
  symbol_id: 1,
  is_buy: true,
  order_type: "limit",
  quantity: "1",
  price: "64000",
}

function place(venue: VenueUnderTest, changes: Fields = {}): string {
  const { order_id } = accepted(venue.post("/v1/trade/orders", typeA({ ...order, ...changes })))
  return String(order_id)
}

function ids(list: unknown): readonly string[] {
  return (list as readonly { order_id: string }[]).map(({ order_id }) => order_id)
}

function bookOf(count: number): Book {
  const book: Book = { orders: new Map(), lastOrderNumber: 0 }
  for (let made = 0; made < count; made++) {
    const orderId = nextOrderId(book)
    book.orders.set(orderId, orderRecord(order, { orderId, account: "0xa", nowMs }))
  }
  return book
}
