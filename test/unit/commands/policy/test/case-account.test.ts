import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseCases } from "../../../../../src/commands/policy/test/parse-cases.ts"
import { unreachedBy } from "../../../../../src/commands/policy/test/report.ts"
import { runCase } from "../../../../../src/commands/policy/test/run-case.ts"
import { sandboxProfile, sandboxUrl } from "../../../../../src/sandbox/profile.ts"
import { problemText } from "../../../../../src/std/yaml-file.ts"
import { parseFileSet } from "../../../../../src/vault/config/load-files.ts"
import { valuedAccount } from "../../../../support/guarded-account.ts"

const policy = `policy: p
rules: [{name: trade, endpoints: [placeOrder]}]
guards:
  - {name: size, max_position: {BTC-PERP: {net: "1"}}, max_open_orders: 3}
  - {name: day, daily_loss: {max: "5000", zone: UTC}}
`

function filesWith(account: string) {
  const set = parseFileSet([
    { name: "countersign.yaml", text: "keystore: {backend: memory}\n" },
    { name: "venue.yaml", text: sandboxProfile({ url: sandboxUrl, asOf: new Date(0) }) + account },
    { name: "policies/p.yaml", text: policy },
  ])
  assert.ok(set.ok, set.ok ? "" : set.error.map(problemText).join("\n"))
  return set.value
}

type Asked = {
  readonly account: string
  readonly quantity?: string
  readonly isBuy?: boolean
  readonly more?: string
  readonly keys?: string
  readonly venue?: string
}

/** A case of a limit order at the reference price. */
function parsed({ account, quantity = "0.5", isBuy = true, ...rest }: Asked) {
  const { more = "", keys = "{mm: {}}", venue = valuedAccount } = rest
  const files = filesWith(venue)
  const text = `clients: [bot]
keys: ${keys}
cases:
  - name: an order
    client: bot
    key: mm
    operation: placeOrder
    body: '{"symbol_id": 1, "is_buy": ${isBuy}, "order_type": "limit", "price": "64000", "quantity": "${quantity}"${more}}'
    prices: {BTC-PERP: "64000"}
    account: ${account}
    expect: deny
`
  return { files, read: parseCases({ file: "c.yaml", text }, files) }
}

function resultOf(asked: Asked) {
  const { files, read } = parsed(asked)
  assert.ok(read.ok, read.ok ? "" : read.error.map(problemText).join("\n"))
  const [written] = read.value.cases
  assert.ok(written)
  return { files, result: runCase(written, read.value, files) }
}

const gotOf = (asked: Asked) => resultOf(asked).result.got
const allowed = { verdict: "allow", rules: ["p/trade"], reason: null }
const denied = (guard: string, reason = "guard_exceeded") => {
  return { verdict: "deny", rules: [`p/${guard}`], reason }
}
const equity = 'equity: "10000"'

describe("a case with what its account shows", () => {
  it("is judged by guards on positions, to the last unit", () => {
    const account = `{positions: [{symbol: BTC-PERP, quantity: "0.3"}], orders: [{symbol: BTC-PERP, is_buy: true, remaining: "0.2"}], ${equity}}`
    assert.deepEqual(gotOf({ account }), allowed)
    assert.deepEqual(gotOf({ account, quantity: "0.500001" }), denied("size"))
    assert.deepEqual(gotOf({ account, isBuy: false, quantity: "0.6" }), allowed)
    const reducing = account.replace('"0.2"', '"0.2", reduce_only: true')
    assert.deepEqual(gotOf({ account: reducing, quantity: "0.7" }), allowed)
    const short = account.replace('"0.3"', '"-0.3"')
    assert.deepEqual(gotOf({ account: short, isBuy: false, quantity: "0.71" }), denied("size"))
  })

  it("is judged by guards on open orders", () => {
    const orders = (count: number) =>
      `{orders: [${Array(count).fill('{symbol: ETH-PERP, is_buy: true, remaining: "1"}').join(", ")}], ${equity}}`
    const prices = { quantity: "0.1" }
    // The shock on what ETH-PERP comes to needs its price, which the case doesn't have: so it is refused by the guard on losses.
    assert.deepEqual(gotOf({ account: orders(2), ...prices }), denied("day", "guard_unreadable"))
    assert.deepEqual(gotOf({ account: orders(3), ...prices }), denied("size"))
  })

  it("is judged by guards on losses, from what the account had to what it has", () => {
    // 0.1 of 64000 costs 0.1 % in fees and 1 % in shock: 70.4.
    const lost = (had: string) => ({ account: `{${equity}, had: "${had}"}`, quantity: "0.1" })
    assert.deepEqual(gotOf(lost("14929.6")), allowed)
    assert.deepEqual(gotOf(lost("14929.7")), denied("day"))
  })

  it("can't be judged on losses by an old reading, or by one without equity", () => {
    const ago = (time: string) => ({ account: `{${equity}, read_ago: ${time}}` })
    assert.deepEqual(gotOf(ago("60s")), allowed)
    assert.deepEqual(gotOf(ago("61s")), denied("day", "guard_unreadable"))
    assert.deepEqual(gotOf({ account: "{orders: []}" }), denied("day", "guard_unreadable"))
  })

  it("refuses what surely can't reduce anything", () => {
    const more = ', "flags": ["reduce_only"]'
    const held = `{positions: [{symbol: BTC-PERP, quantity: "0.3"}], ${equity}}`
    assert.deepEqual(gotOf({ account: held, more, isBuy: false }), allowed)
    assert.deepEqual(gotOf({ account: held, more }), denied("size", "nothing_to_reduce"))
  })

  it("is of the key's own account, or of its wallet's, unless the file gives that an address", () => {
    const account = `{${equity}}`
    for (const keys of ["{mm: {role: wallet}}", "{mm: {wallet: w}, w: {role: wallet}}"]) {
      assert.deepEqual(gotOf({ account, keys, quantity: "2" }), denied("size"), keys)
    }
    const address = `"0x${"1".repeat(40)}"`
    const keys = `{mm: {wallet: w}, w: {role: wallet, address: ${address}}}`
    assert.deepEqual(gotOf({ account, keys }), denied("size", "guard_unreadable"))
  })

  it("reaches the guard that refuses, and no other", () => {
    const { files, result } = resultOf({ account: `{${equity}}`, quantity: "2" })
    assert.equal(result.failure, null)
    const guards = unreachedBy([result], files.policies).filter(({ kind }) => kind === "guard")
    assert.deepEqual(
      guards.map(({ entry, line }) => [entry, line]),
      [["day", 5]],
    )
  })

  for (const [what, account, says, venue] of [
    [
      "an unknown symbol",
      '{positions: [{symbol: BTC-PRP, quantity: "1"}]}',
      /unknown symbol.*account\.positions\.0/,
    ],
    ["a number that isn't one", '{equity: "lots"}', /is a number where.*account\.equity/],
    [
      "an unknown account",
      "{name: other}",
      /which account of venue\.yaml it is: main.*account\.name/,
    ],
    [
      "equity that venue.yaml doesn't read",
      `{${equity}}`,
      /isn't there elsewhere/,
      valuedAccount.replace(/^ {2}equity.*\n/m, ""),
    ],
    ["no account in venue.yaml", "{orders: []}", /venue\.yaml has no account/, ""],
  ] as const) {
    it(`tells of ${what} at its place`, () => {
      const { read } = parsed({ account, ...(venue === undefined ? {} : { venue }) })
      assert.ok(!read.ok)
      assert.match(read.error.map(problemText).join("\n"), says)
    })
  }
})
