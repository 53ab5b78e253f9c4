import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"

import { problemText } from "../../../../src/std/yaml-file.ts"
import { readPolicies, readPolicyFile } from "../../../../src/vault/policy/policy-file.ts"
import { operationIds } from "../../../../src/venue/profile.ts"
import { decimal, policiesOf, ruleFile, denyFile } from "../../../support/policy-case.ts"
import { testProfile } from "../../../support/test-profile.ts"

const profile = testProfile()

/** Every problem of a file as people read it. */
function problemsOf(text: string): readonly string[] {
  const read = readPolicies([{ file: "p.yaml", text }], profile)
  return read.ok ? [] : read.error.map(problemText)
}

function ruleOf(...lines: readonly string[]) {
  const rule = policiesOf(ruleFile(...lines))[0]?.rules[0]
  assert.ok(rule)
  return rule
}

describe("readPolicies", () => {
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
      ].join("\n"),
    )
    assert.equal(policy?.name, "market-maker")
    assert.deepEqual(policy.appliesTo, { clients: ["mm-bot"], keys: ["mm-agent"] })
    assert.deepEqual(
      [...policy.rules, ...policy.deny].map(({ name, line }) => [name, line]),
      [
        ["quote", 5],
        ["get-out", 7],
        ["none", 9],
      ],
    )
  })

  it("takes files by name, whatever the order in which they are given", () => {
    const files = ["b", "a", "c"].map((name) => ({
      file: `${name}.yaml`,
      text: `policy: ${name}\n`,
    }))
    const read = readPolicies(files, profile)
    assert.ok(read.ok)
    assert.deepEqual(
      read.value.map(({ name }) => name),
      ["a", "b", "c"],
    )
  })

  it("reads a file without anything but comments as no policy", () => {
    for (const text of ["", "\n\n", "# only\n  # comments\r\n"]) {
      assert.deepEqual(readPolicies([{ file: "p.yaml", text }], profile), { ok: true, value: [] })
    }
  })

  it("tells the problems of all files at once", () => {
    const read = readPolicies(
      [
        { file: "b.yaml", text: "policy: b\nrulez: []\n" },
        { file: "a.yaml", text: ruleFile("max_notionl: '1'", "endpoints: [place]") },
      ],
      profile,
    )
    assert.ok(!read.ok)
    assert.deepEqual(read.error.map(problemText), [
      `a.yaml:5:17: must be one of ${operationIds.join(", ")} (at rules.0.endpoints.0)`,
      'a.yaml:4:5: unknown key "max_notionl" (at rules.0)',
      'b.yaml:2:1: unknown key "rulez"',
    ])
  })

  it("refuses a policy name that another file has, and an entry name that another entry has", () => {
    const read = readPolicies(
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
    const twice = `${ruleFile("sides: [buy]")}\ndeny:\n  - {name: rule, sides: [buy]}\n`
    assert.deepEqual(problemsOf(twice), [
      "p.yaml:6:6: rule is the name of another entry too; give each its own",
    ])
  })
})

describe("a rule", () => {
  it("covers what makes orders when it speaks of orders and names no endpoints", () => {
    const making = ["placeOrder", "modifyOrder", "chaseOrder", "placeBatch", "modifyBatch"]
    for (const line of ["sides: [buy]", "forbid_flags: [post_only]", "max_quantity: '1'"]) {
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
      "price_match_band: 1.5%",
      "allow_full_tpsl: true",
      "agent_addresses: ['0x3333333333333333333333333333333333333333']",
      "max_valid_days: 120",
    )
    assert.deepEqual(rule.maxQuantity, { kind: "scalar", max: decimal("1.10") })
    assert.deepEqual(rule.maxNotional, {
      kind: "by_symbol",
      maxBySymbol: new Map([
        [7, decimal("0")],
        [1, decimal("5")],
      ]),
      defaultMax: decimal("2.5"),
    })
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
  ...["endpoints", "symbols", "sides", "order_types", "time_in_force", "require_flags", "forbid_flags", "agent_addresses", "authorized_addresses"].map((key) => ({
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
  ...["max_expires_in: 10s", "where: []", "lane: reduce", "__proto__: 1", "Sides: [buy]"].map((line) => ({
    lines: ["sides: [buy]", line],
    problem: line.startsWith("__") ? `5:5: "__proto__" can't be a key` : `5:5: unknown key "${line.split(":")[0] ?? ""}" (at rules.0)`,
  })),
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
        `p.yaml:7:5: deny takes matchers only; write ${key} in a rule (at deny.0.${key})`,
      ])
    }
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

const examplePath = new URL("../../../../policies/example.yaml", import.meta.url)

describe("policies/example.yaml", () => {
  const text = readFileSync(examplePath, "utf8")

  it("allows nothing as it is: it loads as no policy", () => {
    assert.deepEqual(readPolicyFile(text, "example.yaml", profile.symbols), {
      ok: true,
      value: undefined,
    })
  })

  it("loads with its comments taken off, and shows every key that a rule can have", () => {
    const active = text.replaceAll(/^# /gm, "")
    const [policy] = policiesOf(active)
    assert.deepEqual(
      policy?.rules.map(({ name }) => name),
      ["quote", "cross", "get-out", "approve-agents"],
    )
    assert.equal(policy.deny.length, 2)
    const keys = active.match(/^ {4}([a-z_]+):/gm)?.map((key) => key.trim().slice(0, -1))
    const expected = [
      ["endpoints", "symbols", "sides", "order_types", "time_in_force"],
      ["require_flags", "forbid_flags", "max_quantity", "max_notional", "price_match_band"],
      ["allow_full_tpsl", "agent_addresses", "authorized_addresses", "max_valid_days"],
    ].flat()
    assert.deepEqual([...new Set(keys)].sort(), [...expected].sort())
  })
})
