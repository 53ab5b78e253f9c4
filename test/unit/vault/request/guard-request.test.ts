import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { formatDecimal } from "../../../../src/venue/decimal.ts"
import { guardedAccount } from "../../../support/guarded-account.ts"
import {
  guarded,
  nothing,
  openGuarded as open,
  type Reading,
} from "../../../support/guarded-vault.ts"
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

  it("gets no more room of readings in a day than max_freed, and says so", async (t) => {
    const lying = guarded.replace("max_open_orders", 'max_freed: {default: "0.5"}, max_open_orders')
    const { ask, readEmpty, test } = await open(t, { policies: [lying] })
    await readEmpty()
    assert.equal(why(await ask(buy("0.8"))), "signed")
    await readEmpty()
    const refusal = await ask(buy("0.8"))
    assert.equal(refusal?.code, "guard_exceeded")
    const { measured, in_flight, room, freed } = refusal.data
    assert.deepEqual([measured, in_flight, room, freed], ["0.3", "0", "0.7", "0.8"])
    assert.match(
      refusal.message,
      / Readings have freed 0\.8 since the day began \(UTC\), more than/,
    )
    const [long, short] = await test().admin.listGuards()
    assert.deepEqual([long?.room, short?.room], ["0.7", "1"])
    assert.equal(why(await ask(buy("0.7"))), "signed")
    const other = await ask(sell("1.1"))
    assert.ok(other?.code === "guard_exceeded" && other.data.freed === null)
  })

  it("counts what the venue shows of it", async (t) => {
    const { ask, begin, tell } = await open(t)
    const order = { symbol: "1", is_buy: true, remaining: "0.3", reduce_only: false }
    const positions = [{ symbol: "BTC-PERP", quantity: "0.5" }]
    await tell(await begin(), { orders: [order, { ...order, reduce_only: true }], positions })
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

  const unknown = { symbol: "77", is_buy: true, remaining: "1", reduce_only: false }
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

  const worth =
    '  equity: {path: "/v1/account/equity?account_address=$account", value: /data/equity}\n'
  for (const [equity, taken] of [
    ["1000.50", "1000.5"],
    ["0", "0"],
    ["-0.01", "0"],
    [undefined, undefined],
    ["1e3", undefined],
    ["", undefined],
    ["-", undefined],
  ] as const) {
    it(`${taken === undefined ? "isn't read" : `is worth ${taken}`} where its equity is ${equity ?? "not told"}`, async (t) => {
      const { begin, tell, test } = await open(t, { account: guardedAccount + worth })
      const told = await tell(await begin(), {
        ...nothing,
        ...(equity !== undefined && { equity }),
      })
      assert.equal(told.kind, taken === undefined ? "refused" : "answer")
      const [account] = test().vault.accounts.values()
      const reading = account?.exposure.reading()
      assert.equal(reading?.equity && formatDecimal(reading.equity), taken)
    })
  }

  it("isn't read with an equity that venue.yaml says nothing of", async (t) => {
    const { begin, tell, test } = await open(t)
    assert.equal((await tell(await begin(), { ...nothing, equity: "1" })).kind, "refused")
    assert.equal((await tell(await begin())).kind, "answer")
    const [account] = test().vault.accounts.values()
    assert.equal(account?.exposure.reading()?.equity, undefined)
  })

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

  const reducing = { flags: ["reduce_only"] }
  const toBuy = { ...buy("0.1"), ...reducing }
  const toSell = { ...sell("0.1"), ...reducing }

  it("signs no reduce-only order that has nothing to reduce, and says by what", async (t) => {
    const { ask, clock, begin, tell, test } = await open(t)
    await tell(await begin(), { orders: [], positions: [{ symbol: "1", quantity: "0.5" }] })
    clock.pass(3_999)
    const refusal = await ask(toBuy)
    assert.equal(refusal?.code, "nothing_to_reduce")
    const { message, data } = refusal
    assert.equal(
      message,
      "Reduce-only, but main holds at most 0 short in BTC-PERP, by a reading of 3 s ago and all that is in flight (the guard bot/small, policies/0.yaml:4). Open a position first.",
    )
    const { symbol, side, reach, read_at } = data
    assert.deepEqual([symbol, side, reach], ["BTC-PERP", "short", "0"])
    assert.equal(read_at, clock.nowMs() - 3_999)
    assert.equal(why(await ask({ ...toSell, quantity: "9" })), "signed")
    const { round } = await test().bots.accountPoll()
    assert.notEqual(round, null, "it is read again soon")
  })

  it("signs what only reduces once the last reading is over 10 s old, and has the account read soon", async (t) => {
    const { ask, clock, readEmpty, test } = await open(t)
    await readEmpty()
    clock.pass(10_000)
    assert.equal(why(await ask(toSell)), "nothing_to_reduce")
    clock.pass(1)
    assert.equal(why(await ask(toSell)), "signed")
    assert.notEqual((await test().bots.accountPoll()).round, null)
  })

  it("signs an exit right after its entry, and one of what others hold once a reading shows it", async (t) => {
    const { ask, begin, tell, readEmpty } = await open(t)
    await readEmpty()
    assert.equal(why(await ask(toSell)), "nothing_to_reduce")
    assert.equal(why(await ask(buy("0.1"))), "signed")
    assert.equal(why(await ask(toSell)), "signed")
    assert.equal(why(await ask(toBuy)), "nothing_to_reduce")
    await tell(await begin(), { orders: [], positions: [{ symbol: "1", quantity: "-2" }] })
    assert.equal(why(await ask(toBuy)), "signed")
    await tell(await begin())
    assert.equal(why(await ask(toBuy)), "signed", "that nobody here opened")
  })

  it("signs a batch that reduces where one order of it may, and none where none may", async (t) => {
    const { ask, begin, tell } = await open(t)
    await tell(await begin(), { orders: [], positions: [{ symbol: "1", quantity: "0.5" }] })
    const path = "/v1/trade/orders/batch"
    const batch = (...orders: readonly object[]) => ({
      orders: orders.map((order) => limitOrder({ ...order })),
    })
    assert.equal(why(await ask(batch(toBuy, toSell), undefined, path)), "signed")
    assert.equal(why(await ask(batch(toBuy, toBuy), undefined, path)), "nothing_to_reduce")
  })

  it("signs a reduce-only order that waits for a trigger: there may be a position by then", async (t) => {
    const { ask, readEmpty } = await open(t)
    await readEmpty()
    const conditional = { trigger_price: "60000", trigger_by: "mark_price" }
    const stop = { ...toSell, algo_order_type: "conditional", conditional }
    assert.equal(why(await ask(stop)), "signed")
  })

  it("signs what only reduces of a client without a guard", async (t) => {
    const { ask, other, readEmpty } = await open(t)
    await readEmpty()
    assert.equal(why(await ask(toSell, other)), "signed")
    assert.equal(why(await ask(toSell)), "nothing_to_reduce")
  })

  it("lets what may reduce past a freeze, and what has nothing to reduce no more than without", async (t) => {
    const { ask, begin, tell, test } = await open(t)
    await tell(await begin(), { orders: [], positions: [{ symbol: "1", quantity: "0.5" }] })
    await test().admin.freeze({ scope: "all", name: null, reason: "drill", cancels: true })
    assert.equal(why(await ask(toSell)), "signed")
    assert.equal(why(await ask(toBuy)), "nothing_to_reduce")
    assert.equal(why(await ask(buy("0.1"))), "frozen")
  })

  it("takes nothing for an order that has nothing to reduce", async (t) => {
    const limit = `limits: [{name: exits, lane: reduce, count: orders, window: 1m, max: "1"}]\n`
    const { ask, begin, tell, readEmpty } = await open(t, { policies: [guarded + limit] })
    await readEmpty()
    assert.equal(why(await ask(toSell)), "nothing_to_reduce")
    assert.equal(why(await ask(toSell)), "nothing_to_reduce")
    await tell(await begin(), { orders: [], positions: [{ symbol: "1", quantity: "1" }] })
    assert.equal(why(await ask(toSell)), "signed")
    assert.equal(why(await ask(toSell)), "limit_exhausted")
  })
})
