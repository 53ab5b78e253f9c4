import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { mayRead, type Reader } from "../../../../src/vault/policy/may-read.ts"
import { coversPath, isPathPattern } from "../../../../src/venue/read-paths.ts"
import { decide, policiesOf, requestFor } from "../../../support/policy-case.ts"
import { outcomeOf } from "../../../support/policy-case.ts"

const bot: Reader = { client: "bot", key: "bot-agent" }

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
    const read = (appliesTo: string, reader: Reader) => {
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
