import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { JudgedRequest } from "../../../../../src/vault/policy/match/judged-request.ts"
import type { JsonObject } from "../../../../../src/venue/json.ts"
import {
  addressOf,
  approving,
  decide,
  denyFile,
  holdFile,
  order,
  outcomeOf,
  placing,
  requestFor,
  ruleFile,
  signer,
} from "../../../../support/policy-case.ts"

const other = addressOf("7")

/** What a rule, a deny and a hold of one matcher make of a request that they cover. */
function outcomes(request: JudgedRequest, line: string): readonly string[] {
  const endpoints = `endpoints: [${request.operation}]`
  const deny = `${ruleFile(endpoints)}\ndeny:\n  - {name: entry, ${endpoints}, ${line}}\n`
  const hold = `${ruleFile(endpoints)}\nhold:\n  - {name: entry, ${endpoints}, ${line}}\n`
  return [ruleFile(endpoints, line), deny, hold].map((file) => outcomeOf(decide(file, request)))
}

describe("target_addresses", () => {
  const line = `target_addresses: ["${other}"]`

  it("matches the account that a request names", () => {
    const request = { ...placing(order()), target: other }
    assert.deepEqual(outcomes(request, line), ["allow", "denied_by_rule", "hold"])
  })

  it("takes the signer's own account where the request names none", () => {
    assert.deepEqual(outcomes(placing(order()), line), [
      "target_address_not_allowed",
      "allow",
      "allow",
    ])
    const own = `target_addresses: ["${signer}"]`
    assert.deepEqual(outcomes(placing(order()), own), ["allow", "denied_by_rule", "hold"])
  })

  it("speaks of every operation", () => {
    const file = denyFile(line)
    const cancel = requestFor("cancelOrder", { target: other })
    assert.equal(outcomeOf(decide(file, cancel)), "denied_by_rule")
    assert.equal(outcomeOf(decide(file, requestFor("cancelOrder"))), "allow")
  })

  it("says which account was asked for and which are allowed", () => {
    const decision = decide(ruleFile("endpoints: [placeOrder]", line), placing(order()))
    assert.equal(decision.kind, "refuse")
    assert.deepEqual([decision.denial.asked, decision.denial.allowed], [signer, other])
  })
})

describe("label", () => {
  const line = "label: 'bot-[0-9]'"

  it("matches the whole label of an approval", () => {
    assert.deepEqual(outcomes(approving({ label: "bot-1" }), line), [
      "allow",
      "denied_by_rule",
      "hold",
    ])
    for (const label of ["bot-12", "a bot-1", "", "BOT-1"]) {
      const expected = ["label_not_allowed", "allow", "allow"]
      assert.deepEqual(outcomes(approving({ label }), line), expected, label)
    }
  })

  it("can't be read of an operation that is named without being approveAgent", () => {
    const expected = ["label_not_allowed", "denied_by_rule", "hold"]
    assert.deepEqual(outcomes(requestFor("renewAgent"), line), expected)
  })

  it("speaks of approveAgent alone where no endpoints are named", () => {
    assert.equal(outcomeOf(decide(ruleFile(line), approving({ label: "bot-1" }))), "allow")
    assert.equal(outcomeOf(decide(holdFile(line), placing(order()))), "allow")
    assert.equal(outcomeOf(decide(holdFile(line), approving({ label: "bot-1" }))), "hold")
    assert.equal(outcomeOf(decide(denyFile(line), placing(order()))), "allow")
  })
})

describe("hours", () => {
  const line = "hours: {zone: Europe/Berlin, days: [fri], from: '08:00', to: '18:00'}"
  const at = (hour: number, minute: number) => ({ nowMs: Date.UTC(2026, 10, 20, hour - 1, minute) })
  const ask = (file: string, nowMs: number) =>
    outcomeOf(decide(file, requestFor("cancelOrder"), { nowMs }))

  it("match from their first minute on to the one before their last", () => {
    const rule = ruleFile("endpoints: [cancelOrder]", line)
    const deny = denyFile("endpoints: [cancelOrder]", line)
    assert.equal(ask(rule, at(7, 59).nowMs), "outside_hours")
    assert.equal(ask(rule, at(8, 0).nowMs), "allow")
    assert.equal(ask(rule, at(17, 59).nowMs), "allow")
    assert.equal(ask(rule, at(18, 0).nowMs), "outside_hours")
    assert.equal(ask(deny, at(7, 59).nowMs), "allow")
    assert.equal(ask(deny, at(8, 0).nowMs), "denied_by_rule")
  })

  it("speak of every operation", () => {
    assert.equal(ask(denyFile(line), at(12, 0).nowMs), "denied_by_rule")
  })

  it("match no rule and every deny at a time that no clock shows", () => {
    for (const nowMs of [Number.NaN, Number.POSITIVE_INFINITY, -9e15]) {
      assert.equal(ask(ruleFile("endpoints: [cancelOrder]", line), nowMs), "outside_hours")
      assert.equal(ask(denyFile(line), nowMs), "denied_by_rule")
    }
  })

  it("say what the clocks show and what is allowed", () => {
    const decision = decide(ruleFile("endpoints: [placeOrder]", line), placing(order()), at(18, 5))
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.asked, "fri 18:05")
    assert.equal(decision.denial.allowed, "fri 08:00-18:00 Europe/Berlin")
  })
})

const hex = "ab".repeat(20)
const no = ["body_field_not_allowed", "allow", "allow"]
const yes = ["allow", "denied_by_rule", "hold"]
const unreadable = ["body_field_not_allowed", "denied_by_rule", "hold"]

// prettier-ignore
const conditions: readonly { readonly condition: string; readonly body: JsonObject; readonly expected: readonly string[] }[] = [
  // texts
  { condition: "equals: USDC", body: { a: "USDC" }, expected: yes },
  { condition: "equals: USDC", body: { a: "usdc" }, expected: no },
  { condition: "equals: '10'", body: { a: "10.0" }, expected: no },
  { condition: "equals: '10'", body: { a: 10 }, expected: yes },
  { condition: "equals: 'true'", body: { a: true }, expected: yes },
  { condition: "equals: 'null'", body: { a: null }, expected: unreadable },
  { condition: "equals: x", body: {}, expected: unreadable },
  { condition: "equals: x", body: { a: ["x"] }, expected: unreadable },
  { condition: "equals: x", body: { a: { a: "x" } }, expected: unreadable },
  { condition: "in: [USDC, USDT]", body: { a: "USDT" }, expected: yes },
  { condition: "in: [USDC, USDT]", body: { a: "DAI" }, expected: no },
  { condition: `equals: '0x${hex}'`, body: { a: `0x${hex.toUpperCase()}` }, expected: yes },
  { condition: `in: ['0x${hex.toUpperCase()}']`, body: { a: `0x${hex}` }, expected: yes },
  { condition: "matches: 'desk-[0-9]+'", body: { a: "desk-12" }, expected: yes },
  { condition: "matches: 'desk-[0-9]+'", body: { a: "desk-12b" }, expected: no },
  { condition: "matches: 'desk-[0-9]+'", body: { a: null }, expected: unreadable },
  // amounts
  { condition: "max: '10'", body: { a: "10.000" }, expected: yes },
  { condition: "max: '10'", body: { a: "10.000000000000000000001" }, expected: no },
  { condition: "max: '10'", body: { a: 10 }, expected: yes },
  { condition: "max: '10'", body: { a: 11 }, expected: no },
  { condition: "min: '0.5'", body: { a: "0.5" }, expected: yes },
  { condition: "min: '0.5'", body: { a: "0.49" }, expected: no },
  { condition: "min: '1', max: '2'", body: { a: "1.5" }, expected: yes },
  { condition: "min: '1', max: '2'", body: { a: "0.5" }, expected: no },
  { condition: "min: '1', max: '2'", body: { a: "2.5" }, expected: no },
  { condition: "max: '10'", body: { a: "1e1" }, expected: unreadable },
  { condition: "max: '10'", body: { a: "-1" }, expected: unreadable },
  { condition: "max: '10'", body: { a: -1 }, expected: unreadable },
  { condition: "max: '10'", body: { a: "" }, expected: unreadable },
  { condition: "max: '10'", body: { a: false }, expected: unreadable },
  { condition: "max: '10'", body: {}, expected: unreadable },
  { condition: "max: '10', matches: '1.*'", body: { a: "15" }, expected: no },
  { condition: "max: '10', matches: 'x'", body: { a: "x" }, expected: unreadable },
  // presence, which can always be read
  { condition: "present: true", body: { a: null }, expected: yes },
  { condition: "present: true", body: {}, expected: no },
  { condition: "present: false", body: {}, expected: yes },
  { condition: "present: false", body: { a: "" }, expected: no },
]

describe("where", () => {
  for (const { condition, body, expected } of conditions) {
    it(`with ${condition} makes of ${JSON.stringify(body)}: ${expected.join(", ")}`, () => {
      const request = requestFor("transfer", { body })
      assert.deepEqual(outcomes(request, `where: [{pointer: /a, ${condition}}]`), expected)
    })
  }

  it("follows a pointer through objects and arrays, by its escapes", () => {
    const body = { "a/b": [{ "c~d": "x" }], length: "no" }
    const ask = (pointer: string) =>
      outcomes(requestFor("transfer", { body }), `where: [{pointer: "${pointer}", equals: x}]`)
    assert.deepEqual(ask("/a~1b/0/c~0d"), yes)
    for (const pointer of [
      "/a~1b/1/c~0d",
      "/a~1b/00/c~0d",
      "/a~1b/-/c~0d",
      "/a~1b/length",
      "/toString",
    ]) {
      assert.deepEqual(ask(pointer), unreadable, pointer)
    }
  })

  it("needs all of its conditions", () => {
    const line = "where: [{pointer: /a, equals: x}, {pointer: /b, max: '1'}]"
    const ask = (body: JsonObject) => outcomes(requestFor("transfer", { body }), line)
    assert.deepEqual(ask({ a: "x", b: "1" }), yes)
    assert.deepEqual(ask({ a: "x", b: "2" }), no)
    assert.deepEqual(ask({ a: "y", b: "1" }), no)
    assert.deepEqual(ask({ a: "x" }), unreadable)
    assert.deepEqual(ask({ a: "y" }), no)
  })

  it("speaks of every operation that the entry covers", () => {
    const file = denyFile("where: [{pointer: /memo, present: true}]")
    const ask = (body: JsonObject) => outcomeOf(decide(file, { ...placing(order()), body }))
    assert.equal(ask({ memo: "x" }), "denied_by_rule")
    assert.equal(ask({}), "allow")
  })

  it("says what the field is, cut where it is long, and what is allowed", () => {
    const line = "where: [{pointer: /a, in: [x, y], matches: '.', max: '3'}]"
    const denial = (body: JsonObject) => {
      const file = ruleFile("endpoints: [transfer]", line)
      const decision = decide(file, requestFor("transfer", { body }))
      assert.equal(decision.kind, "refuse")
      return [decision.denial.asked, decision.denial.allowed]
    }
    const allowed = `/a "x", "y", matching ., at most 3`
    assert.deepEqual(denial({ a: "z" }), [`/a "z"`, allowed])
    assert.deepEqual(denial({}), ["/a absent", allowed])
    assert.deepEqual(denial({ a: null }), ["/a unreadable", allowed])
    assert.deepEqual(denial({ a: "z".repeat(81) }), [`/a "${"z".repeat(80)}"…`, allowed])
  })
})

describe("matchers of a request and of its orders together", () => {
  it("must all match", () => {
    const file = denyFile(`target_addresses: ["${other}"]`, "sides: [sell]")
    const ask = (isBuy: boolean, target: typeof other | undefined) =>
      outcomeOf(decide(file, { ...placing(order({ isBuy })), target }))
    assert.equal(ask(false, other), "denied_by_rule")
    assert.equal(ask(true, other), "allow")
    assert.equal(ask(false, undefined), "allow")
  })
})
