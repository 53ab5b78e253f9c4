import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { problemText } from "../../../src/std/yaml-file.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"
import {
  coversPath,
  patternsMeet,
  readGroupOf,
  readWeights,
} from "../../../src/venue/read-paths.ts"
import { numRuns } from "../../support/runs.ts"

function read(lines: string) {
  return parseProfile(`extends: builtin\n${lines}`, "venue.yaml")
}

function problems(lines: string): readonly string[] {
  const profile = read(lines)
  return profile.ok ? [] : profile.error.map(problemText)
}

describe("the groups of reads", () => {
  it("are what venue.yaml says, and none where it says nothing", () => {
    const profile = read('reads: {market: ["/v1/market/**"], explorer: ["/v1/blocks/*"]}\n')
    assert.ok(profile.ok)
    const groupOf = (path: string) => readGroupOf(path, profile.value.reads)
    assert.equal(groupOf("/v1/market/ticker"), "market")
    assert.equal(groupOf("/v1/blocks/7"), "explorer")
    assert.equal(groupOf("/v1/blocks"), undefined)
    assert.equal(groupOf("/v1/trade/orders"), undefined)
    assert.equal(groupOf("/v1/market/../blocks/7"), undefined)
    const silent = read("")
    assert.ok(silent.ok)
    assert.equal(readGroupOf("/v1/market/ticker", silent.value.reads), undefined)
  })

  it("weigh what the interface says", () => {
    assert.deepEqual(readWeights, { market: 2, trade: 2, account: 2, explorer: 40 })
  })

  const atOdds: readonly (readonly [string, string])[] = [
    ["/v1/market/**", "/v1/market/heavy"],
    ["/v1/market/*", "/v1/*/heavy"],
    ["/v1/**/a", "/v1/b/**"],
    ["/v1/a/**", "/v1/a"],
    ["/v1/**", "/v1/**"],
  ]
  for (const [market, explorer] of atOdds) {
    it(`may not share a path, as ${market} and ${explorer} do`, () => {
      const lines = `reads:\n  market: ["${market}"]\n  explorer: ["${explorer}"]\n`
      assert.deepEqual(problems(lines), [
        `venue.yaml:4:14: a path can be both in explorer by this and in market by ${market} (line 3); tell them apart`,
      ])
    })
  }

  it("may name a path twice in one group", () => {
    assert.deepEqual(problems('reads: {market: ["/v1/market/**", "/v1/market/a"]}\n'), [])
  })

  for (const [lines, message] of [
    ['reads: {market: ["/v2/x"]}', /expected a path such as \/v1\/market/],
    ['reads: {market: ["/v1/a%2fb"]}', /expected a path such as/],
    ['reads: {market: ["/v1/a?b"]}', /expected a path such as/],
    ["reads: {orders: [/v1/a]}", /orders/],
    [
      `reads: {market: [${Array.from({ length: 51 }, (_, n) => `/v1/a${n}`).join()}]}`,
      /at most 50/,
    ],
  ] as const) {
    it(`refuses ${lines.slice(0, 40)}`, () => {
      assert.match(problems(`${lines}\n`).join(), message)
    })
  }
})

describe("two patterns", () => {
  const names = ["a", "b"]
  const segment = fc.constantFrom("a", "b", "*", "**")
  const pattern = fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .map((rest) => `/v1/${rest.join("/")}`)
  /** No path that they could share is longer than both of them without their `**`. */
  const paths = Array.from({ length: 8 }).reduce<readonly string[]>(
    (shorter) => ["/v1", ...shorter.flatMap((path) => names.map((name) => `${path}/${name}`))],
    ["/v1"],
  )

  it("meet where one path is covered by both, and nowhere else", () => {
    fc.assert(
      fc.property(pattern, pattern, (one, other) => {
        const isShared = paths.some((path) => coversPath(one, path) && coversPath(other, path))
        assert.equal(patternsMeet(one, other), isShared)
        assert.equal(patternsMeet(other, one), isShared)
      }),
      numRuns(500),
    )
  })

  it("are compared quickly, however many ** they have", () => {
    const long = (last: string) => `/v1/${"**/a/".repeat(38)}${last}`
    assert.equal(patternsMeet(long("b"), long("c")), false)
    assert.equal(patternsMeet(long("b"), long("*")), true)
  })
})
