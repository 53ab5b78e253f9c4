import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  agent,
  approval,
  dayMs,
  type Fields,
  freshNonce,
  nowMs,
  renewal,
  revocation,
  stranger,
  typeA,
  wallet,
} from "./signed-bodies.ts"
import { accepted, rejected, venueUnderTest, type VenueUnderTest } from "./venue-under-test.ts"

const ordersPath = "/v1/trade/orders"
const approvePath = "/v1/account/approve-agent"
const revokePath = "/v1/account/revoke-agent"
const renewPath = "/v1/account/renew-agent"
const order: Fields = {
  symbol_id: 1,
  is_buy: true,
  order_type: "limit",
  quantity: "1",
  price: "64000",
}

describe("who may trade", () => {
  it("refuses a signer that is neither an account nor an agent", () => {
    rejected(venueUnderTest().post(ordersPath, typeA(order, { signer: agent })), "unknown_signer")
  })

  it("makes a wallet an account by its first approval", () => {
    const venue = venueUnderTest([])
    rejected(venue.post(ordersPath, typeA(order)), "unknown_signer")
    accepted(venue.post(approvePath, approval()))
    accepted(venue.post(ordersPath, typeA(order)))
  })

  it("lets an approved agent trade for the wallet that approved it", () => {
    const venue = venueWithAgent()
    accepted(venue.post(ordersPath, typeA(order, { signer: agent })))
    const filter = `?account_address=${wallet.address}`
    const { list } = accepted(venue.get(`/v1/trade/open-orders${filter}`))
    assert.equal((list as readonly unknown[]).length, 1)
  })

  it("takes the wallet as an agent's target_address and no other", () => {
    const venue = venueWithAgent()
    accepted(venue.post(ordersPath, typeA(order, { signer: agent, target: wallet.address })))
    for (const target of [agent.address, stranger.address]) {
      rejected(venue.post(ordersPath, typeA(order, { signer: agent, target })), "wrong_target")
    }
  })

  it("hashes target_address, so that it can't be added or dropped after signing", () => {
    const venue = venueWithAgent()
    const added = { ...typeA(order, { signer: agent }), target_address: wallet.address }
    rejected(venue.post(ordersPath, added), "wrong_signer")
    const full = typeA(order, { signer: agent, target: wallet.address })
    const dropped = Object.fromEntries(
      Object.entries(full).filter(([name]) => name !== "target_address"),
    )
    rejected(venue.post(ordersPath, dropped), "wrong_signer")
  })

  it("takes an agent until the last millisecond of its days and no longer", () => {
    const venue = venueWithAgent({ valid_days: 1 })
    const lateOrder = (): Fields => typeA(order, { signer: agent, expiresAfter: nowMs + 2 * dayMs })
    venue.clock.nowMs = nowMs + dayMs - 1
    accepted(venue.post(ordersPath, lateOrder()))
    venue.clock.nowMs = nowMs + dayMs
    rejected(venue.post(ordersPath, lateOrder()), "agent_expired")
  })

  it("refuses a revoked agent at once, and takes it again when it is approved again", () => {
    const venue = venueWithAgent()
    accepted(venue.post(revokePath, revocation()))
    rejected(venue.post(ordersPath, typeA(order, { signer: agent })), "agent_revoked")
    accepted(venue.post(approvePath, approval()))
    accepted(venue.post(ordersPath, typeA(order, { signer: agent })))
  })
})

describe("approving an agent", () => {
  it("answers with the agent and the end of its approval", () => {
    const reply = venueUnderTest([]).post(approvePath, approval({ valid_days: 2, label: "é ✓" }))
    const { tx_hash, ...rest } = accepted(reply)
    assert.match(String(tx_hash), /^0x[0-9a-f]{64}$/)
    assert.deepEqual(rest, {
      agent_address: agent.address.toLowerCase(),
      expires_at: nowMs + 2 * dayMs,
    })
  })

  it("refuses another service_chain", () => {
    const body = approval({ service_chain: "Mainnet" })
    rejected(venueUnderTest().post(approvePath, body), "wrong_service_chain")
  })

  it("refuses another signature_chain_id", () => {
    const body = approval({ signature_chain_id: 84_256 })
    rejected(venueUnderTest().post(approvePath, body), "wrong_chain_id")
  })

  it("refuses a signature over another chain id than it says", () => {
    const body = { ...approval({ signature_chain_id: 84_256 }), signature_chain_id: 842_569_901 }
    rejected(venueUnderTest().post(approvePath, body), "wrong_signer")
  })

  it("refuses a label that was changed after signing", () => {
    rejected(venueUnderTest().post(approvePath, { ...approval(), label: "mm-2" }), "wrong_signer")
  })

  it("refuses a target_address", () => {
    const body = { ...approval(), target_address: wallet.address }
    rejected(venueUnderTest().post(approvePath, body), "invalid_field")
  })

  it("refuses an agent's signature", () => {
    const body = approval({ agent_address: stranger.address }, agent)
    rejected(venueWithAgent().post(approvePath, body), "wallet_required")
  })

  it("refuses an account as the agent", () => {
    const own = approval({ agent_address: wallet.address })
    rejected(venueUnderTest().post(approvePath, own), "agent_taken")
    rejected(venueUnderTest([]).post(approvePath, own), "agent_taken")
    const other = approval({ agent_address: stranger.address })
    const venue = venueUnderTest([wallet.address, stranger.address])
    rejected(venue.post(approvePath, other), "agent_taken")
  })

  it("refuses an agent of another account until that approval has ended", () => {
    const venue = venueWithAgent()
    rejected(venue.post(approvePath, approval({}, stranger)), "agent_taken")
    accepted(venue.post(revokePath, revocation()))
    accepted(venue.post(approvePath, approval({}, stranger)))
  })

  it("refuses a repeated nonce", () => {
    const venue = venueUnderTest()
    const nonce = freshNonce()
    accepted(venue.post(approvePath, approval({ nonce })))
    rejected(venue.post(approvePath, approval({ nonce })), "nonce_repeated")
    rejected(venue.post(ordersPath, typeA(order, { nonce })), "nonce_repeated")
  })

  it("refuses an expired request", () => {
    rejected(venueUnderTest().post(approvePath, approval({ expires_after: nowMs })), "expired")
  })

  const days = [
    { validDays: 0, isTaken: false },
    { validDays: 1, isTaken: true },
    { validDays: 4_294_967_295, isTaken: true },
    { validDays: 4_294_967_296, isTaken: false },
  ]
  for (const { validDays, isTaken } of days) {
    it(`${isTaken ? "takes" : "refuses"} ${validDays} days`, () => {
      // ethers signs no more than a uint32 holds, so the field is changed where it can't be signed.
      const body = { ...approval({ valid_days: isTaken ? validDays : 1 }), valid_days: validDays }
      const reply = venueUnderTest().post(approvePath, body)
      if (isTaken) accepted(reply)
      else rejected(reply, "invalid_field")
    })
  }

  for (const name of Object.keys(approval())) {
    it(`refuses a body without ${name}`, () => {
      const body = Object.fromEntries(Object.entries(approval()).filter(([key]) => key !== name))
      rejected(venueUnderTest().post(approvePath, body), "missing_field")
    })
  }
})

describe("revoking an agent", () => {
  it("refuses one that this account hasn't approved", () => {
    rejected(venueUnderTest().post(revokePath, revocation()), "unknown_agent")
    rejected(venueWithAgent().post(revokePath, revocation({}, stranger)), "unknown_agent")
  })

  it("refuses another service_chain", () => {
    const body = revocation({ service_chain: "Mainnet" })
    rejected(venueWithAgent().post(revokePath, body), "wrong_service_chain")
  })

  it("refuses an agent that was changed after signing", () => {
    const body = {
      ...revocation({ agent_address: stranger.address }),
      agent_address: agent.address,
    }
    rejected(venueWithAgent().post(revokePath, body), "wrong_signer")
  })
})

describe("renewing an agent", () => {
  it("lets the approval end so many days after the renewal", () => {
    const venue = venueWithAgent({ valid_days: 1 })
    venue.clock.nowMs = nowMs + 1_000
    const { tx_hash, ...rest } = accepted(venue.post(renewPath, renewal()))
    assert.match(String(tx_hash), /^0x[0-9a-f]{64}$/)
    assert.deepEqual(rest, {
      agent_address: agent.address.toLowerCase(),
      expires_at: nowMs + 1_000 + 60 * dayMs,
    })
  })

  it("refuses one that this account hasn't approved, that was revoked or that has ended", () => {
    rejected(venueUnderTest().post(renewPath, renewal()), "unknown_agent")
    rejected(venueWithAgent().post(renewPath, renewal({}, stranger)), "unknown_agent")

    const ended = venueWithAgent({ valid_days: 1 })
    ended.clock.nowMs = nowMs + dayMs
    const late = { expires_after: nowMs + 2 * dayMs }
    rejected(ended.post(renewPath, renewal(late)), "agent_expired")
    ended.clock.nowMs -= 1
    accepted(ended.post(renewPath, renewal(late)))

    const revoked = venueWithAgent()
    accepted(revoked.post(revokePath, revocation()))
    rejected(revoked.post(renewPath, renewal()), "agent_revoked")
  })

  it("refuses days that were changed after signing", () => {
    const body = { ...renewal(), valid_days: 61 }
    rejected(venueWithAgent().post(renewPath, body), "wrong_signer")
  })
})

function venueWithAgent(changes: Fields = {}): VenueUnderTest {
  const venue = venueUnderTest()
  accepted(venue.post(approvePath, approval(changes)))
  return venue
}
