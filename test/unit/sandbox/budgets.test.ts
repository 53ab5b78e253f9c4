import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { ipWeight, writeEndpoints } from "../../../src/sandbox/answer-request.ts"
import { addressWeight } from "../../../src/vault/request/spending.ts"
import { builtinEndpoints } from "../../../src/venue/builtin-profile.ts"
import { agent, approval, operation, typeA, wallet, type Fields } from "./signed-bodies.ts"
import {
  accepted,
  overBudget,
  rejected,
  venueUnderTest,
  type VenueUnderTest,
} from "./venue-under-test.ts"

const ordersPath = "/v1/trade/orders"
const cancelPath = "/v1/trade/orders/cancel"
const listPath = "/v1/trade/open-orders"
const order: Fields = { symbol_id: 1, is_buy: true, order_type: "market", quantity: "1" }
const cancelTags = { "/cancel": 9, "/batch/cancel": 13, "/cancel-all": 14 }

describe("the weights", () => {
  it("are the daemon's, which reads the same table, for every write and batch length", () => {
    for (const endpoint of builtinEndpoints) {
      const written = writeEndpoints.get(endpoint.path)
      const isBatch = endpoint.path.includes("/batch")
      for (const length of isBatch ? [0, 1, 9, 10, 11, 19, 20, 99, 100] : [1]) {
        const items = Array.from({ length }, () => "1")
        const weight = written?.weight({ orders: items, order_ids: items })
        assert.equal(weight, addressWeight(endpoint, length), `${endpoint.path}, ${length} items`)
      }
    }
    assert.equal(writeEndpoints.size, builtinEndpoints.length)
  })

  const batches = [
    { length: 9, weight: 1 },
    { length: 10, weight: 2 },
    { length: 19, weight: 2 },
    { length: 20, weight: 3 },
  ]
  for (const { length, weight } of batches) {
    it(`are ${weight} for a batch of ${length}`, () => {
      const body = { order_ids: Array.from({ length }, (_, index) => String(index)) }
      for (const room of [weight, weight - 1]) {
        const venue = venueWithRoom(room)
        // The reserve of this second is gone, so that a batch that doesn't fit is refused.
        if (room < weight) spendReserve(venue)
        const reply = venue.post(`${ordersPath}/batch/cancel`, typeA(body, { tag: 13 }))
        if (room === weight) accepted(reply)
        else overBudget(reply, "address")
      }
    })
  }

  it("are 1 for a POST, 2 for a read and 40 for an explorer read by IP", () => {
    assert.equal(ipWeight("POST", ordersPath), 1)
    assert.equal(ipWeight("GET", listPath), 2)
    assert.equal(ipWeight("GET", "/v1/explorer/transactions"), 40)
    assert.equal(ipWeight("POST", "/v1/explorer/transactions"), 1)
  })
})

describe("a spent address budget", () => {
  it("refuses with the interface's words, and uses no nonce up", () => {
    const venue = venueWithRoom(0)
    const body = typeA(order)
    overBudget(venue.post(ordersPath, body), "address")
    venue.clock.nowMs += 60_000
    const fresh = typeA(order, {
      nonce: Number(body["nonce"]),
      expiresAfter: venue.clock.nowMs + 1,
    })
    accepted(venue.post(ordersPath, fresh))
  })

  it("is the agent's own where it signs without target_address, and the target's with it", () => {
    const venue = venueWithRoom(40)
    accepted(venue.post("/v1/account/approve-agent", approval()))
    accepted(venue.post(ordersPath, typeA(order, { signer: agent })))
    const targeted = typeA(order, { signer: agent, target: wallet.address })
    overBudget(venue.post(ordersPath, targeted), "address")
  })

  it("refuses an account operation", () => {
    overBudget(venueWithRoom(39).post("/v1/account/create-sub", createSub()), "address")
    accepted(venueWithRoom(40).post("/v1/account/create-sub", createSub()))
  })

  it("is told after a wrong signature, a used nonce and a wrong target", () => {
    const venue = venueWithRoom(1)
    const used = typeA(order)
    accepted(venue.post(ordersPath, used))
    rejected(venue.post(ordersPath, used), "nonce_repeated")
    rejected(venue.post(ordersPath, { ...typeA(order), quantity: "2" }), "wrong_signer")
    rejected(venue.post(ordersPath, typeA(order, { target: agent.address })), "wrong_target")
  })

  it("is spent by an order that breaks a rule, and not by one whose signature is wrong", () => {
    const venue = venueWithRoom(1)
    rejected(venue.post(ordersPath, { ...typeA(order), quantity: "2" }), "wrong_signer")
    rejected(venue.post(ordersPath, typeA({ ...order, price: "1" })), "order_rule_4")
    overBudget(venue.post(ordersPath, typeA(order)), "address")
  })

  for (const [end, tag] of Object.entries(cancelTags)) {
    it(`lets ${end} through once a second`, () => {
      const venue = venueWithRoom(0)
      const post = () => venue.post(ordersPath + end, typeA(cancelBody(end), { tag }))
      assert.notEqual(post().status, 429)
      overBudget(post(), "address")
      venue.clock.nowMs += 1_000
      assert.notEqual(post().status, 429)
    })
  }

  it("shows in the log where the reserve paid", () => {
    const reply = venueWithRoom(0).post(`${ordersPath}/cancel-all`, typeA({}, { tag: 14 }))
    assert.equal(reply.note, "0 orders cancelled, from the reserve")
  })
})

describe("a spent IP budget", () => {
  it("refuses orders, cancels and reads, but no other IP's", () => {
    const venue = venueUnderTest()
    venue.limiter.take({ ...nothing, ipWeight: 1_199, nowMs: venue.clock.nowMs })
    overBudget(venue.get(listPath), "ip")
    rejected(venue.post(cancelPath, typeA({ order_id: "1" }, { tag: 9 })), "unknown_order")
    overBudget(venue.post(cancelPath, typeA({ order_id: "1" }, { tag: 9 })), "ip")
    const other = { ...nothing, ip: "127.0.0.2", ipWeight: 1, nowMs: venue.clock.nowMs }
    assert.ok(venue.limiter.take(other).ok)
  })

  it("is spent by 30 explorer reads, and there is no 31st", () => {
    const venue = venueUnderTest()
    for (let read = 0; read < 30; read++) accepted(venue.get("/v1/explorer/transactions"))
    overBudget(venue.get("/v1/explorer/transactions"), "ip")
    venue.clock.nowMs += 60_000
    accepted(venue.get("/v1/explorer/transactions"))
  })

  it("is spent by what the sandbox doesn't know, too", () => {
    const venue = venueUnderTest()
    venue.limiter.take({ ...nothing, ipWeight: 1_198, nowMs: venue.clock.nowMs })
    rejected(venue.get("/v1/nothing"), "unknown_path")
    overBudget(venue.get("/v1/nothing"), "ip")
  })
})

const nothing = {
  ip: "127.0.0.1",
  ipWeight: 0,
  address: undefined,
  addressWeight: 0,
  isCancel: false,
}

/** A venue whose wallet has so much of its address budget left. */
function venueWithRoom(room: number): VenueUnderTest {
  const venue = venueUnderTest()
  const address = wallet.address.toLowerCase()
  const { nowMs } = venue.clock
  venue.limiter.take({ ...nothing, address, addressWeight: 2_400 - room, nowMs })
  return venue
}

function spendReserve({ limiter, clock: { nowMs } }: VenueUnderTest): void {
  const address = wallet.address.toLowerCase()
  limiter.take({ ...nothing, address, addressWeight: 2_400, isCancel: true, nowMs })
}

function createSub(): Fields {
  return operation("CreateSub", { label: "desk" })
}

function cancelBody(end: string): Fields {
  if (end === "/cancel") return { order_id: "1" }
  return end === "/cancel-all" ? {} : { order_ids: [] }
}
