import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { guardRoom } from "../../../../src/commands/policy/guard-room.ts"
import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { problemText } from "../../../../src/std/yaml-file.ts"
import { parseFileSet } from "../../../../src/vault/config/load-files.ts"
import { guardedAccount, valuedAccount } from "../../../support/guarded-account.ts"

type Written = {
  readonly guard: string
  readonly rule?: string
  readonly limits?: string
  readonly account?: string
  readonly settings?: string
}

const quote = 'endpoints: [placeOrder], symbols: [BTC-PERP], max_quantity: "0.5"'
const fifth = '{name: pace, count: requests, window: 5s, max: "2"}'

/** What is said of one guard and one rule. */
function said({ guard, rule = quote, limits = fifth, ...files }: Written) {
  const { account = guardedAccount, settings = "" } = files
  const policy = `policy: p
rules: [{name: quote, ${rule}}, {name: out, endpoints: [placeOrder], require_flags: [reduce_only]}]
${
  limits === ""
    ? ""
    : `limits: [${limits}]
`
}guards: [{name: g, ${guard}}]
`
  const set = parseFileSet([
    { name: "countersign.yaml", text: `keystore: {backend: memory}\n${settings}` },
    { name: "venue.yaml", text: sandboxProfile({ url: sandboxUrl, asOf: new Date(0) }) + account },
    { name: "policies/p.yaml", text: policy },
  ])
  assert.ok(set.ok, set.ok ? "" : set.error.map(problemText).join("\n"))
  return guardRoom(set.value)
}

const net = (max: string): string => `max_position: {BTC-PERP: {net: "${max}"}}`
const room = (written: Written) => said(written).notes.join("\n")
const slow = guardedAccount.replace("busy: 2s", "busy: 20s")

describe("what a guard has room for", () => {
  it("is told with every figure that it comes of", () => {
    assert.deepEqual(said({ guard: net("2.4") }), {
      warnings: [],
      notes: [
        "p/g (policies/p.yaml:4) has room for 4 of the largest order that p/quote allows: max_position net 2.4, 0.5 each in BTC-PERP. One takes room for up to 26s (15s valid, 2s skew, 3s lag, 3s until the next reading, 3s for that). In that time p/pace lets 12 be signed, which fills it",
      ],
    })
  })

  it("goes by the shorter of the rule's validity and the usual one, and by the accounts that are read in turn", () => {
    const rule = (most: string) => `${quote}, max_expires_in: ${most}`
    assert.match(room({ guard: net("9"), rule: rule("5s") }), /up to 16s \(5s valid/)
    assert.match(room({ guard: net("9"), rule: rule("1m") }), /up to 26s \(15s valid/)
    const settings = "expires_in: {trade: 4s}\n"
    assert.match(room({ guard: net("9"), settings }), /up to 15s \(4s valid/)
    const account = guardedAccount.replace(
      "accounts: {",
      'accounts: {other: {address: "0x1111111111111111111111111111111111111111"}, ',
    )
    assert.match(room({ guard: net("9"), account }), /up to 29s .*, 6s until the next reading,/)
  })

  it("has no time until the next reading where a client reads", () => {
    const [head = ""] = guardedAccount.split("  poll:")
    assert.match(
      room({ guard: net("9"), account: head }),
      /for at least 23s \(.*, however long until a client reads, 3s for that\)/,
    )
  })

  it("is that of the bound with the least, each in the unit that the rule bounds", () => {
    const rule = `${quote}, max_notional: "1000"`
    const of = (guard: string) => room({ guard, rule })
    assert.match(of(`${net("9")}, max_open_orders: 3`), /room for 3 .*: max_open_orders 3\./)
    assert.match(of(`${net("9")}, max_open_orders: 20`), /room for 18 .*: max_position net 9, 0\.5/)
    assert.match(
      of('max_open_notional: "5999", max_open_orders: 6'),
      /room for 5 .*: max_open_notional 5999, 1000 each in BTC-PERP\./,
    )
    assert.match(
      of('max_position: {default: {notional: "2000"}}'),
      /room for 2 .*: max_position notional 2000, 1000 each/,
    )
  })

  it("isn't told where the rule has no size in the guard's unit, for losses alone, and of what only reduces", () => {
    const unsized = "endpoints: [placeOrder]"
    for (const [guard, rule] of [
      [net("2"), unsized],
      ['max_open_notional: "10"', quote],
      ["max_open_orders: 2", `${quote}, require_flags: [reduce_only]`],
      ["max_open_orders: 2", "endpoints: [cancelAll]"],
      [net("2"), quote.replace("BTC", "ETH")],
    ] as const) {
      assert.deepEqual(said({ guard, rule }), { warnings: [], notes: [] }, rule)
    }
    const losses = said({ guard: 'drawdown: {max: "5"}', account: valuedAccount })
    assert.deepEqual(losses, { warnings: [], notes: [] })
  })

  it("is nothing to tell of where no account is read: another warning says so", () => {
    assert.deepEqual(said({ guard: net("0.1"), account: "" }), { warnings: [], notes: [] })
  })

  it("warns where not one order of the largest size fits, and not where one does exactly", () => {
    const { warnings, notes } = said({ guard: net("0.499") })
    assert.deepEqual(notes, [])
    assert.deepEqual(warnings, [
      "p/g (policies/p.yaml:4) has no room for the largest order that p/quote allows: max_position net 0.499, 0.5 each in BTC-PERP; raise the guard, or lower what the rule allows",
    ])
    assert.deepEqual(said({ guard: net("0.5") }).warnings, [])
  })
})

describe("the pace that limits allow", () => {
  const paced = (limits: string, rule = quote) => room({ guard: net("500"), limits, rule })

  it("is the least of those that count all that the rule opens", () => {
    const orders = '{name: o, count: orders, window: 1m, max: "7"}'
    assert.match(paced(`${fifth}, ${orders}`), /p\/o lets 7 be signed$/)
    assert.match(paced(fifth), /p\/pace lets 12 be signed$/)
    assert.match(paced('{name: d, count: orders, window: day, zone: UTC, max: "7"}'), /lets 7 be/)
  })

  it("isn't known where a limit counts less, something else, or only observes", () => {
    for (const [limits, rule] of [
      ["", quote],
      ['{name: n, sum: submitted_notional, window: 1m, max: "7"}', quote],
      ['{name: n, count: requests, window: 1m, max: "7", mode: observe}', quote],
      ['{name: n, count: requests, window: 1m, max: "7", sides: [buy]}', quote],
      ['{name: n, count: requests, window: 1m, max: "7", symbols: [ETH-PERP]}', quote],
      ['{name: n, count: requests, window: 1m, max: "7", lane: reduce}', quote],
      [
        '{name: n, count: requests, window: 1m, max: "7", endpoints: [placeOrder]}',
        quote.replace("placeOrder", "placeOrder, placeBatch"),
      ],
    ] as const) {
      assert.match(
        paced(limits, rule),
        /No limit says how many may be signed in that time$/,
        limits,
      )
    }
  })

  it("counts requests against positions, and not against open orders where a batch has many", () => {
    const batches = quote.replace("placeOrder", "placeOrder, placeBatch")
    const ask = { guard: "max_open_orders: 50" }
    assert.match(room({ ...ask, rule: batches }), /No limit says/)
    assert.match(room(ask), /p\/pace lets 12 be signed/)
    assert.match(paced(fifth, batches), /p\/pace lets 12 be signed/)
  })

  it("warns where it fills the guard for want of readings alone", () => {
    const [rare] = said({ guard: net("6"), account: slow }).warnings
    assert.match(
      rare ?? "",
      /room for 12 .* up to 43s .* 20s until .* lets 18 be signed, which fills it; read more often it wouldn't: lower busy of poll in venue\.yaml$/,
    )
    assert.deepEqual(said({ guard: net("6") }).warnings, [], "12 of 12")
    assert.deepEqual(said({ guard: net("5.5"), account: slow }).warnings, [], "full at any pace")
    assert.deepEqual(said({ guard: net("9"), account: slow }).warnings, [], "never full")
  })
})
