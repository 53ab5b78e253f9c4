import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { accountProblems } from "../../../../src/commands/installation/checked-files.ts"
import { problemText } from "../../../../src/std/yaml-file.ts"

const one = "0x1111111111111111111111111111111111111111"

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

/** `account:` as a line of YAML; a key that is `undefined` is left out. */
function account(changes: Section = {}): string {
  const section = { accounts: { main: { address: one } }, orders: [orders], positions, ...changes }
  return `account: ${JSON.stringify(section)}`
}

const withOrders = (changes: Section) => account({ orders: [{ ...orders, ...changes }] })
const withPositions = (changes: Section) => account({ positions: { ...positions, ...changes } })
const problems = (line: string) =>
  accountProblems(`extends: builtin\n${line}\n`, "venue.yaml").map(problemText)

function assertRefused(line: string, problem: RegExp): void {
  const [first = "", ...others] = problems(line)
  assert.match(first, problem)
  assert.deepEqual(others, [])
}

describe("what account says of answers", () => {
  it("may be left out with account", () => {
    assert.deepEqual(problems("base_url: https://api.example"), [])
  })

  it("is nothing where a client reads the accounts, nor is there a pace", () => {
    const fed = { orders: undefined, positions: undefined }
    assert.deepEqual(problems(account(fed)), [])
    assertRefused(
      account({ ...fed, poll: { busy: "2s" } }),
      /:2:\d+: a client reads these accounts/,
    )
  })

  it("is of orders and positions both, whatever else there is", () => {
    const needed = /orders and positions are both needed/
    assertRefused(account({ orders: undefined }), needed)
    assertRefused(account({ positions: undefined }), needed)
    const equity = { path: "/v1/$account", value: "/a" }
    assertRefused(account({ orders: undefined, positions: undefined, equity }), needed)
  })

  it("is of nothing else", () => {
    const read = { path: "/v1/$account", list: "/a" }
    assertRefused(account({ position: read }), /unknown key "position"; did you mean "positions"\?/)
  })

  it("is of 1 to 4 lists of orders", () => {
    const lists = [1, 2, 3, 4, 5].map((n) => ({ ...orders, path: `/v1/trade/${n}/$account` }))
    assertRefused(account({ orders: [] }), /expected at least one list/)
    assert.deepEqual(problems(account({ orders: lists.slice(0, 4) })), [])
    assertRefused(account({ orders: lists }), /expected at most 4 lists/)
  })

  it("reads each once; an answer may have several", () => {
    assertRefused(account({ orders: [orders, orders] }), /would count twice/)
    assert.deepEqual(problems(account({ orders: [orders, { ...orders, list: "/data/b" }] })), [])
  })

  it("needs the side of every order and position where one account is in hedge mode", () => {
    const accounts = { main: { address: one, position_mode: "hedge" } }
    const side = { position_side: "/side" }
    const good = { ...orders, ...side }
    const all = { accounts, orders: [good], positions: { ...positions, ...side } }
    assert.deepEqual(problems(account(all)), [])
    const without = /main is in hedge mode, .* add position_side/
    assertRefused(account({ ...all, positions }), without)
    const second = { ...orders, path: "/v1/trade/stops/$account" }
    assertRefused(account({ ...all, orders: [good, second] }), without)
  })

  for (const key of ["path", "list", "symbol", "side", "remaining"]) {
    it(`of orders need ${key}`, () => {
      assertRefused(withOrders({ [key]: undefined }), new RegExp(`\\b${key}\\b`))
    })
  }

  for (const key of ["path", "list", "symbol", "quantity", "sign"]) {
    it(`of positions need ${key}`, () => {
      assertRefused(withPositions({ [key]: undefined }), new RegExp(`\\b${key}\\b`))
    })
  }

  for (const [change, problem] of [
    [{ symbol: "symbol" }, /expected a JSON Pointer/],
    [{ equity: "/equity" }, /equity/],
    [{ remaining: { from: "/a" } }, /\/quantity, or \{from/],
    [{ remaining: { from: "/a", less: "/b", more: "/c" } }, /unknown key "more"/],
    [{ remaining: "quantity" }, /\/quantity, or \{from/],
    [{ side: { at: "/is_buy", buy: "true" } }, /sell/],
    [{ side: { at: "/is_buy", buy: "1", sell: "1" } }, /buy and sell can't be the same/],
    [{ side: { at: "/is_buy", buy: "", sell: "1" } }, /expected 1 to 64 characters/],
    [{ side: { at: "/is_buy", buy: "b".repeat(65), sell: "1" } }, /expected 1 to 64 characters/],
    [{ reduce_only: "/reduce_only" }, /reduce_only/],
    [{ reduce_only: { at: "/a" } }, /\bis\b/],
  ] as const) {
    it(`of orders can't say ${JSON.stringify(change).slice(0, 60)}`, () => {
      assertRefused(withOrders(change), problem)
    })
  }

  for (const [equity, problem] of [
    [{ path: "/v1/$account" }, /\bvalue\b/],
    [{ path: "/v1/$account", value: "data" }, /expected a JSON Pointer/],
    [{ path: "/v1/$account", value: "/a", currency: "USD" }, /\bcurrency\b/],
    [{ path: "/v1/$account", value: "/a", currency: { at: "/c" } }, /\bis\b/],
    [{ path: "/v1/$account", value: "/a", list: "/b" }, /unknown key "list"/],
  ] as const) {
    it(`of equity can't say ${JSON.stringify(equity)}`, () => {
      assertRefused(account({ equity }), problem)
    })
  }

  for (const [change, problem] of [
    [{ sign: "unsigned" }, /expected signed, or \{at/],
    [{ sign: { at: "/side", long: "long" } }, /expected signed, or \{at/],
    [{ sign: { at: "/side", long: "b", short: "b" } }, /long and short can't be the same/],
    [{ remaining: "/quantity" }, /remaining/],
  ] as const) {
    it(`of positions can't say ${JSON.stringify(change)}`, () => {
      assertRefused(withPositions(change), problem)
    })
  }
})
