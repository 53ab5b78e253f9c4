import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"

import { policyJsonSchema } from "../../../../../packaging/policy-json-schema.ts"
import { problemText } from "../../../../../src/std/yaml-file.ts"
import { parsePolicies } from "../../../../../src/vault/policy/file/policy-file.ts"
import { operationIds } from "../../../../../src/venue/profile.ts"
import {
  decimal,
  denyFile,
  holdFile,
  limitFile,
  policiesOf,
  ruleFile,
} from "../../../../support/policy-case.ts"
import { testProfile } from "../../../../support/test-profile.ts"

const profile = testProfile()

/** Every problem of a file as people read it. */
function problemsOf(text: string): readonly string[] {
  const read = parsePolicies([{ file: "p.yaml", text }], profile)
  return read.ok ? [] : read.error.map(problemText)
}

function ruleOf(...lines: readonly string[]) {
  const rule = policiesOf(ruleFile(...lines))[0]?.rules[0]
  assert.ok(rule)
  return rule
}

describe("parsePolicies", () => {
  it("reads a policy with the lines of its entries", () => {
    const [policy] = policiesOf(
      [
        "# who",
        "policy: market-maker",
        "applies_to: {clients: [mm-bot], keys: [mm-agent]}",
        "rules:",
        "  - name: quote",
        "    endpoints: [placeOrder]",
        "  - {name: get-out, endpoints: [cancelOrder]}",
        "deny:",
        "  - name: none",
        "    sides: [sell]",
        "limits:",
        "  - {name: burst, count: orders, window: 1s, max: '4'}",
        "hold:",
        "  - name: agents",
        "    endpoints: [approveAgent]",
        "reads: [/v1/market/**]",
      ].join("\n"),
    )
    assert.equal(policy?.name, "market-maker")
    assert.deepEqual(policy.appliesTo, { clients: ["mm-bot"], keys: ["mm-agent"] })
    assert.deepEqual(
      [...policy.rules, ...policy.deny, ...policy.limits, ...policy.hold].map(({ name, line }) => [
        name,
        line,
      ]),
      [
        ["quote", 5],
        ["get-out", 7],
        ["none", 9],
        ["burst", 12],
        ["agents", 14],
      ],
    )
    assert.deepEqual(policy.reads, ["/v1/market/**"])
  })

  it("takes files by name, whatever the order in which they are given", () => {
    const files = ["b", "a", "c"].map((name) => ({
      file: `${name}.yaml`,
      text: `policy: ${name}\n`,
    }))
    const read = parsePolicies(files, profile)
    assert.ok(read.ok)
    assert.deepEqual(
      read.value.map(({ name }) => name),
      ["a", "b", "c"],
    )
  })

  it("doesn't pass over a file as comments whose line ends by a carriage return alone", () => {
    for (const ending of ["\r", "\u0085", "\u2028"]) {
      const parsed = parsePolicies(
        [{ file: "p.yaml", text: `# denials${ending}policy: p\n` }],
        profile,
      )
      assert.ok(!parsed.ok)
      assert.match(problemText(parsed.error[0]!), /^p\.yaml:1:10: .*ends a line for some readers/)
    }
  })

  it("reads a file without anything but comments as no policy", () => {
    for (const text of ["", "\n\n", "# only\n  # comments\r\n"]) {
      assert.deepEqual(parsePolicies([{ file: "p.yaml", text }], profile), { ok: true, value: [] })
    }
  })

  it("tells the problems of all files at once", () => {
    const read = parsePolicies(
      [
        { file: "b.yaml", text: "policy: b\nrulez: []\n" },
        { file: "a.yaml", text: ruleFile("max_notionl: '1'", "endpoints: [place]") },
      ],
      profile,
    )
    assert.ok(!read.ok)
    assert.deepEqual(read.error.map(problemText), [
      `a.yaml:5:17: must be one of ${operationIds.join(", ")} (at rules.0.endpoints.0)`,
      'a.yaml:4:5: unknown key "max_notionl"; did you mean "max_notional"? (at rules.0)',
      'b.yaml:2:1: unknown key "rulez"; did you mean "rules"?',
    ])
  })

  it("refuses a policy name that another file has, and an entry name that another entry has", () => {
    const read = parsePolicies(
      [
        { file: "a.yaml", text: "policy: same\n" },
        { file: "b.yaml", text: "# second\npolicy: same\n" },
      ],
      profile,
    )
    assert.ok(!read.ok)
    assert.deepEqual(read.error.map(problemText), [
      "b.yaml:2:1: policy same is in a.yaml too; give one of them another name",
    ])
    const inAll = `${ruleFile("sides: [buy]")}\nlimits:\n  - {name: rule, count: orders, window: 1h, max: '1'}\nhold:\n  - {name: rule}\n`
    assert.deepEqual(problemsOf(inAll), [
      "p.yaml:6:6: rule is the name of another entry too; give each its own",
      "p.yaml:8:6: rule is the name of another entry too; give each its own",
    ])
    const twice = `${ruleFile("sides: [buy]")}\ndeny:\n  - {name: rule, sides: [buy]}\n`
    assert.deepEqual(problemsOf(twice), [
      "p.yaml:6:6: rule is the name of another entry too; give each its own",
    ])
  })
})

describe("a rule", () => {
  it("covers what makes orders when it speaks of orders and names no endpoints", () => {
    const making = ["placeOrder", "modifyOrder", "chaseOrder", "placeBatch", "modifyBatch"]
    for (const line of [
      "sides: [buy]",
      "forbid_flags: [post_only]",
      "client_order_id: x",
      "max_quantity: '1'",
      "min_quantity: '1'",
      "price_band: 1%",
      "max_slippage: '0.1'",
    ]) {
      assert.deepEqual([...ruleOf(line).operations].sort(), [...making].sort())
    }
  })

  it("covers the endpoints that it names, whatever else it says", () => {
    const rule = ruleOf("endpoints: [placeOrder, cancelOrder]", "max_quantity: '1'")
    assert.deepEqual([...rule.operations], ["placeOrder", "cancelOrder"])
  })

  it("reads bounds as written", () => {
    const rule = ruleOf(
      "max_quantity: 1.10",
      "max_notional: {BTC-PERP: '5', '7': '0', default: 2.5}",
      "min_quantity: '0.001'",
      "price_band: 2.50%",
      "max_slippage: '0.01'",
      "max_expires_in: 10s",
      "price_match_band: 1.5%",
      "allow_full_tpsl: true",
      "agent_addresses: ['0x3333333333333333333333333333333333333333']",
      "max_valid_days: 120",
    )
    assert.deepEqual(rule.maxQuantity, { kind: "scalar", amount: decimal("1.10") })
    assert.deepEqual(rule.maxNotional, {
      kind: "by_symbol",
      amountBySymbol: new Map([
        [7, decimal("0")],
        [1, decimal("5")],
      ]),
      defaultAmount: decimal("2.5"),
    })
    assert.deepEqual(rule.minQuantity, { kind: "scalar", amount: decimal("0.001") })
    assert.deepEqual(rule.priceBand, decimal("0.0250"))
    assert.deepEqual(rule.maxSlippage, decimal("0.01"))
    assert.equal(rule.maxExpiresInMs, 10_000)
    assert.deepEqual(rule.priceMatchBand, decimal("0.015"))
    assert.equal(rule.allowFullTpsl, true)
    assert.deepEqual(rule.agentAddresses, ["0x3333333333333333333333333333333333333333"])
    assert.equal(rule.maxValidDays, 120)
  })

  it("holds approvals to 90 days and the agents held here when it says nothing", () => {
    for (const rule of [
      ruleOf("endpoints: [approveAgent]"),
      ruleOf("endpoints: [approveAgent]", "agent_addresses: held"),
    ]) {
      assert.equal(rule.maxValidDays, 90)
      assert.equal(rule.agentAddresses, "held")
      assert.deepEqual(rule.authorizedAddresses, [])
    }
  })
})

const nothingNamed = "must name at least one; or leave it out"
const notADecimal = "isn't a decimal number above zero such as 0.5"

// prettier-ignore
const refused: readonly { readonly lines: readonly string[]; readonly problem: string }[] = [
  { lines: ["price_match_band: 1%"], problem: "3:5: this rule would allow everything; name its endpoints (at rules.0)" },
  { lines: ["max_valid_days: '3'"], problem: "3:5: this rule would allow everything; name its endpoints (at rules.0)" },
  { lines: ["symbols: [BTC-PERP, DOGE]"], problem: `4:25: "DOGE" is not in venue.yaml's symbols; use its id or add it (at rules.0.symbols.1)` },
  { lines: ["max_quantity: {DOGE: '1'}"], problem: `4:20: "DOGE" is not in venue.yaml's symbols; use its id or add it (at rules.0.max_quantity.DOGE)` },
  { lines: ["max_quantity: {BTC-PERP: '1', '1': '2'}"], problem: "4:20: BTC-PERP is named twice, by name and by id (at rules.0.max_quantity.BTC-PERP)" },
  { lines: ["max_quantity: {}"], problem: "4:5: must name at least one symbol (at rules.0.max_quantity)" },
  { lines: ["max_quantity: {BTC-PERP: 1e3}"], problem: "4:20: must be a decimal number such as 0.5 (at rules.0.max_quantity.BTC-PERP)" },
  { lines: ["max_quantity: ['1']"], problem: "4:5: must be a number or a map from symbols to numbers (at rules.0.max_quantity)" },
  ...["-1", "+1", ".5", "1.", "01", "0x10", "1_000", "1e3", "NaN", "Infinity", "0", "0.00", "", "1%"].map((text) => ({
    lines: [`max_notional: "${text}"`],
    problem: `4:5: "${text}" ${notADecimal} (at rules.0.max_notional)`,
  })),
  ...["1", "1 %", "-1%", "%", "one%"].map((text) => ({
    lines: ["sides: [buy]", `price_match_band: "${text}"`],
    problem: "5:5: must be a percentage such as 1% (at rules.0.price_match_band)",
  })),
  ...[
    "endpoints", "symbols", "sides", "order_types", "time_in_force", "require_flags", "forbid_flags", "position_sides", "margin_modes",
    "stp_modes", "algo_order_types", "target_addresses", "where", "agent_addresses", "authorized_addresses",
  ].map((key) => ({
    lines: [`${key}: []`],
    problem: `4:5: ${nothingNamed} (at rules.0.${key})`,
  })),
  { lines: ["sides: [both]"], problem: "4:13: must be one of buy, sell (at rules.0.sides.0)" },
  { lines: ["sides:"], problem: "4:5: must be a list (at rules.0.sides)" },
  { lines: ["sides: buy"], problem: "4:5: must be a list (at rules.0.sides)" },
  { lines: ["order_types: [Limit]"], problem: "4:19: must be one of limit, market (at rules.0.order_types.0)" },
  { lines: ["time_in_force: [gtx]"], problem: "4:21: must be one of gtc, fok, ioc (at rules.0.time_in_force.0)" },
  { lines: ["require_flags: [post-only]"], problem: "4:21: must be one of post_only, reduce_only (at rules.0.require_flags.0)" },
  { lines: ["sides: [buy]", "allow_full_tpsl: yes"], problem: "5:5: must be true or false (at rules.0.allow_full_tpsl)" },
  { lines: ["endpoints: [approveAgent]", "agent_addresses: ['0x12']"], problem: `5:23: "0x12" isn't an address; write 0x and 40 hex digits, with a right checksum (at rules.0.agent_addresses.0)` },
  { lines: ["endpoints: [approveAgent]", "agent_addresses: all"], problem: "5:5: must be a list (at rules.0.agent_addresses)" },
  { lines: ["endpoints: [approveAgent]", "authorized_addresses: [held]"], problem: `5:28: "held" isn't an address; write 0x and 40 hex digits, with a right checksum (at rules.0.authorized_addresses.0)` },
  ...["0", "-1", "1.5", "4294967296", "many"].map((text) => ({
    lines: ["endpoints: [approveAgent]", `max_valid_days: "${text}"`],
    problem: "5:5: must be a whole number of days above zero (at rules.0.max_valid_days)",
  })),
  { lines: ["require_flags: [post_only]", "forbid_flags: [post_only]"], problem: "5:5: no order matches: a flag is required and forbidden (at rules.0.forbid_flags)" },
  { lines: ["order_types: [market]", "time_in_force: [ioc]"], problem: "5:5: no order matches: a market order has no time_in_force (at rules.0.time_in_force)" },
  { lines: ["order_types: [market]", "require_flags: [post_only]"], problem: "4:5: no order matches: a market order can't be post_only (at rules.0.order_types)" },
  { lines: ["require_flags: [post_only]", "time_in_force: [ioc, fok]"], problem: "5:5: no order matches: a post_only order is gtc (at rules.0.time_in_force)" },
  ...["1", "0s", "25h", "10 s"].map((text) => ({
    lines: ["endpoints: [placeOrder]", `max_expires_in: ${text}`],
    problem: "5:5: must be a duration from 1ms to 1d such as 10s (at rules.0.max_expires_in)",
  })),
  ...["1%", "1.0001", "-0.1", "x"].map((text) => ({
    lines: [`max_slippage: "${text}"`],
    problem: "4:5: must be a fraction such as 0.01, at most 1 (at rules.0.max_slippage)",
  })),
  { lines: ["min_quantity: '2'", "max_quantity: '1'"], problem: "4:5: no order matches: min_quantity is over max_quantity (at rules.0.min_quantity)" },
  { lines: ["position_sides: [none]"], problem: "4:22: must be one of both, long, short (at rules.0.position_sides.0)" },
  { lines: ["margin_modes: [Cross]"], problem: "4:20: must be one of cross, isolated (at rules.0.margin_modes.0)" },
  { lines: ["stp_modes: [maker]"], problem: "4:17: must be one of cancel_maker, cancel_taker, cancel_both, none (at rules.0.stp_modes.0)" },
  { lines: ["algo_order_types: [oco]"], problem: "4:24: must be one of conditional, tpsl, attached_tpsl, none (at rules.0.algo_order_types.0)" },
  { lines: ["client_order_id: ''"], problem: "4:5: must be a regular expression of 1 to 200 characters (at rules.0.client_order_id)" },
  { lines: ["client_order_id: '(a'"], problem: "4:5: isn't a regular expression in RE2's syntax: missing closing ): `(a` (at rules.0.client_order_id)" },
  { lines: ["endpoints: [placeOrder]", "target_addresses: [me]"], problem: `5:24: "me" isn't an address; write 0x and 40 hex digits, with a right checksum (at rules.0.target_addresses.0)` },
  { lines: ["label: a", "sides: [buy]"], problem: "3:5: no request matches: its keys speak of different operations, as label and symbols do (at rules.0)" },
  ...["hours: {zone: UTC, from: '08:00'}", "where: [{pointer: /a, present: true}]", `target_addresses: ["0x${"1".repeat(40)}"]`, "max_expires_in: 10s"].map((line) => ({
    lines: [line],
    problem: "3:5: this rule would allow everything; name its endpoints (at rules.0)",
  })),
  { lines: ["endpoints: [transfer]", "hours: {zone: Europe/Bonn, to: '18:00'}"], problem: `5:13: "Europe/Bonn" isn't a time zone; write one such as Europe/Berlin or UTC (at rules.0.hours.zone)` },
  { lines: ["endpoints: [transfer]", "hours: {zone: UTC}"], problem: "5:5: must say days, from or to (at rules.0.hours)" },
  { lines: ["endpoints: [transfer]", "hours: {days: [mon]}"], problem: "5:5: must be given (at rules.0.hours.zone)" },
  { lines: ["endpoints: [transfer]", "hours: {zone: UTC, days: [monday]}"], problem: "5:31: must be one of mon, tue, wed, thu, fri, sat, sun (at rules.0.hours.days.0)" },
  { lines: ["endpoints: [transfer]", "hours: {zone: UTC, from: '10:00', to: '10:00'}"], problem: "5:5: from and to are the same; leave both out for the whole day (at rules.0.hours)" },
  { lines: ["endpoints: [transfer]", "hours: {zone: UTC, to: '00:00'}"], problem: "5:5: from and to are the same; leave both out for the whole day (at rules.0.hours)" },
  ...["24:00", "8:00", "08:60", "0800", "08:00:00", "-1:00"].map((text) => ({
    lines: ["endpoints: [transfer]", `hours: {zone: UTC, from: "${text}"}`],
    problem: "5:24: must be a time of day from 00:00 to 23:59 (at rules.0.hours.from)",
  })),
  ...["24:01", "25:00"].map((text) => ({
    lines: ["endpoints: [transfer]", `hours: {zone: UTC, to: "${text}"}`],
    problem: "5:24: must be a time of day from 00:00 to 24:00 (at rules.0.hours.to)",
  })),
  { lines: ["endpoints: [transfer]", "where: [{pointer: /a}]"], problem: "5:13: must say equals, in, matches, min, max or present (at rules.0.where.0)" },
  { lines: ["endpoints: [transfer]", "where: [{equals: a}]"], problem: "5:13: must be given (at rules.0.where.0.pointer)" },
  ...["amount", "", "/", "/a~2"].map((pointer) => ({
    lines: ["endpoints: [transfer]", `where: [{pointer: "${pointer}", equals: a}]`],
    problem: "5:14: must be a JSON Pointer such as /amount (at rules.0.where.0.pointer)",
  })),
  { lines: ["endpoints: [transfer]", "where: [{pointer: /a, present: true, equals: a}]"], problem: "5:13: present stands alone; write the rest as another condition on the same pointer (at rules.0.where.0)" },
  { lines: ["endpoints: [transfer]", "where: [{pointer: /a, in: [b], equals: a}]"], problem: "5:13: must have equals or in, not both (at rules.0.where.0)" },
  { lines: ["endpoints: [transfer]", "where: [{pointer: /a, min: '2', max: '1.9'}]"], problem: "5:13: no value matches: min is over max (at rules.0.where.0)" },
  { lines: ["endpoints: [transfer]", "where: [{pointer: /a, max: 1e3}]"], problem: `5:27: "1e3" isn't a decimal number such as 0.5 (at rules.0.where.0.max)` },
  { lines: ["endpoints: [transfer]", "where: [{pointer: /a, present: maybe}]"], problem: "5:27: must be true or false (at rules.0.where.0.present)" },
  ...["lane: reduce", "ttl: 1m", "max: '1'", "__proto__: 1"].map((line) => ({
    lines: ["sides: [buy]", line],
    problem: line.startsWith("__") ? `5:5: "__proto__" can't be a key` : `5:5: unknown key "${line.split(":")[0] ?? ""}" (at rules.0)`,
  })),
  { lines: ["sides: [buy]", "Sides: [buy]"], problem: `5:5: unknown key "Sides"; did you mean "sides"? (at rules.0)` },
]

describe("loading refuses", () => {
  for (const { lines, problem } of refused) {
    it(`${lines.join(" / ")}: ${problem}`, () => {
      assert.deepEqual(problemsOf(ruleFile(...lines)), [`p.yaml:${problem}`])
    })
  }

  it("a bound in deny, and says where it belongs", () => {
    for (const bound of [
      "max_quantity: '1'",
      "max_notional: '1'",
      "price_match_band: 1%",
      "allow_full_tpsl: true",
      "agent_addresses: held",
      "authorized_addresses: []",
      "max_valid_days: '3'",
    ]) {
      const key = bound.split(":")[0] ?? ""
      assert.deepEqual(problemsOf(denyFile("sides: [buy]", bound)), [
        `p.yaml:7:5: deny takes matchers, over_quantity and over_notional; write ${key} in a rule (at deny.0.${key})`,
      ])
    }
  })

  it("a bound in limits and in hold, and says where it belongs", () => {
    const limit = limitFile("count: requests", "window: 1h", "max: '1'", "max_notional: '1'")
    assert.deepEqual(problemsOf(limit), [
      "p.yaml:9:5: limits takes matchers and what is counted over time; write max_notional in a rule (at limits.0.max_notional)",
    ])
    assert.deepEqual(problemsOf(holdFile("price_band: 1%")), [
      "p.yaml:6:5: hold takes matchers, over_quantity, over_notional and a ttl; write price_band in a rule (at hold.0.price_band)",
    ])
  })

  it("a contradiction in deny, where it would stop nothing", () => {
    assert.deepEqual(problemsOf(denyFile("order_types: [market]", "time_in_force: [ioc]")), [
      "p.yaml:7:5: no order matches: a market order has no time_in_force (at deny.0.time_in_force)",
    ])
  })

  it("an applies_to that names nobody, rather than reading it as everyone", () => {
    for (const line of ["applies_to: {}", "applies_to:", "applies_to: {clients: []}"]) {
      assert.equal(problemsOf(`policy: p\n${line}\n`).length, 1, line)
    }
  })

  it("a file without a name, an entry without a name, an empty list of rules and text that isn't YAML", () => {
    for (const text of [
      "rules:\n  - {name: a, sides: [buy]}\n",
      "policy: p\nrules:\n  - {sides: [buy]}\n",
      "policy: p\nrules: []\n",
      "policy: p\nrules:\n",
      "policy: [\n",
      "- policy\n",
      "---\n",
      "policy: p\npolicy: q\n",
      "policy: p\n---\npolicy: q\n",
    ]) {
      assert.notDeepEqual(problemsOf(text), [], text)
    }
  })
})

const limited = ["count: requests", "window: 1h", "max: '1'"]

/** The lines of a limit with those of some keys changed or added. */
function limitWith(...lines: readonly string[]): string {
  const keys = lines.map((line) => line.slice(0, line.indexOf(":") + 1))
  return limitFile(...limited.filter((line) => !keys.some((key) => line.startsWith(key))), ...lines)
}

const badWindow =
  "must be a duration from 1s to 31d such as 1h, or day, or ever (at limits.0.window)"

// prettier-ignore
const refusedLimits: readonly { readonly file: string; readonly problem: string }[] = [
  { file: limitFile("window: 1h", "max: '1'"), problem: "5:5: must have one of sum and count (at limits.0)" },
  { file: limitWith("sum: submitted_notional"), problem: "5:5: must have one of sum and count (at limits.0)" },
  { file: limitFile("count: requests", "max: '1'"), problem: `5:5: ${badWindow}` },
  { file: limitFile("count: requests", "window: 1h"), problem: "5:5: must be given (at limits.0.max)" },
  ...["999ms", "0s", "32d", "week", "1", "60"].map((window) => ({ file: limitWith(`window: ${window}`), problem: `8:5: ${badWindow}` })),
  { file: limitWith("window: day"), problem: "8:5: needs a zone: whose day it is (at limits.0.window)" },
  ...["key", "account"].map((per) => ({ file: limitWith("window: ever", `per: ${per}`), problem: "9:5: can't be key or account with window: ever: a key's successor would begin anew (at limits.0.per)" })),
  { file: limitWith("window: ever", "release: refused"), problem: "9:5: can't be refused with window: ever: what was signed counts for good (at limits.0.release)" },
  { file: limitWith("window: ever", "per: symbol"), problem: "5:5: must be listed, since window: ever keeps what it counts of each for good (at limits.0.symbols)" },
  { file: limitFile("endpoints: [withdraw]", "window: ever", "max: '1'", "sum: {pointer: /amount, by: /asset}"), problem: "9:5: can't have by with window: ever, since a body could begin a sum for good with any text (at limits.0.sum)" },
  { file: limitWith("window: ever", "zone: UTC"), problem: "9:5: goes with window: day alone (at limits.0.zone)" },
  { file: limitWith("zone: UTC"), problem: "9:5: goes with window: day alone (at limits.0.zone)" },
  { file: limitWith("window: day", "zone: Mars"), problem: `9:5: "Mars" isn't a time zone; write one such as Europe/Berlin or UTC (at limits.0.zone)` },
  ...["0", "-1", "1e3", "", "0.0"].map((max) => ({ file: limitWith(`max: "${max}"`), problem: `8:5: "${max}" isn't a decimal number above zero such as 0.5 (at limits.0.max)` })),
  { file: limitWith("max: '1.5'"), problem: "8:5: must be a whole number, since the limit counts (at limits.0.max)" },
  { file: limitWith("count: fills"), problem: "8:5: must be one of requests, orders (at limits.0.count)" },
  { file: limitWith("per: bot"), problem: "9:5: must be one of client, key, symbol, account, all (at limits.0.per)" },
  { file: limitWith("lane: cancel"), problem: "9:5: must be one of reduce (at limits.0.lane)" },
  { file: limitWith("mode: warn"), problem: "9:5: must be one of enforce, observe (at limits.0.mode)" },
  { file: limitWith("release: always"), problem: "9:5: must be one of never, refused (at limits.0.release)" },
  { file: limitFile("window: 1h", "max: '1'", "sum: notional"), problem: "8:5: must be one of submitted_notional, submitted_quantity, worst_cost (at limits.0.sum)" },
  { file: limitFile("window: 1h", "max: '1'", "sum: [a]"), problem: "8:5: must be submitted_notional, submitted_quantity, worst_cost or a pointer into the body (at limits.0.sum)" },
  { file: limitFile("window: 1h", "max: '1'", "sum: {pointer: x}"), problem: "8:11: must be a JSON Pointer such as /amount (at limits.0.sum.pointer)" },
  { file: limitFile("window: 1h", "max: '1'", "sum: {pointer: /x, per: /y}"), problem: `8:24: unknown key "per" (at limits.0.sum)` },
  { file: limitFile("window: 1h", "max: '1'", "sum: {pointer: /x}"), problem: "8:5: needs endpoints: the operations whose body has this field (at limits.0.sum)" },
  { file: limitFile("window: 1h", "max: '1'", "endpoints: [transfer]", "sum: {pointer: /x}", "per: symbol"), problem: "10:5: a field of the body belongs to no symbol; tell assets apart with by (at limits.0.per)" },
  { file: limitWith("endpoints: [placeOrder, cancelOrder, cancelAll]", "per: symbol"), problem: "10:5: needs orders, and none are made by cancelOrder, cancelAll (at limits.0.per)" },
  { file: limitFile("window: 1h", "max: '1'", "sum: submitted_quantity", "endpoints: [cancelOrder]"), problem: "9:5: nothing would be counted: no orders are made by cancelOrder (at limits.0.endpoints)" },
  { file: limitFile("window: 1h", "max: '1'", "sum: worst_cost", "endpoints: [cancelOrder]"), problem: "9:5: nothing would be counted: no orders are made by cancelOrder (at limits.0.endpoints)" },
  { file: limitWith("require_flags: [post_only]", "forbid_flags: [post_only]"), problem: "10:5: no order matches: a flag is required and forbidden (at limits.0.forbid_flags)" },
  ...["999ms", "25h", "1", "never"].map((ttl) => ({ file: holdFile(`ttl: ${ttl}`), problem: "6:5: must be a duration from 1s to 24h such as 15m (at hold.0.ttl)" })),
  ...["/v2/a", "/v1/", "/v1/a*", "market/**"].map((path) => ({ file: `policy: p\nreads: ["${path}"]\n`, problem: "2:9: must be a path such as /v1/market/**, where * and ** stand for whole segments (at reads.0)" })),
  { file: "policy: p\nreads: []\n", problem: "2:1: must name at least one; or leave it out (at reads)" },
  { file: "policy: p\nlimits: []\n", problem: "2:1: must name at least one; or leave it out (at limits)" },
  { file: "policy: p\nhold:\n", problem: "2:1: must be a list (at hold)" },
]

describe("loading limits, holds and reads refuses", () => {
  for (const { file, problem } of refusedLimits) {
    const written = file.split("\n").slice(file.includes("name: entry") ? 5 : 1)
    it(`${written.map((line) => line.trim()).join(" / ")}: ${problem}`, () => {
      assert.deepEqual(problemsOf(file), [`p.yaml:${problem}`])
    })
  }

  it("nothing at the edges of what it allows", () => {
    for (const file of [
      limitWith("window: 1s"),
      limitWith("window: 31d"),
      limitWith("max: '1.00'"),
      limitWith("window: day", "zone: Europe/Berlin"),
      limitWith("per: symbol"),
      limitWith("endpoints: [placeOrder]", "per: symbol"),
      limitFile(
        "sum: submitted_notional",
        "window: 1h",
        "max: '0.01'",
        "endpoints: [placeOrder, transfer]",
      ),
      limitFile("sum: worst_cost", "window: ever", "max: '0.01'", "per: client"),
      holdFile("ttl: 1s"),
      holdFile("ttl: 24h"),
    ]) {
      assert.deepEqual(problemsOf(file), [], file)
    }
  })
})

describe("a limit", () => {
  const limitOf = (...lines: readonly string[]) => {
    const limit = policiesOf(limitWith(...lines))[0]?.limits[0]
    assert.ok(limit)
    return limit
  }

  it("is enforced, gives nothing back and holds for all together when it says nothing", () => {
    const { mode, release, per, lane, window } = limitOf()
    assert.deepEqual([mode, release, per, lane], ["enforce", "never", "all", undefined])
    assert.deepEqual(window, { kind: "rolling", lengthMs: 3_600_000 })
  })

  it("covers everything, or what makes orders where it speaks of orders", () => {
    assert.equal(limitOf().operations.size, operationIds.length)
    for (const line of ["count: orders", "per: symbol", "sides: [buy]"]) {
      assert.equal(limitOf(line).operations.size, 5, line)
    }
  })
})

const examplePath = new URL("../../../../../policies/example.yaml", import.meta.url)

describe("policies/example.yaml", () => {
  const text = readFileSync(examplePath, "utf8")

  it("allows nothing as it is: it loads as no policy", () => {
    const read = parsePolicies([{ file: "example.yaml", text }], profile)
    assert.deepEqual(read, { ok: true, value: [] })
  })

  it("loads with its comments taken off, and shows every key that an entry can have", () => {
    const active = text.replaceAll(/^# /gm, "")
    const [policy] = policiesOf(active)
    assert.deepEqual(
      policy?.rules.map(({ name }) => name),
      ["quote", "cross", "get-out", "approve-agents", "sweep"],
    )
    const { deny, limits, guards, hold, reads } = policy
    const lists = [deny, limits, guards, hold, reads]
    assert.deepEqual(
      lists.map(({ length }) => length),
      [3, 3, 4, 2, 1],
    )
    const written = active.match(/^ {2}(?: {2}|- )([a-z_]+):/gm)
    const keys = written?.map((key) => key.replaceAll(/[ :-]/g, ""))
    assert.deepEqual([...new Set(keys)].sort(), [...entryKeys()].sort())
  })
})

/** The keys of every list's entries, as the JSON Schema has them. */
function entryKeys(): ReadonlySet<string> {
  type List = { readonly items: { readonly properties: object } }
  const { properties } = policyJsonSchema() as { readonly properties: Record<string, List> }
  const lists = ["rules", "deny", "limits", "guards", "hold"]
  return new Set(lists.flatMap((list) => Object.keys(properties[list]?.items.properties ?? {})))
}
