import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { describe, it, type TestContext } from "node:test"

import { adminParams, type BotParams, type BotResults } from "../../../../src/link/calls/methods.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { pollName } from "../../../../src/vault/ledger/records/bindings.ts"
import { termsOf } from "../../../../src/vault/request/spending.ts"
import { spendingOfRead } from "../../../../src/vault/request/admit-read.ts"
import { listPrices } from "../../../../src/vault/status/fed-prices.ts"
import { alarmsIn } from "../../../support/facts.ts"
import { fakeClock, type FakeClock } from "../../../support/fake-clock.ts"
import { limitOrder, openTestVault, type TestVault } from "../../../support/open-test-vault.ts"
import { readLedger } from "../../../support/read-ledger.ts"

const path = "/v1/market/tickers"
const poll = `price_poll: {path: ${path}, list: /data/list, symbol: /name, value: /mark, every: 2s}\n`
const venue = `extends: builtin
domain: {name: Service, version: "1", chain_id: 842569901}
type_b: {service_chain: Sandbox, signature_chain_ids: [842569901]}
reads: {market: [/v1/market/**]}
symbols:
  - {id: 1, name: BTC-PERP, market: perp, quote: USD}
  - {id: 2, name: ETH-PERP, market: perp, quote: USD}
`
const capped = `policy: capped
rules: [{name: cap, endpoints: [placeOrder], max_notional: "10000"}]
`

type Polling = {
  readonly test: TestVault
  readonly clock: FakeClock
  readonly token: string
  /** Begins a round that must be due. */
  readonly begin: () => Promise<NonNullable<BotResults["pricePoll"]["round"]>>
  feed(round: number, prices: BotParams["polledPrices"]["prices"], of?: string): Promise<string>
  /** A round in which BTC-PERP has this price. */
  poll(value: string): Promise<string>
  stateOf(symbol: string): readonly [state: string | undefined, value: string | null | undefined]
  /** What becomes of a small order. */
  order(): Promise<string>
}

async function open(t: TestContext): Promise<Polling> {
  const clock = fakeClock()
  const settings = "prices: {max_age: 10s}\nbudgets: {}\n"
  const ask = { venue: venue + poll, policies: [capped], settings, clock }
  const test = await openTestVault(ask)
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"], rights: ["prices"] })
  const begin: Polling["begin"] = async () => {
    const { round } = await test.bots.pricePoll()
    assert.ok(round)
    return round
  }
  const feed: Polling["feed"] = async (round, prices, of = path) => {
    const fed = await test.bots.polledPrices({ round, path: of, prices })
    return fed.kind === "answer" ? "taken" : fed.refusal.message
  }
  return {
    ...{ test, clock, token, begin, feed },
    poll: async (value) => feed((await begin()).id, [{ symbol: "BTC-PERP", value }]),
    stateOf(symbol) {
      const prices = listPrices(test.vault.active(), test.vault.now())
      const price = prices.find((each) => each.symbol === symbol)
      return [price?.state, price?.value]
    },
    async order() {
      const order = limitOrder({ price: "64000", quantity: "0.1" })
      const signed = await test.sign(token, order)
      if (signed.kind !== "refused") return signed.kind
      return (signed.refusal.data as { reason: string }).reason
    },
  }
}

const btc = (value: string) => [{ symbol: "BTC-PERP", value }]
const anchor = ({ test }: Polling, value = "64000") =>
  test.admin.setPrice({ symbol: "BTC-PERP", value })

describe("a round of the price poll", () => {
  it("tells the gate what to read and where in the answer the prices are", async (t) => {
    const { begin, test } = await open(t)
    assert.deepEqual(await begin(), {
      ...{ id: test.vault.now(), paths: [path], list: ["data", "list"] },
      ...{ symbol: ["name"], value: ["mark"] },
      symbols: [
        { id: 1, name: "BTC-PERP" },
        { id: 2, name: "ETH-PERP" },
      ],
    })
  })

  it("begins when it is due and no earlier", async (t) => {
    const { begin, test, clock } = await open(t)
    await begin()
    clock.pass(1_999)
    assert.deepEqual(await test.bots.pricePoll(), { dueInMs: 1, round: null })
    clock.pass(1)
    assert.equal((await begin()).id, test.vault.now())
  })

  it("is none where venue.yaml polls nothing, as before", async (t) => {
    const test = await openTestVault({ venue, policies: [capped] })
    t.after(() => test.remove())
    assert.deepEqual(await test.bots.pricePoll(), { dueInMs: null, round: null })
    const fed = await test.bots.polledPrices({ round: 0, path, prices: btc("1") })
    assert.equal(fed.kind, "refused")
  })

  it("is counted in the IP budget, of no client, and waits where nothing is left", async (t) => {
    const { begin, test, token, clock } = await open(t)
    const used = async () => {
      const shown = await test.bots.limits({ token })
      assert.ok(shown.kind === "answer")
      const ip = shown.budgets.find(({ scope }) => scope === "ip")
      return [ip?.used, ip?.own]
    }
    await begin()
    assert.deepEqual(await used(), [2, 0])
    test.vault.ledger.budgets.fill("ip", undefined)
    clock.pass(2_000)
    // Its own weight ends first, and makes the room.
    assert.deepEqual(await test.bots.pricePoll(), { dueInMs: 58_500, round: null })
    assert.deepEqual(await used(), [1_200, 0])
    clock.pass(58_499)
    assert.equal((await test.bots.pricePoll()).round, null)
    clock.pass(1)
    await begin()
    assert.deepEqual(await used(), [2, 0])
  })

  it("has room for a whole round kept, however seldom one comes", async (t) => {
    const seldom = `price_poll: {path: "/v1/market/a", symbol: /name, value: /mark, every: 10m}\n`
    const ask = { venue: venue + seldom, policies: [capped], settings: "budgets: {}\n" }
    const test = await openTestVault(ask)
    t.after(() => test.remove())
    assert.equal(termsOf("ip", undefined, test.vault.active())?.keptFor.get(pollName), 2)
  })

  it("never takes what is kept for cancels, and has its own part whatever bots ask for", async (t) => {
    const polled = Array.from(
      { length: 120 },
      (_, id) => `  - {id: ${id + 10}, name: S${id}-USD, market: spot, quote: USD}\n`,
    )
    const heavy = `price_poll: {path: "/v1/market/{id}", symbol: /name, value: /mark, every: 30s}\n`
    const clock = fakeClock()
    const settings = "budgets: {}\n"
    const ask = { venue: venue + polled.join("") + heavy, policies: [capped], settings, clock }
    const test = await openTestVault(ask)
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    await test.addClient({ name: "bot", keys: ["mm"] })
    const { budgets } = test.vault.ledger
    const spend = (lane: "open" | "cancel") => {
      const spending = { ...spendingOfRead(1, "bot", test.vault.active()), lane }
      const short = budgets.ask(spending)
      if (short === undefined) budgets.count(spending)
      return short === undefined
    }
    let rounds = 0
    for (let second = 0; second < 600; second += 1) {
      while (spend("open")) assert.ok(second < 600)
      if ((await test.bots.pricePoll()).round !== null) rounds += 1
      assert.ok(spend("cancel"), `a cancel after ${second} s`)
      clock.pass(1_000)
    }
    // Every 30 s, and at times a second later: a weight counts for half a second longer than a minute.
    assert.ok(rounds >= 18, String(rounds))
  })

  it("is told of as a warning where shares never leave it room", async (t) => {
    const settings = "budgets: {shares: {bot: 94%}, cancel_reserve: 6%}\n"
    const test = await openTestVault({ venue: venue + poll, policies: [capped], settings })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    assert.equal((await test.bots.pricePoll()).dueInMs, 2_000)
    await test.addClient({ name: "bot", keys: ["mm"] })
    const { warnings } = await test.admin.status()
    assert.ok(
      warnings.some(({ message }) =>
        message.includes(
          "a round of price_poll weighs 2 of the IP budget, and shares and cancel_reserve leave it 0",
        ),
      ),
      JSON.stringify(warnings),
    )
  })
})

describe("a polled price", () => {
  it("is taken like a client's, under a name that no client can have", async (t) => {
    const polling = await open(t)
    await anchor(polling)
    assert.equal(await polling.poll("64100.50"), "taken")
    const [price] = await polling.test.admin.listPrices()
    assert.deepEqual([price?.by, price?.value], ["price poll", "64100.5"])
    const { name } = adminParams.addClient.shape
    assert.deepEqual([pollName, name.safeParse(pollName).success], ["price poll", false])
    assert.equal(await polling.order(), "answer")
  })

  it("waits for a person where nobody gave an anchor, and is one once it is confirmed", async (t) => {
    const polling = await open(t)
    assert.equal(await polling.poll("64000"), "taken")
    assert.deepEqual(polling.stateOf("BTC-PERP"), ["unconfirmed", "64000"])
    assert.equal(await polling.order(), "notional_unknown")
    await polling.test.admin.confirmPrices({ prices: [{ symbol: "BTC-PERP", value: "64000" }] })
    polling.clock.pass(2_000)
    assert.equal(await polling.poll("64500"), "taken")
    assert.deepEqual(polling.stateOf("BTC-PERP"), ["known", "64500"])
    assert.equal(await polling.order(), "answer")
  })

  it("is held back beyond max_step and unconfirmed beyond max_drift, as any feed's", async (t) => {
    const polling = await open(t)
    await anchor(polling)
    await polling.poll("67300")
    assert.deepEqual(polling.stateOf("BTC-PERP"), ["known", "64000"])
    polling.clock.pass(2_000)
    await polling.poll("67000")
    assert.deepEqual(polling.stateOf("BTC-PERP"), ["known", "67000"])
    polling.clock.pass(600_000)
    await polling.poll("89600.01")
    assert.equal(polling.stateOf("BTC-PERP")[0], "unconfirmed")
  })

  for (const [what, symbol, value] of [
    ["of a symbol that venue.yaml doesn't have", "SOL-PERP", "1"],
    ["by a symbol's id", "1", "64000"],
    ["of zero", "BTC-PERP", "0"],
    ["below zero", "BTC-PERP", "-1"],
    ["with an exponent", "BTC-PERP", "6.4e4"],
    ["that is no number", "BTC-PERP", "halted"],
  ] as const) {
    it(`${what} is refused, and keeps no other back`, async (t) => {
      const polling = await open(t)
      await anchor(polling, "64000")
      await polling.test.admin.setPrice({ symbol: "ETH-PERP", value: "3200" })
      const { id } = await polling.begin()
      const prices = [
        { symbol, value },
        { symbol: "ETH-PERP", value: "3210" },
      ]
      assert.match(await polling.feed(id, prices), /\/prices\/0\/(symbol|value): /)
      assert.deepEqual(polling.stateOf("BTC-PERP"), ["known", "64000"])
      assert.deepEqual(polling.stateOf("ETH-PERP"), ["known", "3210"])
    })
  }

  it("of a symbol that comes twice is the first one", async (t) => {
    const polling = await open(t)
    await anchor(polling)
    const { id } = await polling.begin()
    assert.match(await polling.feed(id, [...btc("64100"), ...btc("64200")]), /each once/)
    assert.deepEqual(polling.stateOf("BTC-PERP"), ["known", "64100"])
  })

  it("of another path is refused", async (t) => {
    const polling = await open(t)
    await anchor(polling)
    const { id } = await polling.begin()
    assert.match(await polling.feed(id, btc("64100"), "/v1/market/other"), /isn't polled/)
    assert.deepEqual(polling.stateOf("BTC-PERP"), ["known", "64000"])
  })

  it("of the round before is refused, and so is one of no round", async (t) => {
    const polling = await open(t)
    await anchor(polling)
    assert.match(await polling.feed(polling.test.vault.now(), btc("64100")), /isn't polled/)
    const { id } = await polling.begin()
    polling.clock.pass(2_000)
    await polling.begin()
    assert.match(await polling.feed(id, btc("64100")), /the next round has begun/)
    assert.match(await polling.feed(id + 1, btc("64100")), /the next round has begun/)
    assert.deepEqual(polling.stateOf("BTC-PERP"), ["known", "64000"])
  })

  it("is as old as its round, however late it comes", async (t) => {
    const polling = await open(t)
    await anchor(polling)
    const { id } = await polling.begin()
    polling.clock.pass(7_000)
    await polling.feed(id, btc("64100"))
    const [price] = await polling.test.admin.listPrices()
    assert.deepEqual([price?.as_of, price?.good_until], [id, id + 10_000])
    polling.clock.pass(3_000)
    assert.equal(polling.stateOf("BTC-PERP")[0], "known")
    polling.clock.pass(1)
    assert.equal(polling.stateOf("BTC-PERP")[0], "stale")
  })

  it("takes no place of one that came after its round had begun", async (t) => {
    const polling = await open(t)
    const { id } = await polling.begin()
    polling.clock.pass(1)
    await anchor(polling)
    assert.equal(await polling.feed(id, btc("64100")), "taken")
    assert.deepEqual(polling.stateOf("BTC-PERP"), ["known", "64000"])
  })

  it("that a reload polls no more is refused", async (t) => {
    const polling = await open(t)
    await anchor(polling)
    const { id } = await polling.begin()
    const { venueFile } = pathsOf(polling.test.installation)
    await writeFile(venueFile, venue + poll.replace(path, "/v1/market/others"))
    await polling.test.admin.reload({})
    assert.match(await polling.feed(id, btc("64100")), /isn't polled/)
  })

  it("makes a row when it is new, and none when it is the same again", async (t) => {
    const polling = await open(t)
    await anchor(polling)
    for (const value of ["64100", "64100", "64100.0", "64101"]) {
      assert.equal(await polling.poll(value), "taken")
      polling.clock.pass(2_000)
    }
    await polling.test.close()
    const rows = readLedger(pathsOf(polling.test.installation).ledgerFile)
    const set = rows.flatMap(({ row }) => (row["act"] === "price_set" ? [row["by"]] : []))
    assert.deepEqual(set, ["operator", "price poll", "price poll"])
  })
})

describe("a ticker that is dead", () => {
  it("is told by an alarm from half of max_age on, before anything is refused", async (t) => {
    const polling = await open(t)
    await anchor(polling)
    await polling.poll("64100")
    const told = () => alarmsIn(polling.test.vault).map(({ name, subject }) => `${name} ${subject}`)
    polling.clock.pass(5_000)
    assert.deepEqual(told(), [])
    polling.clock.pass(1)
    assert.deepEqual(told(), ["price_ageing BTC-PERP"])
    assert.equal(await polling.order(), "answer")
    polling.clock.pass(5_000)
    assert.deepEqual(told(), ["price_stale BTC-PERP"])
    assert.equal(await polling.order(), "notional_unknown")
    await polling.poll("64100")
    assert.deepEqual(told(), [])
  })
})
