import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { problemText } from "../../../../../src/std/yaml-file.ts"
import { parsePolicies } from "../../../../../src/vault/policy/file/policy-file.ts"
import { testProfile } from "../../../../support/test-profile.ts"

const limit = `policy: caps
limits:
  - {name: daily, endpoints: [withdraw, transfer], sum: {pointer: /amount, by: /asset}, window: 1h, max: 5}
`

/** The problems of a file with that limit beside one that has a rule. */
function problemsBeside(rule: string, head = "", capsHead = ""): readonly string[] {
  const files = [
    { file: "caps.yaml", text: `${limit}${capsHead}` },
    { file: "rules.yaml", text: `policy: rules\n${head}rules:\n  - {name: r, ${rule}}\n` },
  ]
  const read = parsePolicies(files, testProfile())
  return read.ok ? [] : read.error.map(problemText)
}

const taken = "endpoints: [withdraw], where: [{pointer: /asset, in: [USDC, USDT]}]"
const open = "endpoints: [withdraw]"

describe("a limit that sums by a field", () => {
  it("is refused where a rule takes any value of it, at that rule, in whatever file it stands", () => {
    const [problem = "", ...more] = problemsBeside(open)
    assert.match(problem, /^rules\.yaml:3:5: must list the values of \/asset/)
    assert.match(
      problem,
      /where: \[\{pointer: \/asset, in: \[…\]\}\].*caps\/daily \(caps\.yaml:3\)/,
    )
    assert.deepEqual(more, [])
  })

  it("is taken where every rule that covers what it covers lists the values", () => {
    assert.deepEqual(problemsBeside(taken), [])
    assert.deepEqual(
      problemsBeside("endpoints: [transfer], where: [{pointer: /asset, equals: USDC}]"),
      [],
    )
    assert.deepEqual(problemsBeside("endpoints: [placeOrder]"), [])
    assert.deepEqual(problemsBeside(`${taken}}\n  - {name: other, ${taken}`), [])
  })

  it("isn't taken for a list of another field, a pattern or a presence, nor for one rule of two", () => {
    for (const condition of [
      "{pointer: /assets, in: [USDC]}",
      "{pointer: /asset, matches: 'USD.*'}",
      "{pointer: /asset, present: true}",
    ]) {
      assert.equal(problemsBeside(`endpoints: [withdraw], where: [${condition}]`).length, 1)
    }
    assert.equal(problemsBeside(`${taken}}\n  - {name: other, ${open}`).length, 1)
  })

  it("asks nothing of rules for other clients or other keys", () => {
    const caps = "applies_to: {clients: [a], keys: [k]}\n"
    assert.equal(problemsBeside(open, "applies_to: {clients: [a, b]}\n", caps).length, 1)
    const wider = "applies_to: {clients: [a, b], keys: [k, l]}\n"
    assert.equal(problemsBeside(open, "applies_to: {clients: [a], keys: [k]}\n", wider).length, 1)
    assert.equal(problemsBeside(open, "applies_to: {keys: [k]}\n", caps).length, 1)
    assert.deepEqual(problemsBeside(open, "applies_to: {clients: [b]}\n", caps), [])
    assert.deepEqual(problemsBeside(open, "applies_to: {keys: [l]}\n", caps), [])
  })
})
