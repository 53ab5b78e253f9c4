import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { approving, decide, outcomeOf, requestFor } from "../support/policy-case.ts"

// A text that is too long to be held against an expression must not pass the deny that would have matched it.
describe("a text that no expression reads", () => {
  const rule = "policy: p\nrules:\n  - {name: r, endpoints: [approveAgent, withdraw]"
  const deny = (entry: string): string => `${rule}}\ndeny:\n  - {name: d, ${entry}}\n`
  const labelled = (length: number) => approving({ label: "x".repeat(length) })
  const noted = (length: number) => requestFor("withdraw", { body: { note: "x".repeat(length) } })

  it("matches a deny by label and by where, and one character less doesn't", () => {
    const byLabel = deny("endpoints: [approveAgent], label: y+")
    assert.equal(outcomeOf(decide(byLabel, labelled(1_024))), "allow")
    assert.equal(outcomeOf(decide(byLabel, labelled(1_025))), "denied_by_rule")
    const byField = deny("endpoints: [withdraw], where: [{pointer: /note, matches: y+}]")
    assert.equal(outcomeOf(decide(byField, noted(1_024))), "allow")
    assert.equal(outcomeOf(decide(byField, noted(1_025))), "denied_by_rule")
  })

  it("matches no rule, though one character less does", () => {
    const byLabel = `${rule}, label: x+}\n`
    assert.equal(outcomeOf(decide(byLabel, labelled(1_024))), "allow")
    assert.equal(outcomeOf(decide(byLabel, labelled(1_025))), "label_not_allowed")
    const byField = `${rule}, where: [{pointer: /note, matches: x+}]}\n`
    assert.equal(outcomeOf(decide(byField, noted(1_024))), "allow")
    assert.equal(outcomeOf(decide(byField, noted(1_025))), "body_field_not_allowed")
  })
})
