import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { polledPerMinute } from "../../../../src/venue/profile/poll-weights.ts"
import { profileOf } from "../profile-text.ts"

const file = (every: string) =>
  profileOf(
    "reads: {market: [/v1/market/**], account: [/v1/account/**], explorer: [/v1/explorer/**]}",
    "symbols: [{id: 1, name: BTC-PERP, market: perp, quote: USD}]",
    `price_poll: {path: /v1/explorer/prices, symbol: /name, value: /mark, every: ${every}}`,
    `account: {accounts: {a: {address: "0x${"1".repeat(40)}"}, b: {address: "0x${"2".repeat(40)}"}}, poll: {busy: 3s}, orders: [{path: /v1/account/$account/orders}], positions: {path: /v1/account/$account}}`,
  )

describe("what the gate reads by itself", () => {
  it("weighs its prices and every account at the pace of busy, of a minute", () => {
    const ofAccounts = 2 * 4 * 20
    assert.equal(polledPerMinute(file("20s")), 3 * 40 + ofAccounts)
    assert.equal(polledPerMinute(file("59s")), 41 + ofAccounts)
    assert.equal(polledPerMinute({ ...file("20s"), accountPoll: undefined }), 120)
    assert.equal(polledPerMinute({ ...file("20s"), pricePoll: undefined }), ofAccounts)
    assert.equal(polledPerMinute({ pricePoll: undefined, accountPoll: undefined }), 0)
  })

  it("weighs a round at least where what comes seldom counts as if it came that often", () => {
    const prices = { ...file("10m"), accountPoll: undefined }
    assert.equal(polledPerMinute(prices), 4)
    assert.equal(polledPerMinute(prices, 60_000), 40)
    assert.equal(polledPerMinute({ ...file("60s"), accountPoll: undefined }, 60_000), 40)
  })
})
