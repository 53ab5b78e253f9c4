import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { BotResults } from "../../../../src/link/calls/methods.ts"
import { botMethods } from "../../../../src/vault/bot-methods.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { checkRequest } from "../../../../src/vault/request/check-request.ts"
import { listPrices } from "../../../../src/vault/status/fed-prices.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import {
  callOf,
  checkOf,
  limitOrder,
  openTestVault,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"
import { readLedger } from "../../../support/read-ledger.ts"

/** A venue whose first symbol has no price, and whose second one has an old one. */
const venue = `extends: builtin
domain: {name: Service, version: "1", chain_id: 842569901}
type_b: {service_chain: Sandbox, signature_chain_ids: [842569901]}
symbols:
  - {id: 1, name: BTC-PERP, market: perp, quote: USD}
  - id: 2
    name: ETH-PERP
    market: perp
    quote: USD
    reference_price: {value: "3200", as_of: 2026-01-01T00:00:00Z, max_age: 1h}
`
const capped = `policy: capped
rules: [{name: cap, endpoints: [placeOrder], max_notional: "10000"}]
`

type Fed = BotResults["prices"]

async function openFeed(t: TestContext, ask: VaultAsk = {}) {
  const test = await openTestVault({ venue, policies: [capped], ...ask })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const feed = await test.addClient({ name: "feed", keys: ["mm"], rights: ["prices"] })
  const trader = await test.addClient({ name: "trader", keys: ["mm"], rights: ["freeze"] })
  return { test, feed, trader }
}

/** Feeds a body as it is. */
function post({ bots }: Pick<TestVault, "bots">, token: string, body: string): Promise<Fed> {
  return bots.prices({ token, body: Buffer.from(body).toString("base64") })
}

function feedPrice(test: Pick<TestVault, "bots">, token: string, value: string) {
  return post(test, token, JSON.stringify({ prices: [{ symbol: "BTC-PERP", value }] }))
}

function feedEth(test: Pick<TestVault, "bots">, token: string, value: string) {
  return post(test, token, JSON.stringify({ prices: [{ symbol: "ETH-PERP", value }] }))
}

function stateOf(fed: Fed): string | undefined {
  assert.ok(fed.kind === "answer", fed.kind === "refused" ? fed.refusal.message : "")
  return fed.prices[0]?.state
}

/** An operator's price, by which those that are fed are measured. */
function anchor({ admin }: Pick<TestVault, "admin">, value = "64000") {
  return admin.setPrice({ symbol: "BTC-PERP", value })
}

/** What becomes of a small buy and a small sell. */
function outcomes(test: TestVault, token: string, nowMs = test.vault.now()) {
  const { ledger } = test.vault
  const believing = { ...ledger, clock: { ...ledger.clock, doubt: () => undefined } }
  const vault = { ...test.vault, now: () => ledgerTime(nowMs), ledger: believing }
  return [true, false].map((isBuy) => {
    const order = limitOrder({ is_buy: isBuy, price: "64000", quantity: "0.001" })
    const checked = checkRequest(checkOf(callOf(token, order)), vault)
    assert.ok(checked.kind === "answer")
    const { would_sign: wouldSign, refusal } = checked.report
    return wouldSign ? "signed" : (refusal?.data as { reason: string }).reason
  })
}

const both = ["signed", "signed"]
const neither = ["notional_unknown", "notional_unknown"]

describe("feeding a price", () => {
  it("lets both sides be sized that couldn't be before", async (t) => {
    const { test, feed } = await openFeed(t)
    assert.deepEqual(outcomes(test, feed), neither)
    const beforeMs = test.vault.now()
    await anchor(test)
    const fed = await feedPrice(test, feed, "64000.50")
    assert.ok(fed.kind === "answer")
    const [price, ...others] = fed.prices
    assert.deepEqual(others, [])
    assert.deepEqual(
      { ...price, as_of: 0, good_until: 0 },
      {
        symbol: "BTC-PERP",
        value: "64000.5",
        as_of: 0,
        good_until: 0,
        by: "feed",
        state: "known",
        anchor: "64000",
        pending: null,
      },
    )
    assert.ok(Number(price?.as_of) >= beforeMs)
    assert.equal(Number(price?.good_until) - Number(price?.as_of), 60_000)
    assert.deepEqual(outcomes(test, feed), both)
  })

  it("needs the right, which no other right gives", async (t) => {
    const { test, trader } = await openFeed(t)
    for (const token of [trader, await test.addClient({ name: "none", keys: ["mm"] })]) {
      const fed = await feedPrice(test, token, "64000")
      assert.ok(fed.kind === "refused")
      assert.deepEqual([fed.refusal.code, fed.refusal.data], ["right_missing", { right: "prices" }])
    }
    const unknown = await feedPrice(test, `cs_${"A".repeat(43)}`, "64000")
    assert.ok(unknown.kind === "refused")
    assert.equal(unknown.refusal.code, "unauthorized")
    assert.equal(test.vault.active().prices.size, 0)
  })

  const price = (symbol: string, value: string) => JSON.stringify({ symbol, value })
  const good = price("BTC-PERP", "1")
  const listOf = (count: number) =>
    `{"prices": [${Array.from({ length: count }, () => good).join()}]}`
  const refusals: readonly (readonly [string, string, string, readonly string[]])[] = [
    ["no JSON", "prices", "invalid_json", []],
    ["a key twice", `{"prices": [], "prices": [${good}]}`, "invalid_json", []],
    [
      "a number for a price",
      '{"prices": [{"symbol": "BTC-PERP", "value": 1}]}',
      "invalid_request",
      [""],
    ],
    [
      "a number with a point",
      '{"prices": [{"symbol": "BTC-PERP", "value": 1.5}]}',
      "invalid_json",
      [],
    ],
    ["a list without its key", `[${good}]`, "invalid_request", [""]],
    ["a further key", `{"prices": [${good}], "as_of": "1"}`, "invalid_request", [""]],
    [
      "a further key of a price",
      `{"prices": [{"symbol": "BTC-PERP", "value": "1", "as_of": "1"}]}`,
      "invalid_request",
      [""],
    ],
    ["no price", '{"prices": []}', "invalid_request", [""]],
    ["101 prices", listOf(101), "invalid_request", [""]],
    ["a symbol twice", listOf(2), "invalid_request", ["/prices/1/symbol"]],
    ["a symbol's id", `{"prices": [${price("1", "1")}]}`, "invalid_request", ["/prices/0/symbol"]],
    [
      "an unknown symbol after a good one",
      `{"prices": [${good}, ${price("X", "1")}]}`,
      "invalid_request",
      ["/prices/1/symbol"],
    ],
    [
      "zero after a good one",
      `{"prices": [${price("ETH-PERP", "3200")}, ${price("BTC-PERP", "0.00")}]}`,
      "invalid_request",
      ["/prices/1/value"],
    ],
    ...["-1", "1e3", "", " 1", "0x1", "NaN", "1,5", "9".repeat(41)].map(
      (value) =>
        [
          `the value ${JSON.stringify(value)}`,
          `{"prices": [${price("BTC-PERP", value)}]}`,
          "invalid_request",
          ["/prices/0/value"],
        ] as const,
    ),
  ]
  for (const [what, body, code, paths] of refusals) {
    it(`refuses ${what}, and takes no price`, async (t) => {
      const { test, feed } = await openFeed(t)
      const fed = await post(test, feed, body)
      assert.ok(fed.kind === "refused")
      assert.equal(fed.refusal.code, code)
      const { errors = [] } = fed.refusal.data as { errors?: readonly { path: string }[] }
      assert.deepEqual(
        errors.map(({ path }) => path),
        paths,
      )
      assert.equal(test.vault.active().prices.size, 0)
      await test.close()
      const rows = readLedger(pathsOf(test.installation).ledgerFile)
      assert.deepEqual(
        rows.filter(({ row }) => row["act"] === "price_set"),
        [],
      )
    })
  }

  it("takes the smallest and the longest price that can be read", async (t) => {
    const { test, feed } = await openFeed(t)
    for (const value of ["0.00000001", "9".repeat(40)]) {
      await anchor(test, value)
      assert.equal(stateOf(await feedPrice(test, feed, value)), "known")
      assert.equal((await test.admin.listPrices())[0]?.value, value)
    }
    assert.equal(stateOf(await feedPrice(test, feed, "0.00000001")), "unconfirmed")
  })

  it("takes several at once, each with its own state", async (t) => {
    const { test, feed } = await openFeed(t)
    await anchor(test)
    const prices = [
      { symbol: "BTC-PERP", value: "90000" },
      { symbol: "ETH-PERP", value: "3300" },
    ]
    const fed = await post(test, feed, JSON.stringify({ prices }))
    assert.ok(fed.kind === "answer")
    assert.deepEqual(
      fed.prices.map(({ symbol, state }) => [symbol, state]),
      [
        ["BTC-PERP", "unconfirmed"],
        ["ETH-PERP", "known"],
      ],
    )
  })
})

describe("a step of a fed price", () => {
  // An hour lies between venue.yaml's price and the first that is fed, so only the anchor bounds it.
  for (const [value, state] of [
    ["4480", "known"],
    ["4480.00000001", "unconfirmed"],
    ["2285.71428572", "known"],
    ["2285.71428571", "unconfirmed"],
  ] as const) {
    it(`from venue.yaml's 3200 to ${value} makes it ${state}, for that is 40 % up or down`, async (t) => {
      const { test, feed } = await openFeed(t)
      assert.equal(stateOf(await feedEth(test, feed, value)), state)
    })
  }

  it("is bounded by max_drift as it is set", async (t) => {
    const { test, feed } = await openFeed(t, { settings: "prices: {max_drift: 1%}\n" })
    assert.equal(stateOf(await feedEth(test, feed, "3232")), "known")
    assert.equal(stateOf(await feedEth(test, feed, "3232.1")), "unconfirmed")
  })

  for (const [settings, held, taken] of [
    ["max_step: 5%", "105.1", "104.9"],
    ["max_step: 0.5%", "100.6", "100.4"],
    ["max_drift_per_minute: 0%", "105.1", "104.9"],
  ] as const) {
    it(`of more than max_step at once is held back, and a smaller one taken, with ${settings}`, async (t) => {
      const { test, feed } = await openFeed(t, { settings: `prices: {${settings}}\n` })
      await anchor(test, "100")
      const first = await feedPrice(test, feed, held)
      assert.ok(first.kind === "answer")
      const [price] = first.prices
      assert.deepEqual([price?.state, price?.value, price?.pending], ["known", "100", held])
      const second = await feedPrice(test, feed, taken)
      assert.ok(second.kind === "answer")
      assert.deepEqual([second.prices[0]?.value, second.prices[0]?.pending], [taken, null])
    })
  }

  it("beyond the anchor stays unconfirmed whatever is fed after it, by whomever", async (t) => {
    const { test, feed } = await openFeed(t)
    const other = await test.addClient({ name: "other", keys: ["mm"], rights: ["prices"] })
    await anchor(test)
    for (const [token, value] of [
      [feed, "90000"],
      [feed, "90000"],
      [feed, "64000"],
      [other, "64000"],
    ] as const) {
      assert.equal(stateOf(await feedPrice(test, token, value)), "unconfirmed")
      assert.deepEqual(outcomes(test, feed), neither)
    }
  })

  it("is confirmed by an operator's price, from which the next step is measured", async (t) => {
    const { test, feed } = await openFeed(t)
    await anchor(test)
    await feedPrice(test, feed, "90000")
    const set = await anchor(test, "70000")
    assert.deepEqual(
      [set.state, set.by, set.value, set.anchor],
      ["known", "operator", "70000", "70000"],
    )
    assert.deepEqual(outcomes(test, feed), both)
    assert.equal(stateOf(await feedPrice(test, feed, "73400")), "known")
    assert.equal(stateOf(await feedPrice(test, feed, "98000.1")), "unconfirmed")
  })
})

describe("the age of a price", () => {
  it("is good up to max_age and no longer, before and after", async (t) => {
    const { test, feed } = await openFeed(t, { settings: "prices: {max_age: 5s}\n" })
    await anchor(test)
    const fed = await feedPrice(test, feed, "64000")
    assert.ok(fed.kind === "answer")
    const asOfMs = Number(fed.prices[0]?.as_of)
    for (const [passedMs, expected, state] of [
      [0, both, "known"],
      [5_000, both, "known"],
      [5_001, neither, "stale"],
      [-5_000, both, "known"],
      [-5_001, neither, "stale"],
    ] as const) {
      const nowMs = asOfMs + passedMs
      assert.deepEqual(outcomes(test, feed, ledgerTime(nowMs)), expected, `${passedMs} ms`)
      assert.equal(listPrices(test.vault.active(), ledgerTime(nowMs))[0]?.state, state)
    }
  })

  it("of an operator's price is good for an hour", async (t) => {
    const { test, feed } = await openFeed(t, { settings: "prices: {max_age: 5s}\n" })
    const { as_of: asOf, good_until: goodUntil } = await test.admin.setPrice({
      symbol: "BTC-PERP",
      value: "64000",
    })
    assert.equal(Number(goodUntil) - Number(asOf), 3_600_000)
    assert.deepEqual(outcomes(test, feed, ledgerTime(Number(goodUntil))), both)
    assert.deepEqual(outcomes(test, feed, ledgerTime(Number(goodUntil) + 1)), neither)
  })

  it("begins anew with each price, also the same one", async (t) => {
    const { test, feed } = await openFeed(t, { settings: "prices: {max_age: 5s}\n" })
    const late = test.vault.now() + 4_000
    await anchor(test)
    await feedPrice(test, feed, "64000")
    const now = () => ledgerTime(late)
    await feedPrice({ bots: botMethods({ ...test.vault, now }) }, feed, "64000")
    assert.deepEqual(outcomes(test, feed, ledgerTime(late + 5_000)), both)
    assert.deepEqual(outcomes(test, feed, ledgerTime(late + 5_001)), neither)
  })
})

describe("prices", () => {
  it("are there again after a restart, unconfirmed ones as unconfirmed", async (t) => {
    const { test, feed } = await openFeed(t, { keys: "on_disk" })
    await anchor(test)
    await feedPrice(test, feed, "64001")
    await feedEth(test, feed, "2000")
    const before = await test.admin.listPrices()
    assert.deepEqual(
      before.map(({ state }) => state),
      ["known", "unconfirmed"],
    )
    const again = await test.reopen()
    t.after(() => again.remove())
    assert.deepEqual(await again.admin.listPrices(), before)
    assert.deepEqual(outcomes(again, feed), both)
    assert.equal(stateOf(await feedEth(again, feed, "3200")), "unconfirmed")
  })

  it("aren't part of what is hashed, and each is recorded with who gave it", async (t) => {
    const { test, feed } = await openFeed(t)
    const { policyHash } = test.vault.active()
    await anchor(test)
    await feedPrice(test, feed, "64001")
    await test.admin.setPrice({ symbol: "BTC-PERP", value: "90000" })
    assert.equal(test.vault.active().policyHash, policyHash)
    await test.close()
    const rows = readLedger(pathsOf(test.installation).ledgerFile)
    assert.deepEqual(
      rows
        .filter(({ row }) => row["act"] === "price_set")
        .map(({ row }) => [row["by"], row["value"]]),
      [
        ["operator", "64000"],
        ["feed", "64001"],
        ["operator", "90000"],
      ],
    )
  })

  it("of a symbol that has none are shown as none", async (t) => {
    const { test } = await openFeed(t)
    const [none, stale] = await test.admin.listPrices()
    const nothing = {
      value: null,
      as_of: null,
      good_until: null,
      by: null,
      anchor: null,
      pending: null,
    }
    assert.deepEqual(none, { symbol: "BTC-PERP", ...nothing, state: "none" })
    assert.deepEqual([stale?.value, stale?.by, stale?.state], ["3200", "profile", "stale"])
  })

  it("can't be set for a symbol that venue.yaml lacks, nor to what is no price", async (t) => {
    const { test } = await openFeed(t)
    const set = (symbol: string, value: string) => test.admin.setPrice({ symbol, value })
    await assert.rejects(set("DOGE-PERP", "1"), { code: "name_unknown" })
    for (const value of ["0", "-1", "1e3", "", "64,000"]) {
      await assert.rejects(set("BTC-PERP", value), { code: "usage" })
    }
    assert.equal(test.vault.active().prices.size, 0)
  })
})

describe("a client's name", () => {
  for (const name of ["operator", "profile"]) {
    it(`can't be ${name}, which means somebody else as the source of a price`, async (t) => {
      const { test } = await openFeed(t)
      const added = test.addClient({ name, keys: ["mm"], rights: ["prices"] })
      await assert.rejects(added, { code: "name_taken", message: new RegExp(`^${name} means`) })
      assert.equal(test.vault.active().clients.length, 2)
    })
  }
})
