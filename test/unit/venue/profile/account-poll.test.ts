import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, it } from "node:test"

import { problemsOf, profileOf } from "../profile-text.ts"

const reads =
  "reads: {trade: [/v1/trade/**], account: [/v1/account/**], explorer: [/v1/explorer/**]}"
const one = "0x1111111111111111111111111111111111111111"
const two = "0x2222222222222222222222222222222222222222"

type Section = Record<string, unknown>

const orders: Section = {
  path: "/v1/trade/open-orders?account_address=$account",
  list: "/data/list",
  symbol: "/symbol_id",
  side: { at: "/is_buy", buy: "true", sell: "false" },
  remaining: "/quantity",
}
const positions: Section = {
  path: "/v1/account/positions?account_address=$account",
  list: "/data/list",
  symbol: "/symbol_id",
  quantity: "/size",
  sign: "signed",
}

const equity: Section = { path: "/v1/account/equity/$account", value: "/data/equity" }

/** With sorted keys, as a section without deeper ones has them. */
function canonical(section: Section): string {
  const keys = Object.keys(section).sort()
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, section[key]])))
}

/** `account:` as a line of YAML; a key that is `undefined` is left out. */
function account(changes: Section = {}): string {
  const section = { accounts: { main: { address: one } }, orders: [orders], positions, ...changes }
  return `account: ${JSON.stringify(section)}`
}

const withOrders = (changes: Section) => account({ orders: [{ ...orders, ...changes }] })
const withPositions = (changes: Section) => account({ positions: { ...positions, ...changes } })
const problems = (line: string) => problemsOf(reads, line)

function assertRefused(line: string, problem: RegExp): void {
  const [first = "", ...others] = problems(line)
  assert.match(first, problem)
  assert.deepEqual(others, [])
}

describe("account", () => {
  it("may be left out, as it is in every older venue.yaml", () => {
    assert.equal(profileOf(reads).accountPoll, undefined)
  })

  it("takes a lag and paces for granted, and hands on what it doesn't read as it is written", () => {
    const { mapping, ...poll } = profileOf(reads, account()).accountPoll ?? assert.fail()
    assert.match(mapping, /^[0-9a-f]{64}$/)
    assert.deepEqual(JSON.parse(JSON.stringify(poll)), {
      accounts: [{ name: "main", address: one, positionMode: "one_way" }],
      lagMs: 3_000,
      busyMs: 2_000,
      idleMs: 30_000,
      weight: 4,
      map: { orders: [orders], positions },
      isFed: false,
      hasEquity: false,
    })
    const strange = { orders: [{ ...orders, "a b": [{ c: ["1.10", "yes"] }] }], positions }
    const map = profileOf(reads, account(strange)).accountPoll?.map
    assert.deepEqual(JSON.parse(JSON.stringify(map)), strange)
  })

  it("takes all that can be said of it", () => {
    const hedged = { address: two, position_mode: "hedge" }
    const poll = profileOf(
      reads,
      account({
        accounts: { main: { address: one }, "a.b-c_2": hedged },
        lag: "250ms",
        poll: { busy: "5s", idle: "5m" },
        orders: [orders, { ...orders, path: "/v1/trade/stops/$account" }],
      }),
    ).accountPoll
    assert.ok(poll)
    assert.deepEqual(poll.accounts[1], { name: "a.b-c_2", address: two, positionMode: "hedge" })
    assert.deepEqual([poll.lagMs, poll.busyMs, poll.idleMs, poll.weight], [250, 5_000, 300_000, 6])
    assert.deepEqual(Object.keys(poll.map), ["orders", "positions"])
  })

  it("has a mapping, which is another once a reading may mean something else", () => {
    const mappingOf = (changes: Section = {}) =>
      profileOf(reads, account(changes)).accountPoll?.mapping
    const json = `{"orders":[${canonical(orders)}],"positions":${canonical(positions)}}`
    assert.equal(mappingOf(), createHash("sha256").update(json).digest("hex"))
    const backwards = Object.fromEntries(Object.entries(positions).reverse())
    for (const same of [{ positions: backwards }, { lag: "1s" }, { poll: { busy: "5s" } }]) {
      assert.equal(mappingOf(same), mappingOf())
    }
    const others = [
      mappingOf({ orders: [{ ...orders, price: "/price" }] }),
      mappingOf({ orders: [orders, { ...orders, list: "/data/b" }] }),
      mappingOf({ positions: { ...positions, quantity: "/quantity" } }),
      mappingOf({ equity }),
      mappingOf({ equity: { ...equity, value: "/data/margin_balance" } }),
    ]
    assert.equal(new Set([mappingOf(), ...others]).size, 6)
  })

  it("may say where equity is, which weighs as much as any other read", () => {
    const poll = profileOf(reads, account({ equity })).accountPoll
    assert.deepEqual([poll?.hasEquity, poll?.weight], [true, 6])
    assert.deepEqual(JSON.parse(JSON.stringify(poll?.map["equity"])), equity)
    assertRefused(account({ equity: "/data/equity" }), /account\.equity/)
    assertRefused(account({ equity: { ...equity, path: "/v1/account/equity" } }), /\$account/)
    const path = "/v1/worth/$account"
    assertRefused(
      account({ equity: { ...equity, path } }),
      /no group of reads has \/v1\/worth\/0x1/,
    )
  })

  it("has up to 16,384 characters that are handed on", () => {
    const fixed = JSON.stringify({ orders: [{ ...orders, more: "" }], positions }).length
    const more = (length: number) => withOrders({ more: "m".repeat(length) })
    assert.deepEqual(problems(more(16_384 - fixed)), [])
    assertRefused(
      more(16_385 - fixed),
      /:3:\d+: what is to be read takes more than 16384 characters/,
    )
  })

  for (const [lag, lagMs] of [
    ["0ms", 0],
    ["1ms", 1],
    ["60s", 60_000],
    ["60001ms", undefined],
    ["-1s", undefined],
    ["soon", undefined],
  ] as const) {
    it(`${lagMs === undefined ? "can't" : "can"} have a lag of ${lag}`, () => {
      if (lagMs === undefined) assertRefused(account({ lag }), /0ms to 60s.*account\.lag/)
      else assert.equal(profileOf(reads, account({ lag })).accountPoll?.lagMs, lagMs)
    })
  }

  for (const [poll, isGood] of [
    [{ busy: "999ms" }, false],
    [{ busy: "1s" }, true],
    [{ busy: "60s", idle: "60s" }, true],
    [{ busy: "60001ms", idle: "10m" }, false],
    [{ busy: "5s", idle: "4999ms" }, false],
    [{ idle: "1s", busy: "1s" }, true],
    [{ idle: "10m" }, true],
    [{ idle: "600001ms" }, false],
    [{ often: "1s" }, false],
  ] as const) {
    it(`${isGood ? "can" : "can't"} be read at ${JSON.stringify(poll)}`, () => {
      assert.equal(problems(account({ poll })).length, isGood ? 0 : 1)
    })
  }

  it("isn't read less often when busy", () => {
    assertRefused(account({ poll: { busy: "31s" } }), /:3:\d+: idle is shorter than busy/)
  })
})

describe("the accounts of account", () => {
  it("are one at least", () => {
    assertRefused(account({ accounts: {} }), /expected at least one account/)
  })

  it("have an address, once", () => {
    assertRefused(account({ accounts: { main: {} } }), /address/)
    assertRefused(account({ accounts: { main: { address: `${one}1` } } }), /expected an address/)
    assertRefused(
      account({
        accounts: { a: { address: one }, b: { address: one.toUpperCase().replace("X", "x") } },
      }),
      /this is the address of a too/,
    )
  })

  it("have a name, a mode and no other key", () => {
    assertRefused(account({ accounts: { "My account": { address: one } } }), /My account/)
    const main = { address: one, position_mode: "net" }
    assertRefused(account({ accounts: { main } }), /expected one_way or hedge/)
    assertRefused(account({ accounts: { main: { address: one, key: "mm" } } }), /key/)
  })
})

describe("the lists of account", () => {
  for (const path of [
    "/v1/trade/orders",
    "/v1/trade/orders?account={id}&a=$account",
    "/v2/trade/$account",
    "/v1/trade/../$account",
    "/v1/trade/**/$account",
    "/v1/trade/orders?a=$account#b",
    "https://evil.example/v1/trade/$account",
    `/v1/trade/$account/${"a".repeat(190)}`,
  ]) {
    it(`aren't read at ${path.slice(0, 50)}`, () => {
      assertRefused(withOrders({ path }), /\$account.* \(at account\.orders\.0\.path\)$/)
      assertRefused(withPositions({ path }), /\$account.* \(at account\.positions\.path\)$/)
    })
  }

  it("are refused where no group has their path: what a reading weighs would be a guess", () => {
    const path = "/v1/orders/$account?a=trade"
    const message = /:3:\d+: no group of reads has \/v1\/orders\/0x1{40}\?a=trade, so its weight/
    assertRefused(withOrders({ path }), message)
    assertRefused(withPositions({ path }), message)
  })

  it("have a path each", () => {
    assertRefused(withOrders({ path: undefined }), /expected something to read, with its path/)
    assertRefused(withPositions({ path: undefined }), /\(at account\.positions\)$/)
    assertRefused(account({ lagg: "3s" }), /something to read, .* \(at account\.lagg\)$/)
  })

  it("are none where a client reads the accounts, which weighs nothing", () => {
    const fed = account({ orders: undefined, positions: undefined })
    const poll = profileOf(fed).accountPoll
    assert.deepEqual([poll?.isFed, poll?.weight, poll?.lagMs, poll?.map], [true, 0, 3_000, {}])
    assert.equal(poll?.hasEquity, true)
  })
})

describe("what readings of accounts weigh", () => {
  const heavy = { ...positions, path: "/v1/explorer/positions/$account" } // 40, and 2 of orders

  it("leaves half of the IP budget to orders, at the pace of busy", () => {
    assert.deepEqual(problems(account({ positions: heavy, poll: { busy: "4200ms" } })), [])
    assertRefused(
      account({ positions: heavy, poll: { busy: "4199ms" } }),
      /:3:\d+: this weighs 601 a minute, and at most 600 leave room/,
    )
  })

  it("is that of every account", () => {
    const named = (count: number) =>
      Array.from({ length: count }, (_, index) => [
        `a${index}`,
        { address: `0x${`${index}`.padStart(40, "0")}` },
      ])
    const accounts = (count: number) => Object.fromEntries(named(count)) as Section
    assert.deepEqual(problems(account({ accounts: accounts(5) })), [])
    assertRefused(account({ accounts: accounts(6) }), /this weighs 720 a minute/)
  })

  it("comes on top of what price_poll weighs", () => {
    const prices = (every: string) =>
      `price_poll: {path: /v1/explorer/prices, symbol: /name, value: /mark, every: ${every}}`
    const symbols = "symbols: [{id: 1, name: BTC-PERP, market: perp, quote: USD}]"
    assert.deepEqual(problemsOf(reads, account(), symbols, prices("5s")), [])
    assert.match(
      problemsOf(reads, account(), symbols, prices("4999ms")).join(),
      /this and price_poll weigh 601 a minute/,
    )
  })
})
