import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openGuarded as open, type Reading } from "../../../support/guarded-vault.ts"
import { cancelPath, limitOrder } from "../../../support/open-test-vault.ts"

function why(refusal: { readonly code: string; readonly data: object | null } | null): string {
  if (refusal === null) return "signed"
  const { data } = refusal
  return data !== null && "why" in data ? `${refusal.code} ${String(data.why)}` : refusal.code
}

const buy = (quantity: string) => ({ quantity })
const sell = (quantity: string) => ({ quantity, is_buy: false })

describe("a guarded account", () => {
  it("opens nothing before it was read, and closes all the same", async (t) => {
    const { ask } = await open(t)
    assert.equal(why(await ask(buy("0.1"))), "guard_unreadable no_reading")
    assert.equal(why(await ask({ ...sell("5"), flags: ["reduce_only"] })), "signed")
    assert.equal(why(await ask({ order_id: "1" }, undefined, cancelPath)), "signed")
  })

  it("comes to its bound and no further, each side by itself", async (t) => {
    const { ask, readEmpty } = await open(t)
    await readEmpty()
    assert.equal(why(await ask(buy("0.6"))), "signed")
    const refusal = await ask(buy("0.5"))
    assert.equal(refusal?.code, "guard_exceeded")
    const { data } = refusal
    assert.deepEqual(
      [data.measured, data.in_flight, data.asked, data.worst, data.max, data.room],
      ["0", "0.6", "0.5", "1.1", "1", "0.4"],
    )
    assert.match(refusal.message, /^The guard bot\/small \(policies\/0\.yaml:4\) has no room/)
    assert.equal(why(await ask(buy("0.4"))), "signed")
    assert.equal(why(await ask(sell("1"))), "signed")
    assert.equal(why(await ask(sell("0.1"))), "guard_exceeded")
  })

  it("counts what the venue shows of it", async (t) => {
    const { ask, begin, tell } = await open(t)
    const order = { symbol: "1", isBuy: true, remaining: "0.3", reduceOnly: false }
    const positions = [{ symbol: "BTC-PERP", quantity: "0.5" }]
    await tell(await begin(), { orders: [order, { ...order, reduceOnly: true }], positions })
    assert.equal(why(await ask(buy("0.3"))), "guard_exceeded")
    assert.equal(why(await ask(sell("1"))), "signed")
    assert.equal(why(await ask(buy("0.2"))), "signed")
  })

  it("has room again once a reading is from after all that was signed", async (t) => {
    const { ask, clock, readEmpty, begin, tell } = await open(t)
    await readEmpty()
    assert.equal(why(await ask(buy("1"))), "signed")
    clock.pass(-30_000 + 15_000 + 10_000 + 3_000 - 1) // validity, skew and lag; `begin` passes 30 s
    await tell(await begin())
    assert.equal(why(await ask(buy("1"))), "guard_exceeded")
    clock.pass(-30_000 + 2_000)
    await tell(await begin())
    assert.equal(why(await ask(buy("1"))), "signed")
  })

  it("counts what clients without a guard do", async (t) => {
    const { ask, other, readEmpty } = await open(t)
    await readEmpty()
    assert.equal(why(await ask(buy("5"), other)), "signed")
    assert.equal(why(await ask(buy("0.1"))), "guard_exceeded")
  })

  it("counts an order of a batch like one alone, and takes a batch whole or not at all", async (t) => {
    const { ask, readEmpty } = await open(t)
    await readEmpty()
    const batch = (...quantities: readonly string[]) => ({
      orders: quantities.map((quantity) => limitOrder({ quantity })),
    })
    const path = "/v1/trade/orders/batch"
    assert.equal(why(await ask(batch("0.4", "0.7"), undefined, path)), "guard_exceeded")
    assert.equal(why(await ask(batch("0.4", "0.6"), undefined, path)), "signed")
    assert.equal(why(await ask(buy("0.1"))), "guard_exceeded")
  })

  it("forgets nothing by a restart", async (t) => {
    const { ask, readEmpty, reopen } = await open(t, { time: "goes_on" })
    await readEmpty()
    assert.equal(why(await ask(buy("0.7"))), "signed")
    await reopen()
    assert.equal(why(await ask(buy("0.1"))), "guard_unreadable no_reading")
    await readEmpty()
    assert.equal(why(await ask(buy("0.4"))), "guard_exceeded")
    assert.equal(why(await ask(buy("0.3"))), "signed")
  })

  it("refuses what it can't count", async (t) => {
    const { ask, readEmpty } = await open(t)
    await readEmpty()
    const trigger = { trigger_price: "60000", trigger_by: "mark_price" }
    const stop = { ...buy("0.1"), algo_order_type: "conditional", conditional: trigger }
    assert.equal(why(await ask(stop)), "guard_unreadable shown_nowhere")
    const chase = { order_id: "1" }
    const chased = await ask(chase, undefined, "/v1/trade/orders/chase")
    assert.equal(why(chased), "guard_unreadable order_unreadable")
    const mode = await ask({ position_mode: "hedge" }, undefined, "/v1/account/position-mode")
    assert.equal(why(mode), "guard_unreadable position_mode")
  })

  const unknown = { symbol: "77", isBuy: true, remaining: "1", reduceOnly: false }
  const unreadable: readonly (readonly [string, Reading])[] = [
    ["an unknown symbol", { orders: [], positions: [{ symbol: "DOGE", quantity: "1" }] }],
    ["no number", { orders: [], positions: [{ symbol: "1", quantity: "1e3" }] }],
    ["an order of an unknown symbol", { orders: [unknown], positions: [] }],
  ]
  for (const [what, reading] of unreadable) {
    it(`isn't read where the venue shows ${what}`, async (t) => {
      const { ask, begin, tell } = await open(t)
      const told = await tell(await begin(), reading)
      assert.equal(told.kind === "refused" ? told.refusal.code : told.kind, "invalid_request")
      assert.equal(why(await ask(buy("0.1"))), "guard_unreadable no_reading")
    })
  }

  it("takes a ticket once, and none but the last", async (t) => {
    const { begin, tell } = await open(t)
    const first = await begin()
    const second = await begin()
    assert.equal((await tell(first)).kind, "refused")
    assert.equal((await tell(second)).kind, "answer")
    assert.equal((await tell(second)).kind, "refused")
  })

  it("is read often while something is in flight, and seldom while nothing is", async (t) => {
    const { ask, clock, readEmpty, test } = await open(t)
    const dueInMs = async () => (await test().bots.accountPoll()).dueInMs
    await readEmpty()
    assert.equal(await dueInMs(), 30_000)
    await ask(buy("0.1"))
    assert.equal(await dueInMs(), 2_000)
    clock.pass(1_999)
    assert.equal(await dueInMs(), 1)
  })

  it("is read soon once something was refused for want of room", async (t) => {
    const { ask, begin, tell, test } = await open(t)
    await tell(await begin(), { orders: [], positions: [{ symbol: "1", quantity: "1" }] })
    assert.equal((await test().bots.accountPoll()).dueInMs, 30_000)
    assert.equal(why(await ask(buy("0.1"))), "guard_exceeded")
    assert.equal((await test().bots.accountPoll()).dueInMs, 2_000)
  })
})
