import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { problemsOf, profileOf } from "../profile-text.ts"

const reads = "reads: {market: [/v1/market/**], explorer: [/v1/explorer/**]}"
const symbols =
  "symbols: [{id: 1, name: BTC-PERP, market: perp, quote: USD}, {id: 7, name: ETH-PERP, market: perp, quote: USD}]"

function pollOf(changes: Readonly<Record<string, string>> = {}): string {
  const keys = { path: "/v1/market/tickers", symbol: "/name", value: "/mark", every: "5s" }
  const lines = Object.entries({ ...keys, ...changes }).filter(([, value]) => value !== "")
  return `price_poll: {${lines.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(", ")}}`
}

describe("price_poll", () => {
  it("may be left out, as it is in every older venue.yaml", () => {
    assert.equal(profileOf(reads, symbols).pricePoll, undefined)
  })

  it("reads one path for all symbols, and tells what leads to the prices by its steps", () => {
    const poll = profileOf(reads, symbols, pollOf({ list: "/data/a~1b" })).pricePoll
    assert.deepEqual(poll, {
      paths: ["/v1/market/tickers"],
      weight: 2,
      everyMs: 5_000,
      list: ["data", "a/b"],
      symbol: ["name"],
      value: ["mark"],
    })
  })

  it("reads a path with {id} once for each symbol, and weighs that", () => {
    const path = "/v1/market/{id}/ticker?symbol_id={id}&depth=1"
    const poll = profileOf(reads, symbols, pollOf({ path })).pricePoll
    assert.deepEqual(poll?.paths, [
      "/v1/market/1/ticker?symbol_id=1&depth=1",
      "/v1/market/7/ticker?symbol_id=7&depth=1",
    ])
    assert.equal(poll.weight, 4)
  })

  for (const path of [
    "/v2/market/ticker",
    "/v1/",
    "/v1/market/**",
    "/v1/market/../ticker",
    "/v1/market/ticker#a",
    "/v1/market/ticker?a b",
    "/v1/market/{name}",
    "https://evil.example/v1/market",
    `/v1/market/${"a".repeat(200)}`,
  ]) {
    it(`can't read ${path.slice(0, 40)}`, () => {
      const problems = problemsOf("reads: {market: [/v1/**]}", symbols, pollOf({ path }))
      assert.match(problems.join(), /^venue\.yaml:4:\d+: [^\n]* \(at price_poll\.path\)$/)
    })
  }

  it("is refused where no group has its path: what it weighs would be a guess", () => {
    const [problem] = problemsOf(reads, symbols, pollOf({ path: "/v1/ticker?a=market" }))
    assert.match(
      problem ?? "",
      /:4:\d+: no group of reads has \/v1\/ticker\?a=market, so its weight/,
    )
  })

  for (const [every, isGood] of [
    ["999ms", false],
    ["1s", true],
    ["1h", true],
    ["3601s", false],
    ["often", false],
  ] as const) {
    it(`${isGood ? "can" : "can't"} be made every ${every}`, () => {
      assert.equal(problemsOf(reads, symbols, pollOf({ every })).length, isGood ? 0 : 1)
    })
  }

  it("leaves half of the IP budget to orders", () => {
    const explorer = { path: "/v1/explorer/prices" } // weighs 40
    assert.deepEqual(problemsOf(reads, symbols, pollOf({ ...explorer, every: "4s" })), [])
    const [problem] = problemsOf(reads, symbols, pollOf({ ...explorer, every: "3999ms" }))
    assert.match(problem ?? "", /weighs 601 a minute/)
  })

  for (const key of ["path", "symbol", "value", "every"]) {
    it(`needs ${key}`, () => {
      assert.equal(problemsOf(reads, symbols, pollOf({ [key]: "" })).length, 1)
    })
  }

  it("takes JSON Pointers and no other key", () => {
    assert.equal(problemsOf(reads, symbols, pollOf({ value: "mark" })).length, 1)
    assert.equal(problemsOf(reads, symbols, pollOf({ token: "a" })).length, 1)
  })
})
