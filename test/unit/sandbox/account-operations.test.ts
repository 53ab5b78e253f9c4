import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  agent,
  approval,
  operation,
  stranger,
  typeA,
  wallet,
  type Fields,
} from "./signed-bodies.ts"
import { accepted, rejected, venueUnderTest, type VenueUnderTest } from "./venue-under-test.ts"

const ordersPath = "/v1/trade/orders"
const accountPath = (name: string) => `/v1/account/${name}`
const mine = wallet.address.toLowerCase()

describe("account settings", () => {
  it("are one way, leverage 1 and no margin until they are set", () => {
    assert.deepEqual(accepted(venueUnderTest().get(of("settings", mine))), {
      position_mode: "one_way",
      symbols: [
        { symbol_id: 1, leverage: 1, isolated_margin: "0" },
        { symbol_id: 2, leverage: 1, isolated_margin: "0" },
      ],
    })
  })

  it("are set by the wallet and by its agent", () => {
    const venue = venueUnderTest()
    accepted(venue.post(accountPath("approve-agent"), approval()))
    const mode = typeA({ position_mode: "hedge" }, { tag: 15, signer: agent })
    assert.equal(accepted(venue.post(accountPath("position-mode"), mode))["position_mode"], "hedge")
    accepted(venue.post(accountPath("leverage"), typeA({ symbol_id: 2, leverage: 5 }, { tag: 16 })))
    const { position_mode, symbols } = accepted(venue.get(of("settings", mine)))
    assert.equal(position_mode, "hedge")
    assert.deepEqual((symbols as readonly Fields[])[1]?.["leverage"], 5)
  })

  const leverages = [
    { leverage: 1, isTaken: true },
    { leverage: 100, isTaken: true },
    { leverage: 0, isTaken: false },
    { leverage: 101, isTaken: false },
  ]
  for (const { leverage, isTaken } of leverages) {
    it(`${isTaken ? "take" : "refuse"} a leverage of ${leverage}`, () => {
      const body = typeA({ symbol_id: 1, leverage }, { tag: 16 })
      const reply = venueUnderTest().post(accountPath("leverage"), body)
      if (isTaken) accepted(reply)
      else rejected(reply, "invalid_field")
    })
  }

  it("are a perpetual's", () => {
    const spot = typeA({ symbol_id: 3, leverage: 2 }, { tag: 16 })
    rejected(venueUnderTest().post(accountPath("leverage"), spot), "perpetual_only")
    const unknown = typeA({ symbol_id: 9, leverage: 2 }, { tag: 16 })
    rejected(venueUnderTest().post(accountPath("leverage"), unknown), "unknown_symbol")
  })

  it("move margin from the balance and back, and no more than there is", () => {
    const venue = venueUnderTest()
    const move = (amount: string, is_add: boolean) =>
      venue.post(
        accountPath("isolated-margin"),
        typeA({ symbol_id: 1, amount, is_add }, { tag: 17 }),
      )
    assert.equal(accepted(move("10.5", true))["isolated_margin"], "10.5")
    assert.equal(balance(venue, mine, "USD"), "999989.5")
    rejected(move("10.6", false), "insufficient_margin")
    rejected(move("999989.6", true), "insufficient_balance")
    assert.equal(accepted(move("10.5", false))["isolated_margin"], "0")
    assert.equal(balance(venue, mine, "USD"), "1000000")
  })
})

describe("a sub-account", () => {
  it("is operated by its owner's wallet and agents through target_address", () => {
    const venue = venueUnderTest([wallet.address, stranger.address])
    accepted(venue.post(accountPath("approve-agent"), approval()))
    const sub = createSub(venue)
    for (const signer of [wallet, agent]) {
      accepted(venue.post(ordersPath, typeA(order, { signer, target: sub })))
    }
    rejected(
      venue.post(ordersPath, typeA(order, { signer: stranger, target: sub })),
      "wrong_target",
    )
    const { list } = accepted(venue.get(`/v1/trade/open-orders?account_address=${sub}`))
    assert.equal((list as readonly unknown[]).length, 2)
  })

  it("is another each time, and listed for its owner", () => {
    const venue = venueUnderTest()
    const subs = [createSub(venue), createSub(venue)]
    const page = accepted(venue.get(of("sub-accounts", mine, "&limit=1")))
    assert.equal(page["has_more"], true)
    const rest = accepted(
      venue.get(of("sub-accounts", mine, `&cursor=${String(page["next_cursor"])}`)),
    )
    const listed = [page, rest].flatMap(({ list }) => list as readonly Fields[])
    assert.deepEqual(
      listed.map(({ sub_address }) => sub_address),
      subs,
    )
  })

  it("can't be made by an agent", () => {
    const venue = venueUnderTest()
    accepted(venue.post(accountPath("approve-agent"), approval()))
    const body = operation("CreateSub", { label: "" }, agent)
    rejected(venue.post(accountPath("create-sub"), body), "wallet_required")
  })
})

describe("pretend money", () => {
  it("goes to a sub-account and back, to the last unit", () => {
    const venue = venueUnderTest()
    const sub = createSub(venue)
    accepted(transfer(venue, { source: mine, destination: sub, amount: "1000000" }))
    assert.deepEqual([balance(venue, mine, "USDC"), balance(venue, sub, "USDC")], ["0", "1000000"])
    const tooMuch = { source: sub, destination: mine, amount: `1000000.${"0".repeat(39)}1` }
    rejected(transfer(venue, tooMuch), "insufficient_balance")
    accepted(transfer(venue, { source: sub, destination: mine, amount: "0.000001" }))
    assert.deepEqual(
      [balance(venue, mine, "USDC"), balance(venue, sub, "USDC")],
      ["0.000001", "999999.999999"],
    )
  })

  it("comes from the signer's own accounts alone, and goes to known ones", () => {
    const venue = venueUnderTest([wallet.address, stranger.address])
    const other = stranger.address.toLowerCase()
    rejected(transfer(venue, { source: other, destination: mine }), "unknown_account")
    rejected(transfer(venue, { source: mine, destination: agent.address }), "unknown_account")
    accepted(transfer(venue, { source: mine, destination: other }))
    assert.equal(balance(venue, other, "USDC"), "1000001")
  })

  it("is withdrawn up to the balance", () => {
    const venue = venueUnderTest()
    const withdraw = (amount: string) =>
      venue.post(
        accountPath("withdraw"),
        operation("Withdraw", { asset: "BTC", amount, destination: stranger.address }),
      )
    rejected(withdraw("10.1"), "insufficient_balance")
    accepted(withdraw("10"))
    assert.equal(balance(venue, mine, "BTC"), "0")
    rejected(withdraw("0"), "invalid_field")
  })

  it("isn't withdrawn by an agent, nor twice by one signature", () => {
    const venue = venueUnderTest()
    accepted(venue.post(accountPath("approve-agent"), approval()))
    const fields = { asset: "USD", amount: "1", destination: agent.address }
    const path = accountPath("withdraw")
    rejected(venue.post(path, operation("Withdraw", fields, agent)), "wallet_required")
    const body = operation("Withdraw", fields)
    accepted(venue.post(path, body))
    rejected(venue.post(path, body), "nonce_repeated")
    assert.equal(balance(venue, mine, "USD"), "999999")
  })
})

const order: Fields = {
  symbol_id: 1,
  is_buy: true,
  order_type: "limit",
  quantity: "1",
  price: "60000",
}

function of(name: string, account: string, rest = ""): string {
  return `/v1/account/${name}?account_address=${account}${rest}`
}

function createSub(venue: VenueUnderTest): string {
  const body = operation("CreateSub", { label: "desk" })
  return String(accepted(venue.post(accountPath("create-sub"), body))["sub_address"])
}

function transfer(venue: VenueUnderTest, changes: Fields) {
  const fields = { asset: "USDC", amount: "1", ...changes }
  return venue.post(accountPath("transfer"), operation("Transfer", fields))
}

function balance(venue: VenueUnderTest, account: string, asset: string): unknown {
  const { list } = accepted(venue.get(of("balances", account)))
  return (list as readonly Fields[]).find((each) => each["asset"] === asset)?.["available"]
}
