import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { formatDecimal } from "../../../../src/venue/decimal.ts"
import { guardedAccount, guardedWallet } from "../../../support/guarded-account.ts"
import { nothing, openGuarded, type Reading } from "../../../support/guarded-vault.ts"

const fed = `
account:
  accounts: {main: {address: "${guardedWallet.address}"}}
  lag: 3s
`

/** A guarded vault whose account the client `feed` reads, or the gate where `account` says so. */
async function openFed(t: TestContext, account = fed) {
  const opened = await openGuarded(t, { account })
  const { test, clock } = opened
  const client = (name: string) => test().addClient({ name, keys: ["mm"], rights: ["account"] })
  const feed = await client("feed")
  clock.pass(30_000)
  const begin = (token = feed, asked: unknown = { account: "main" }) =>
    test().bots.beginAccount({ token, body: base64(asked) })
  const ticketOf = async (token = feed) => {
    const begun = await begin(token)
    return begun.kind === "answer" ? begun.begun.ticket : assert.fail(begun.refusal.message)
  }
  const hand = async (ticket: string, reading: unknown = nothing, token = feed) => {
    const taken = await test().bots.account({ token, body: base64({ ticket, reading }) })
    return taken.kind === "answer" ? "taken" : taken.refusal
  }
  const inForce = () => [...test().vault.accounts.values()][0]?.exposure.reading()
  return { ...opened, client, feed, begin, ticketOf, hand, inForce }
}

async function gateTicket({ test }: Awaited<ReturnType<typeof openFed>>): Promise<string> {
  const { round } = await test().bots.accountPoll()
  return round?.ticket ?? assert.fail("no reading was begun")
}

function base64(body: unknown): string {
  return Buffer.from(JSON.stringify(body)).toString("base64")
}

const codeOf = (told: Awaited<ReturnType<Awaited<ReturnType<typeof openFed>>["hand"]>>) =>
  typeof told === "string" ? told : told.code

describe("an account that a client reads", () => {
  it("is judged by what the client hands over, from the time at which the reading began", async (t) => {
    const { ask, clock, begin, hand, inForce } = await openFed(t)
    assert.equal((await ask({ quantity: "0.1" }))?.code, "guard_unreadable")
    const begun = await begin()
    assert.ok(begun.kind === "answer")
    const { ticket, begun_at, ...others } = begun.begun
    assert.deepEqual(others, { expires_in_ms: 33_000, lag_ms: 3_000 })
    clock.pass(3_500)
    const order = { symbol: "1", is_buy: true, remaining: "0.3", reduce_only: false }
    const positions = [{ symbol: "BTC-PERP", quantity: "0.3" }]
    const reading: Reading = { orders: [order], positions, equity: "-1", venue_at: begun_at }
    assert.equal(await hand(ticket, reading), "taken")
    assert.equal(inForce()?.askedAtMs, begun_at)
    assert.equal(inForce()?.venueAtMs, begun_at)
    const { equity } = inForce() ?? {}
    assert.equal(equity && formatDecimal(equity), "0")
    assert.equal((await ask({ quantity: "0.5" }))?.code, "guard_exceeded")
    assert.equal(await ask({ quantity: "0.4" }), null)
  })

  it("isn't read by the gate", async (t) => {
    const { test } = await openFed(t)
    assert.deepEqual(await test().bots.accountPoll(), { dueInMs: null, round: null })
  })

  it("is read by a client with the right alone", async (t) => {
    const { bot, begin, ticketOf, hand } = await openFed(t)
    const begun = await begin(bot)
    assert.equal(begun.kind === "refused" && begun.refusal.code, "right_missing")
    const ticket = await ticketOf()
    assert.equal(codeOf(await hand(ticket, nothing, bot)), "right_missing")
    assert.equal(await hand(ticket), "taken")
  })

  it("is one of venue.yaml that the gate doesn't read", async (t) => {
    const { begin } = await openFed(t)
    for (const asked of [{ account: "other" }, {}, { account: "main", more: 1 }, [], null]) {
      const begun = await begin(undefined, asked)
      assert.equal(begun.kind === "refused" && begun.refusal.code, "invalid_request")
    }
    const polled = await openFed(t, guardedAccount)
    const begun = await polled.begin()
    assert.equal(begun.kind === "refused" && begun.refusal.code, "invalid_request")
  })

  it("has a reading begun once a second at most, by whomever", async (t) => {
    const { begin, client, clock } = await openFed(t)
    assert.equal((await begin()).kind, "answer")
    clock.pass(999)
    assert.equal((await begin()).kind, "refused")
    assert.equal((await begin(await client("second"))).kind, "refused")
    clock.pass(1)
    assert.equal((await begin()).kind, "answer")
  })
})

describe("a client's ticket", () => {
  it("is good for 30 s and the lag", async (t) => {
    const { clock, ticketOf, hand } = await openFed(t)
    const first = await ticketOf()
    clock.pass(33_000)
    assert.equal(await hand(first), "taken")
    const second = await ticketOf()
    clock.pass(33_001)
    assert.equal(codeOf(await hand(second)), "invalid_request")
  })

  it("is good once, whatever was handed over, and until the next", async (t) => {
    const { clock, ticketOf, hand } = await openFed(t)
    const first = await ticketOf()
    assert.equal(await hand(first), "taken")
    assert.equal(codeOf(await hand(first)), "invalid_request")
    clock.pass(1_000)
    const second = await ticketOf()
    const unknown = { orders: [], positions: [{ symbol: "DOGE", quantity: "1" }] }
    assert.equal(codeOf(await hand(second, unknown)), "invalid_request")
    assert.equal(codeOf(await hand(second)), "invalid_request")
    clock.pass(1_000)
    const third = await ticketOf()
    clock.pass(1_000)
    const fourth = await ticketOf()
    assert.equal(codeOf(await hand(third)), "invalid_request")
    assert.equal(await hand(fourth), "taken")
  })

  it("is that client's: no other's, and not the gate's", async (t) => {
    const { client, ticketOf, hand, tell } = await openFed(t)
    const ticket = await ticketOf()
    assert.equal(codeOf(await hand(ticket, nothing, await client("second"))), "invalid_request")
    assert.equal((await tell(ticket)).kind, "refused")
    assert.equal(await hand(ticket), "taken")
    const polled = await openFed(t, guardedAccount)
    assert.equal(codeOf(await polled.hand(await gateTicket(polled))), "invalid_request")
  })

  for (const [what, reading, path] of [
    ["no positions", { orders: [] }, "/reading/positions"],
    ["another field", { ...nothing, balances: [] }, "/reading"],
    [
      "an order without a side",
      { orders: [{ symbol: "1", remaining: "1", reduce_only: false }], positions: [] },
      "/reading/orders/0/is_buy",
    ],
    [
      "a number that is no string",
      { orders: [], positions: [{ symbol: "1", quantity: 1 }] },
      "/reading/positions/0/quantity",
    ],
    ["an equity that is none", { ...nothing, equity: "1e3" }, "/equity"],
    ["too many positions", { orders: [], positions: Array(201).fill({}) }, "/reading/positions"],
  ] as const) {
    it(`isn't for a reading with ${what}`, async (t) => {
      const { ticketOf, hand, inForce } = await openFed(t)
      const told = await hand(await ticketOf(), reading)
      assert.ok(typeof told !== "string" && told.code === "invalid_request")
      assert.equal(told.data.errors[0]?.path, path)
      assert.equal(inForce(), undefined)
    })
  }
})
