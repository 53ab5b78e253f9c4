import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { coveredFor, judge, mayRead } from "../../../../src/vault/policy/judge.ts"
import type { JudgedRequest } from "../../../../src/vault/policy/match/judged-request.ts"
import { operationIds } from "../../../../src/venue/profile.ts"
import { coversPath, isPathPattern } from "../../../../src/venue/read-paths.ts"
import {
  circumstances,
  decide,
  decimal,
  denyFile,
  leg,
  marketOrder,
  order,
  outcomeOf,
  placing,
  placingBatch,
  policiesOf,
  requestFor,
  ruleFile,
} from "../../../support/policy-case.ts"

const placeAnything = "  - {name: all, endpoints: [placeOrder]}"

describe("judge", () => {
  it("refuses every operation without a policy, and says who asked", () => {
    for (const operation of operationIds) {
      const decision = judge(requestFor(operation), [], circumstances())
      assert.equal(decision.kind, "refuse")
      assert.deepEqual(decision.denial, {
        policy: null,
        rule: null,
        reason: "no_policy_applies",
        file: null,
        line: null,
        asked: "client bot with key bot-agent",
        allowed: null,
      })
    }
  })

  it("refuses what no rule covers, and says what rules cover", () => {
    const decision = decide(
      ruleFile("endpoints: [placeOrder, cancelOrder]"),
      requestFor("transfer"),
    )
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.reason, "no_rule_covers_endpoint")
    assert.equal(decision.denial.asked, "transfer")
    assert.equal(decision.denial.allowed, "cancelOrder, placeOrder")
    const none = decide("policy: empty\n", requestFor("transfer"))
    assert.equal(none.kind, "refuse")
    assert.equal(none.denial.allowed, null)
  })

  it("names the rule that allows", () => {
    const decision = decide(ruleFile("endpoints: [placeOrder]"), placing(order()))
    assert.equal(decision.kind, "allow")
    assert.equal(decision.rule, "test/rule")
  })

  it("applies a policy to the clients and keys that it names, both of them", () => {
    const ask = (appliesTo: string) => {
      const file = `policy: p\napplies_to: ${appliesTo}\nrules:\n${placeAnything}\n`
      return outcomeOf(decide(file, placing(order())))
    }
    assert.equal(ask("{clients: [other, bot]}"), "allow")
    assert.equal(ask("{keys: [bot-agent]}"), "allow")
    assert.equal(ask("{clients: [bot], keys: [bot-agent]}"), "allow")
    assert.equal(ask("{clients: [other]}"), "no_policy_applies")
    assert.equal(ask("{clients: [bot], keys: [other]}"), "no_policy_applies")
    assert.equal(ask("{clients: [other], keys: [bot-agent]}"), "no_policy_applies")
    assert.equal(ask("{clients: [bot-agent]}"), "no_policy_applies")
  })

  it("lets a deny of one file beat a rule of another", () => {
    const rules = ruleFile("endpoints: [placeOrder]")
    const denies = "policy: denies\ndeny:\n  - name: no-market\n    order_types: [market]\n"
    for (const texts of [
      [rules, denies],
      [denies, rules],
    ]) {
      const decision = judge(placing(marketOrder()), policiesOf(...texts), circumstances())
      assert.equal(decision.kind, "refuse")
      assert.equal(decision.denial.reason, "denied_by_rule")
      assert.equal(decision.denial.policy, "denies")
      assert.equal(decision.denial.rule, "no-market")
      assert.equal(decision.denial.line, 3)
      assert.equal(decision.denial.asked, "market buy of 0.5 BTC-PERP")
      assert.equal(judge(placing(order()), policiesOf(...texts), circumstances()).kind, "allow")
    }
  })

  it("lets a deny of a policy for others alone", () => {
    const rules = ruleFile("endpoints: [placeOrder]")
    const others =
      "policy: others\napplies_to: {clients: [other]}\ndeny:\n  - {name: stop, sides: [buy]}\n"
    const decision = judge(placing(order()), policiesOf(rules, others), circumstances())
    assert.equal(decision.kind, "allow")
  })

  it("denies whole operations, and everything with a deny that asks nothing", () => {
    const endpoint = denyFile("endpoints: [cancelOrder]")
    assert.equal(outcomeOf(decide(endpoint, requestFor("cancelOrder"))), "denied_by_rule")
    assert.equal(outcomeOf(decide(endpoint, placing(order()))), "allow")
    const everything = `${ruleFile("endpoints: [cancelOrder]")}\ndeny:\n  - name: stop\n`
    assert.equal(outcomeOf(decide(everything, requestFor("cancelOrder"))), "denied_by_rule")
  })

  it("denies a batch when one item matches, and names that item", () => {
    const decision = decide(
      denyFile("order_types: [market]"),
      placingBatch(order(), marketOrder({ symbolId: 2 }), order()),
    )
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.asked, "market buy of 0.5 ETH-PERP")
  })

  it("allows a batch by one rule as a whole, never by two rules in parts", () => {
    const file = [
      "policy: p",
      "rules:",
      "  - {name: bitcoin, symbols: [BTC-PERP]}",
      "  - {name: ether, symbols: [ETH-PERP]}",
    ].join("\n")
    const ether = order({ symbolId: 2 })
    assert.equal(outcomeOf(decide(file, placingBatch(order(), order()))), "allow")
    assert.equal(outcomeOf(decide(file, placingBatch(ether, ether))), "allow")
    assert.equal(outcomeOf(decide(file, placingBatch(order(), ether))), "symbol_not_allowed")
  })

  it("explains a refusal by the rule that got furthest", () => {
    const file = [
      "policy: p",
      "rules:",
      "  - {name: ether, symbols: [ETH-PERP]}",
      "  - {name: sells, symbols: [BTC-PERP], sides: [sell]}",
      "  - {name: small, symbols: [BTC-PERP], max_quantity: '0.4'}",
      "  - {name: cancels, endpoints: [cancelOrder]}",
    ].join("\n")
    const decision = decide(file, placing(order()))
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.rule, "small")
    assert.equal(decision.denial.reason, "quantity_over_max")
    assert.equal(decision.denial.asked, "0.5 BTC-PERP")
    assert.equal(decision.denial.allowed, "0.4")
    assert.equal(decision.denial.line, 5)
  })

  it("names the first rule that allows, and else the first of those that came equally far", () => {
    const files = policiesOf(
      "policy: first\nrules:\n  - {name: ether, symbols: [ETH-PERP]}\n  - {name: sells, symbols: [BTC-PERP], sides: [sell]}",
      "policy: second\nrules:\n  - {name: small, order_types: [limit], max_quantity: '0.4'}\n  - {name: large, order_types: [limit], max_quantity: '0.5'}\n  - {name: any, sides: [buy, sell], order_types: [limit]}",
    )
    const told = (request: JudgedRequest, policies = files) => {
      const decision = judge(request, policies, circumstances())
      if (decision.kind !== "refuse") return decision.rule
      const { policy, rule, reason } = decision.denial
      return `${policy}/${rule}: ${reason}`
    }
    assert.equal(told(placing(order())), "second/large")
    assert.equal(told(placingBatch(order(), order({ symbolId: 2 }))), "second/large")
    assert.equal(told(placing(marketOrder())), "second/small: order_type_not_allowed")
    assert.equal(told(placingBatch(order(), marketOrder())), "second/small: order_type_not_allowed")
    assert.equal(told(placing(order()), files.slice(0, 1)), "first/sells: side_not_allowed")
    assert.equal(told(requestFor("transfer")), "null/null: no_rule_covers_endpoint")
  })

  it("explains a refusal by policies for the client alone", () => {
    const nearest =
      "policy: nearest\napplies_to: {clients: [other]}\nrules:\n  - {name: small, max_quantity: '0.4'}\n"
    const policies = policiesOf(nearest, ruleFile("symbols: [ETH-PERP]"))
    const decision = judge(placing(order()), policies, circumstances())
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.rule, "rule")
    assert.equal(decision.denial.reason, "symbol_not_allowed")
  })

  it("says in words what was asked and what is allowed", () => {
    const denialOf = (line: string, placed = order()) => {
      const decision = decide(ruleFile(line), placing(placed))
      assert.equal(decision.kind, "refuse")
      return [decision.denial.asked, decision.denial.allowed]
    }
    assert.deepEqual(denialOf("symbols: [ETH-PERP, '7']"), ["BTC-PERP", "ETH-PERP, symbol 7"])
    assert.deepEqual(denialOf("sides: [sell]"), ["buy", "sell"])
    assert.deepEqual(denialOf("time_in_force: [ioc]"), ["gtc", "ioc"])
    assert.deepEqual(denialOf("time_in_force: [ioc]", marketOrder()), ["none", "ioc"])
    assert.deepEqual(denialOf("require_flags: [post_only]"), ["flags none", "with post_only"])
    assert.deepEqual(denialOf("forbid_flags: [post_only]", order({ flags: ["post_only"] })), [
      "flags post_only",
      "without post_only",
    ])
  })

  it("gives a verdict for every entry of every applicable policy", () => {
    const file = [
      "policy: p",
      "rules:",
      "  - {name: small, max_quantity: '0.4'}",
      "  - {name: large, max_quantity: '4'}",
      "  - {name: cancels, endpoints: [cancelOrder]}",
      "deny:",
      "  - {name: sells, sides: [sell]}",
      "  - {name: buys, sides: [buy]}",
    ].join("\n")
    const others = "policy: q\napplies_to: {clients: [other]}\ndeny:\n  - {name: all}\n"
    const decision = judge(placing(order()), policiesOf(file, others), circumstances())
    const place = { policy: "p", file: "0.yaml" }
    assert.deepEqual(decision.verdicts(), [
      { ...place, rule: "sells", line: 7, verdict: "does_not_match", reason: null },
      { ...place, rule: "buys", line: 8, verdict: "denies", reason: "denied_by_rule" },
      { ...place, rule: "small", line: 3, verdict: "does_not_match", reason: "quantity_over_max" },
      { ...place, rule: "large", line: 4, verdict: "allows", reason: null },
      {
        ...place,
        rule: "cancels",
        line: 5,
        verdict: "does_not_match",
        reason: "endpoint_not_covered",
      },
    ])
  })

  it("holds a leg to the whole rule, its size too", () => {
    const small = decimal("0.4")
    const file = ruleFile("sides: [buy, sell]", 'max_notional: "28000"')
    const tpsl = { mode: "partial", takeProfit: undefined, stopLoss: leg() } as const
    const withStop = order({ algoOrderType: "attached_tpsl", tpsl, quantity: small })
    assert.equal(outcomeOf(decide(file, placing(withStop))), "allow")
    const more = { ...withStop, quantity: decimal("0.41") }
    const decision = decide(file, placing(more))
    assert.equal(decision.kind, "refuse")
    assert.equal(
      decision.denial.asked,
      "28700 USD: 0.41 BTC-PERP at the stop-loss leg's trigger price 70000",
    )
  })
})

describe("require_idempotency", () => {
  const files = (line: string) =>
    policiesOf(
      `policy: test\n${line}\nrules:\n${placeAnything}\n  - {name: out, endpoints: [cancelAll]}`,
    )
  const outcome = (line: string, request: JudgedRequest) =>
    outcomeOf(judge(request, files(line), circumstances()))
  const keyed = (request: JudgedRequest): JudgedRequest => ({ ...request, isKeyed: true })

  it("refuses a request without an idempotency key, and takes the same one with a key", () => {
    for (const request of [placing(order()), requestFor("cancelAll")]) {
      assert.equal(outcome("require_idempotency: true", request), "idempotency_key_required")
      assert.equal(outcome("require_idempotency: true", keyed(request)), "allow")
      assert.equal(outcome("require_idempotency: false", request), "allow")
    }
  })

  it("names the file, its line, and what to send", () => {
    const decision = judge(
      requestFor("cancelAll"),
      files("require_idempotency: true"),
      circumstances(),
    )
    assert.equal(decision.kind, "refuse")
    assert.deepEqual(decision.denial, {
      policy: "test",
      rule: "require_idempotency",
      reason: "idempotency_key_required",
      file: "0.yaml",
      line: 2,
      asked: "cancelAll without an Idempotency-Key",
      allowed: "every request, cancels too, with an Idempotency-Key of its own",
    })
    assert.deepEqual(
      decision
        .verdicts()
        .filter(({ verdict }) => verdict === "denies")
        .map(({ rule }) => rule),
      ["require_idempotency"],
    )
  })

  it("holds as soon as one policy that applies asks for it, and never for others", () => {
    const own = files("")
    const strict = (clients: string) =>
      policiesOf(`policy: strict\napplies_to: {clients: [${clients}]}\nrequire_idempotency: true\n`)
    const among = (clients: string) =>
      outcomeOf(judge(placing(order()), [...own, ...strict(clients)], circumstances()))
    assert.equal(among("bot"), "idempotency_key_required")
    assert.equal(among("other"), "allow")
  })

  it("is told only of what the rules allow", () => {
    assert.equal(
      outcome("require_idempotency: true", requestFor("transfer")),
      "no_rule_covers_endpoint",
    )
  })
})

const bot = { client: "bot", key: "bot-agent" }

function reading(pattern: string, path: string): boolean {
  return mayRead(policiesOf(`policy: p\nreads: ["${pattern}"]\n`), bot, path)
}

describe("reads", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["/v1/market/ticker", "/v1/market/ticker", true],
    ["/v1/market/ticker", "/v1/market/tickers", false],
    ["/v1/market/ticker", "/v1/market/ticker/1", false],
    ["/v1/market/ticker", "/v1/market", false],
    ["/v1/market/ticker", "/v1/Market/ticker", false],
    ["/v1/market/*", "/v1/market/ticker", true],
    ["/v1/market/*", "/v1/market", false],
    ["/v1/market/*", "/v1/market/a/b", false],
    ["/v1/*/orders", "/v1/trade/orders", true],
    ["/v1/*/orders", "/v1/trade/x/orders", false],
    ["/v1/market/**", "/v1/market", true],
    ["/v1/market/**", "/v1/market/a", true],
    ["/v1/market/**", "/v1/market/a/b/c", true],
    ["/v1/market/**", "/v1/markets", false],
    ["/v1/**/orders", "/v1/orders", true],
    ["/v1/**/orders", "/v1/a/b/orders", true],
    ["/v1/**/orders", "/v1/a/orders/b/orders", true],
    ["/v1/**/orders", "/v1/a/orders/b", false],
    ["/v1/**/a/**/b", "/v1/x/a/a/y/b/b", true],
    ["/v1/**/a/**/b", "/v1/x/b/y/a", false],
    ["/v1/**/*", "/v1/a", true],
    ["/v1/**", "/v2/a", false],
  ]
  for (const [pattern, path, isCovered] of cases) {
    it(`${pattern} ${isCovered ? "covers" : "leaves out"} ${path}`, () => {
      assert.equal(reading(pattern, path), isCovered)
    })
  }

  it("cover no path that another reader could take for another one", () => {
    const strange = [
      "/v1/market/../account",
      "/v1/market/.",
      "/v1//market",
      "/v1/market/",
      "/v1/market/%2e%2e/account",
      "/v1/market%2faccount",
      "/v1/market\\account",
      "/v1/market?x=1",
      "/v1/market#x",
      "/v1/market/a b",
      "/v1/market/é",
      "v1/market",
      "",
      "/",
    ]
    for (const path of strange) assert.equal(reading("/v1/**", path), false, path)
  })

  it("are for those whom the file is for", () => {
    const read = (appliesTo: string, reader: Parameters<typeof mayRead>[1]) => {
      const text = `policy: p\napplies_to: ${appliesTo}\nreads: [/v1/market/**]\n`
      return mayRead(policiesOf(text), reader, "/v1/market/ticker")
    }
    assert.equal(read("{clients: [bot]}", bot), true)
    assert.equal(read("{clients: [bot]}", { client: "bot" }), true)
    assert.equal(read("{clients: [other]}", bot), false)
    assert.equal(read("{keys: [bot-agent]}", bot), true)
    assert.equal(read("{keys: [bot-agent]}", { client: "bot" }), false)
    assert.equal(read("{keys: [other]}", bot), false)
  })

  it("of several files add up, and without any nothing may be read", () => {
    const one = "policy: one\nreads: [/v1/market/**]\n"
    const two = "policy: two\nreads: [/v1/account/balance]\n"
    const policies = policiesOf(one, two)
    assert.equal(mayRead(policies, bot, "/v1/account/balance"), true)
    assert.equal(mayRead(policies, bot, "/v1/market/a"), true)
    assert.equal(mayRead(policies, bot, "/v1/account/orders"), false)
    assert.equal(mayRead([], bot, "/v1/market/a"), false)
  })

  it("allow no request", () => {
    const decision = decide("policy: p\nreads: [/v1/**]\n", requestFor("cancelOrder"))
    assert.equal(outcomeOf(decision), "no_rule_covers_endpoint")
  })
})

describe("a pattern of paths", () => {
  it("starts with /v1/ and has whole segments", () => {
    for (const text of [
      "/v1/a",
      "/v1/*",
      "/v1/**",
      "/v1/a.b/~c/d_e-f/1:2@3",
      `/v1/${"a".repeat(196)}`,
    ]) {
      assert.equal(isPathPattern(text), true, text)
    }
    const refused = [
      "",
      "/",
      "/v1",
      "/v1/",
      "v1/a",
      "/v2/a",
      "/v1//a",
      "/v1/a/",
      "/v1/a*",
      "/v1/***",
    ]
    const others = ["/v1/..", "/v1/./a", "/v1/a?b", "/v1/%61", "/v1/a b", `/v1/${"a".repeat(197)}`]
    for (const text of [...refused, ...others]) assert.equal(isPathPattern(text), false, text)
  })

  it("with many stars answers in time that doesn't explode", () => {
    const pattern = `/v1${"/**/a".repeat(30)}/b`
    assert.equal(coversPath(pattern, `/v1${"/a".repeat(5_000)}`), false)
  })
})

describe("what is covered for a client", () => {
  const covered = (appliesTo: string, keys: readonly string[]) => {
    const rules = "rules:\n  - {name: all, endpoints: [placeOrder, cancelOrder]}\n"
    const text = `policy: p\napplies_to: ${appliesTo}\n${rules}reads: [/v1/market/**]\n`
    const { operations, reads } = coveredFor(policiesOf(text), { name: "bot", keys })
    return [[...operations], reads]
  }
  const all = [["placeOrder", "cancelOrder"], ["/v1/market/**"]]
  const nothing = [[], []]

  for (const [what, appliesTo, expected] of [
    ["is what files for it have", "{clients: [bot]}", all],
    ["is nothing of files for others", "{clients: [other]}", nothing],
    ["is what files for one of its keys have", "{keys: [second]}", all],
    ["is nothing of files for other keys", "{keys: [third]}", nothing],
  ] as const) {
    it(what, () => assert.deepEqual(covered(appliesTo, ["first", "second"]), expected))
  }

  it("is nothing without a key", () => {
    assert.deepEqual(covered("{clients: [bot]}", []), nothing)
  })
})
