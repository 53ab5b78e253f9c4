import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { judge } from "../../../../src/vault/policy/judge.ts"
import { circumstances, order, placing, policiesOf } from "../../../support/policy-case.ts"

const base = [
  "endpoints: [placeOrder, placeBatch]",
  "symbols: [BTC-PERP, ETH-PERP]",
  "client_order_id: 'mm-.*'",
  "hours: {zone: UTC, days: [thu, fri, sat], to: '24:00'}",
  "where: [{pointer: /a, present: false}, {pointer: /b, present: false}]",
  "count: requests",
  "window: 1h",
  "max: '5'",
]

const request = {
  ...placing(order({ clientOrderId: "mm-1", positionSide: "both", marginMode: "cross" })),
  client: "bot",
}
const given = circumstances({ nowMs: Date.UTC(2026, 10, 20, 12) })

function file(name: string, lines: readonly string[], head = ""): string {
  const limit = lines.map((line) => `    ${line}`).join("\n")
  const rule = "  - {name: all, endpoints: [placeOrder]}"
  return `policy: p\n${head}\nrules:\n${rule}\nlimits:\n  - name: ${name}\n${limit}\n`
}

/** The meter of the one claim that a limit makes of the same request. */
function meterOf(lines: readonly string[], name = "one", head = ""): string {
  const policies = policiesOf(file(name, lines, head))
  const decision = judge(request, policies, given)
  assert.equal(decision.kind, "allow")
  assert.equal(decision.claims.length, 1)
  return decision.claims[0]?.meter ?? ""
}

/** The base with the line of one key changed, or one added. */
function withLine(line: string): readonly string[] {
  const key = line.slice(0, line.indexOf(":") + 1)
  return [...base.filter((other) => !other.startsWith(key)), line]
}

describe("a claim's meter", () => {
  it("stays the same from start to start, so that what is stored with it goes on counting", () => {
    assert.equal(meterOf(base), `e9cc935dfea0238c3ffd179cf5be80df:["",""]`)
  })

  it("stays when a limit is renamed, raised, observed, releases, or is written in another order", () => {
    const same = [
      meterOf(base, "renamed"),
      meterOf(withLine("max: '500'")),
      meterOf(withLine("mode: observe")),
      meterOf(withLine("release: refused")),
      meterOf(withLine("per: all")),
      meterOf(base.toReversed()),
      meterOf(withLine("endpoints: [placeBatch, placeOrder, placeBatch]")),
      meterOf(withLine("symbols: ['2', BTC-PERP]")),
      meterOf(withLine("hours: {zone: UTC, days: [sat, fri, thu]}")),
      meterOf(withLine("where: [{pointer: /b, present: false}, {pointer: /a, present: false}]")),
      meterOf(withLine("window: 60m")),
    ]
    assert.deepEqual([...new Set(same)], [meterOf(base)])
  })

  it("changes with everything that says what is counted", () => {
    const lines = [
      "endpoints: [placeOrder]",
      "symbols: [BTC-PERP]",
      "sides: [buy]",
      "order_types: [limit]",
      "time_in_force: [gtc]",
      "forbid_flags: [post_only]",
      "position_sides: [both]",
      "margin_modes: [cross]",
      "stp_modes: [cancel_maker]",
      "algo_order_types: [none]",
      "client_order_id: 'mm-[0-9]*'",
      'target_addresses: ["0x1111111111111111111111111111111111111111"]',
      "hours: {zone: UTC, days: [thu, fri, sat], from: '00:01'}",
      "hours: {zone: Europe/Berlin, days: [thu, fri, sat]}",
      "where: [{pointer: /a, present: false}]",
      "count: orders",
      "window: 2h",
      "per: client",
      "per: key",
      "per: account",
      "per: symbol",
    ]
    const meters = lines.map((line) => meterOf(withLine(line)))
    const heads = ["applies_to: {clients: [bot]}", "applies_to: {keys: [bot-agent]}"]
    const all = [meterOf(base), ...meters, ...heads.map((head) => meterOf(base, "one", head))]
    assert.equal(new Set(all).size, all.length)
  })

  it("tells a calendar day from a duration, and one zone's day from another's", () => {
    const day = (zone: string) => meterOf([...withLine("window: day"), `zone: ${zone}`])
    const all = [meterOf(withLine("window: 24h")), day("UTC"), day("Europe/Berlin")]
    assert.equal(new Set(all).size, all.length)
  })

  it("tells fields, and what they are amounts of, apart", () => {
    const withdraw = {
      ...request,
      operation: "placeOrder",
      body: { x: "1", y: "1", s: "U" },
    } as const
    const sums = [
      "{pointer: /x}",
      "{pointer: /y}",
      "{pointer: /x, by: /s}",
      "{pointer: /x, by: /y}",
    ]
    const meters = sums.map((sum) => {
      const lines = ["endpoints: [placeOrder]", `sum: ${sum}`, "window: 1h", "max: '5'"]
      const listed = "where: [{pointer: /s, equals: U}, {pointer: /y, equals: '1'}]"
      const text = file("one", lines).replace("[placeOrder]}", `[placeOrder], ${listed}}`)
      const decision = judge(withdraw, policiesOf(text), given)
      assert.equal(decision.kind, "allow")
      return decision.claims[0]?.meter
    })
    assert.equal(new Set(meters).size, sums.length)
  })
})
