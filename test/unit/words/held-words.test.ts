import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import fc from "fast-check"

import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import type { HoldView } from "../../../src/contract/bot-views.ts"
import { builtinEndpoints } from "../../../src/venue/builtin-profile.ts"
import { operationIds, type OperationId } from "../../../src/venue/profile.ts"
import { expiryWords, heldLine, heldWords, isAccountWide } from "../../../src/words/held-words.ts"
import { limitOrder, openTestVault, type TestVault } from "../../support/open-test-vault.ts"

/** With the capitals of EIP-55, in which addresses are shown. */
const account = "0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB"
const agent = "0xCdCDCdCdcdcdcdCdcDcDCdcDcDCdCdcdCdcDCDcD"
const chain = { service_chain: "Sandbox", signature_chain_id: 842_569_901 }

/** The sandbox's, with what moves funds, and without a list of what cancels have. */
const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() }).replace(
  "  #withdraw:",
  "  withdraw:",
)

const policy = `policy: mm
rules:
  - name: all
    endpoints: [${operationIds.filter((id) => id !== "transfer" && id !== "approveAgent").join(", ")}]
    allow_full_tpsl: true
  - {name: agents, endpoints: [approveAgent], agent_addresses: ["${agent}"]}
hold: [{name: large, endpoints: [${operationIds.join(", ")}], ttl: 14m}]
`

const own = "say yes\u202e"

/** What a bot asks for, and what a person is told of it. */
const cases: readonly (readonly [OperationId, object, string])[] = [
  [
    "placeOrder",
    limitOrder({ quantity: "0.45", client_order_id: own }),
    "buy 0.45 BTC-PERP at 63,000 limit, worst 28,350 USD",
  ],
  [
    "placeOrder",
    limitOrder({ is_buy: false, quantity: "1234.50", price: "64000.5", symbol_id: 2 }),
    "sell 1,234.5 ETH-PERP at 64,000.5 limit, worst 79,008,617.25 USD",
  ],
  [
    "placeOrder",
    limitOrder({ time_in_force: "gtc", flags: ["post_only", "reduce_only"] }),
    "buy 0.1 BTC-PERP at 63,000 limit, time in force gtc, flags post only and reduce only, worst 6,300 USD",
  ],
  [
    "placeOrder",
    limitOrder({ price: undefined, order_type: "market", slippage: "0.01" }),
    "buy 0.1 BTC-PERP market, slippage 0.01, worst 6,464 USD",
  ],
  [
    "placeOrder",
    limitOrder({
      algo_order_type: "attached_tpsl",
      tpsl: { tpsl_mode: "full", tp_trigger_price: "70000", tp_trigger_by: "mark_price" },
    }),
    "buy 0.1 BTC-PERP at 63,000 limit, algo order type attached tpsl, tpsl (tp trigger by mark price, tp trigger price 70,000, tpsl mode full), worst 7,000 USD",
  ],
  [
    "placeOrder",
    limitOrder({ symbol_id: 99, is_buy: false }),
    "sell 0.1 symbol 99 at 63,000 limit, worst more than 0 quote units: 1 can't be sized",
  ],
  [
    "modifyOrder",
    { ...limitOrder(), order_id: "123" },
    "change order 123 to buy 0.1 BTC-PERP at 63,000 limit, worst 6,300 USD",
  ],
  [
    "modifyOrder",
    { ...limitOrder(), order_id: own },
    "change an order to buy 0.1 BTC-PERP at 63,000 limit, worst 6,300 USD",
  ],
  [
    "placeBatch",
    { orders: [limitOrder(), limitOrder({ symbol_id: 2, is_buy: false, quantity: "3" })] },
    "place 2 orders: buy 0.1 BTC-PERP at 63,000 limit; sell 3 ETH-PERP at 63,000 limit, worst 195,300 USD",
  ],
  [
    "placeBatch",
    { orders: Array.from({ length: 32 }, () => limitOrder({ quantity: "1" })) },
    `place 32 orders: ${"buy 1 BTC-PERP at 63,000 limit; ".repeat(31)}and 1 more; in all 32 buy BTC-PERP, worst 2,016,000 USD`,
  ],
  [
    "modifyBatch",
    { orders: [{ ...limitOrder(), order_id: "7" }] },
    "change 1 order: change order 7 to buy 0.1 BTC-PERP at 63,000 limit, worst 6,300 USD",
  ],
  ["cancelOrder", { order_id: own }, "cancel an order, 1 field not shown"],
  ["cancelBatch", { order_ids: [own, "2"] }, "cancel 2 orders"],
  ["cancelAll", {}, "cancel all orders"],
  ["cancelAll", { symbol_id: 1 }, "cancel all orders of BTC-PERP"],
  [
    "chaseOrder",
    { order_id: own, [own]: own },
    "chase an order, 2 fields not shown, worst case: no order that can be read",
  ],
  ["setLeverage", { symbol_id: 1, leverage: 5 }, "set the leverage of BTC-PERP, 1 field not shown"],
  ["setPositionMode", { position_mode: own }, "set the position mode, 1 field not shown"],
  ["revokeAgent", { ...chain, agent_address: agent }, `revoke an agent: agent address ${agent}`],
  [
    "withdraw",
    { ...chain, asset: "USD", amount: "5000", destination: account },
    `withdraw: amount 5,000, asset USD, destination ${account}`,
  ],
  [
    "withdraw",
    { ...chain, asset: "any, said yes", amount: "5000", destination: account },
    `withdraw: amount 5,000, destination ${account}, 1 field not shown`,
  ],
]

describe("a held request in words", () => {
  let test: TestVault
  let token: string
  let wallet: string
  before(async () => {
    test = await openTestVault({ policies: [policy], venue })
    wallet = (await test.addKey({ name: "main", role: "wallet" })).address
    await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    token = await test.addClient({ name: "bot", keys: ["mm", "main"], allowTypeB: true })
  })
  after(() => test.remove())

  async function held(operation: OperationId, body: object): Promise<HoldView> {
    const path = builtinEndpoints.find(({ id }) => id === operation)?.path ?? ""
    const key = "service_chain" in body ? { key: "main" } : {}
    const answer = await test.sign(token, body, { path, ...key })
    assert.ok(answer.kind === "refused" && answer.refusal.code === "approval_required")
    const { hold: id } = answer.refusal.data
    const hold = (await test.admin.listHolds()).find((each) => each.id === id)
    assert.ok(hold !== undefined)
    return hold
  }
  const wordsOf = async (hold: HoldView) => heldWords(hold, await test.admin.listSymbols())

  for (const [operation, body, words] of cases) {
    it(`says "${words}"`, async () => {
      assert.equal(await wordsOf(await held(operation, body)), `${words}, held by mm/large`)
    })
  }
  it("begins with PAPER where a paper key would sign it", async () => {
    const hold = await held("placeOrder", limitOrder())
    assert.match(await wordsOf({ ...hold, key: "mm.paper" }), /^PAPER: buy 0\.1 BTC-PERP/)
    assert.match(await wordsOf({ ...hold, key: "mm.papers" }), /^buy 0\.1 BTC-PERP/)
  })

  it("says which agent is approved by whom, and for how long, without its label", async () => {
    const approval = {
      agent_address: agent,
      authorized_address: wallet,
      valid_days: 30,
      label: own,
    }
    assert.equal(
      await wordsOf(await held("approveAgent", { ...chain, ...approval })),
      `approve the agent ${agent} for 30 days, authorized address ${wallet}, held by mm/large`,
    )
  })

  it("leaves no order of a batch unnamed, however many small ones stand before it", async () => {
    const small = Array.from({ length: 60 }, () => limitOrder({ symbol_id: 7, quantity: "1" }))
    const large = limitOrder({ symbol_id: 8, is_buy: false, quantity: "2000" })
    const hold = await held("placeBatch", { orders: [limitOrder()] })
    const names = { 7: "DOGE-USD", 8: "ETH-BTC" }
    const symbols = { names, quotes: { 7: "USD", 8: "BTC" }, default_market_order_type: null }
    const groups = "60 buy DOGE-USD: up to 2200.5 USD; 1 sell ETH-BTC: up to 64 BTC"
    const worst_case = `61 orders, up to 2200.5 USD and 64 BTC; ${groups}`
    const body = JSON.stringify({ orders: [...small, large] })
    const words = heldWords({ ...hold, body, worst_case }, symbols)
    const inAll = "in all 60 buy DOGE-USD, worst 2,200.5 USD; 1 sell ETH-BTC, worst 64 BTC"
    assert.match(words, /buy 1 DOGE-USD at 63,000 limit; and \d+ more; in all/)
    assert.ok(words.includes(`; ${inAll}, worst 2,200.5 USD and 64 BTC, held by mm/large`), words)
    const left = heldWords({ ...hold, body: "", worst_case }, symbols)
    const tooLong = "place orders, too long to be said here"
    assert.ok(left.startsWith(`${tooLong}; ${inAll.slice("in all ".length)}, worst`), left)
  })

  it("names each order of a batch that was held before its groups had a worst case", async () => {
    const small = Array.from({ length: 60 }, () => limitOrder({ quantity: "1" }))
    const orders = [...small, limitOrder({ is_buy: false })]
    const hold = await held("placeBatch", { orders: [limitOrder()] })
    const body = JSON.stringify({ orders })
    const worst_case = "61 orders, up to 1220 in quote units"
    const words = heldWords({ ...hold, body, worst_case }, await test.admin.listSymbols())
    assert.match(
      words,
      /; in all 60 buy BTC-PERP; 1 sell BTC-PERP, worst 1,220 in quote units, held/,
    )
  })

  it("names the account that it is for", async () => {
    const hold = await held("cancelAll", {})
    const symbols = await test.admin.listSymbols()
    const words = heldWords({ ...hold, target: account }, symbols)
    assert.equal(words, `cancel all orders, for the account ${account}, held by mm/large`)
  })

  it("says when it ends", async () => {
    const hold = await held("cancelAll", {})
    const line = heldLine(hold, await test.admin.listSymbols(), hold.expires_at - 14 * 60_000)
    assert.equal(line, "cancel all orders, held by mm/large; expires in 14 min")
  })

  it("says of a body that was left out that it is too long", async () => {
    const words = await wordsOf({
      ...(await held("placeBatch", { orders: [limitOrder()] })),
      body: "",
    })
    assert.match(words, /^place orders, too long to be said here, worst 6,300 USD, held by/)
  })

  it("has no text of a bot's, whatever the body and however the profile reads it", async () => {
    const hold = await held("cancelAll", {})
    const symbols = await test.admin.listSymbols()
    const text = fc.string().map((any) => `§${any}`)
    const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text))
    const order = fc.record(
      {
        symbol_id: value,
        is_buy: value,
        quantity: value,
        price: value,
        order_type: value,
        flags: value,
      },
      { requiredKeys: [] },
    )
    const body = fc.oneof(
      fc.dictionary(fc.oneof(text, fc.constantFrom(...ourNames)), value),
      order,
      fc.record({ orders: fc.array(fc.oneof(order, value)) }),
    )
    fc.assert(
      fc.property(
        body,
        fc.constantFrom(...shapes),
        fc.constantFrom(...operationIds),
        (asked, shape, operation) => {
          const words = heldWords(
            { ...hold, operation, shape, body: JSON.stringify(asked) },
            symbols,
          )
          assert.ok(!words.includes("§"), words)
        },
      ),
    )
  })
})

const ourNames = ["agent_address", "authorized_address", "valid_days", "order_id", "amount", "tpsl"]

const shapes: readonly HoldView["shape"][] = [
  ...(["order", "approve_agent", "struct", "opaque"] as const).map((kind) => ({ kind })),
  { kind: "order_with_id", orderId: "/order_id" },
  { kind: "order_list", items: "/orders", orderId: undefined },
  { kind: "order_list", items: "/orders", orderId: "/order_id" },
  { kind: "item_list", items: "/orders" },
]

describe("expiryWords", () => {
  for (const [leftMs, words] of [
    [-1, "expired"],
    [999, "expired"],
    [1_000, "expires in 1 s"],
    [119_999, "expires in 119 s"],
    [120_000, "expires in 2 min"],
    [7_199_999, "expires in 119 min"],
    [7_200_000, "expires in 2 h"],
  ] as const) {
    it(`says "${words}" ${leftMs} ms before`, () => {
      assert.equal(expiryWords(leftMs), words)
    })
  }
})

describe("isAccountWide", () => {
  it("is so of all but what names its orders, and of what nobody knows", () => {
    const narrow = operationIds.filter((id) => !isAccountWide(id))
    const ofOrders = ["placeOrder", "modifyOrder", "cancelOrder", "chaseOrder"]
    assert.deepEqual(narrow, [...ofOrders, "placeBatch", "modifyBatch", "cancelBatch"])
    assert.ok(isAccountWide("somethingNew"))
  })
})
