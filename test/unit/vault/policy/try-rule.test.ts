import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  addressOf,
  approving,
  decide,
  heldAgent,
  outcomeOf,
  requestFor,
  ruleFile,
  signer,
} from "../../../support/policy-case.ts"

const stranger = addressOf("b")
const plain = ruleFile("endpoints: [approveAgent]")
const listing = ruleFile("endpoints: [approveAgent]", `agent_addresses: ["${stranger}"]`)

describe("an approval of an agent", () => {
  it("is allowed for an agent held here, authorized by the signer, for 90 days", () => {
    assert.equal(outcomeOf(decide(plain, approving())), "allow")
    const held = ruleFile("endpoints: [approveAgent]", "agent_addresses: held")
    assert.equal(outcomeOf(decide(held, approving())), "allow")
  })

  it("is refused for an agent that is neither held here nor listed", () => {
    for (const file of [plain, ruleFile("endpoints: [approveAgent]", "agent_addresses: held")]) {
      const decision = decide(file, approving({ agentAddress: stranger }))
      assert.equal(outcomeOf(decision), "agent_address_not_allowed")
    }
    const other = approving({ agentAddress: addressOf("c") })
    assert.equal(outcomeOf(decide(listing, other)), "agent_address_not_allowed")
  })

  it("is allowed for a listed agent, and then for no other, held here or not", () => {
    assert.equal(outcomeOf(decide(listing, approving({ agentAddress: stranger }))), "allow")
    const held = decide(listing, approving({ agentAddress: heldAgent }))
    assert.equal(outcomeOf(held), "agent_address_not_allowed")
  })

  it("is refused for the signer itself, unless listed", () => {
    const decision = decide(plain, approving({ agentAddress: signer }))
    assert.equal(outcomeOf(decision), "agent_address_not_allowed")
  })

  it("is refused for an agent that is no longer held", () => {
    const decision = decide(plain, approving(), { heldAgents: () => new Set() })
    assert.equal(outcomeOf(decision), "agent_address_not_allowed")
  })

  it("is refused when another account authorizes, unless the rule lists that account", () => {
    const foreign = approving({ authorizedAddress: stranger })
    const decision = decide(plain, foreign)
    assert.equal(decision.kind, "refuse")
    assert.equal(decision.denial.reason, "authorized_address_not_allowed")
    assert.equal(decision.denial.asked, stranger)
    assert.equal(decision.denial.allowed, signer)
    const listed = ruleFile("endpoints: [approveAgent]", `authorized_addresses: ["${stranger}"]`)
    assert.equal(outcomeOf(decide(listed, foreign)), "allow")
    assert.equal(outcomeOf(decide(listed, approving())), "allow")
  })

  it("is refused for one day more than the rule allows: 90, or what it says, more or less", () => {
    const ask = (file: string, validDays: number) =>
      outcomeOf(decide(file, approving({ validDays })))
    assert.equal(ask(plain, 90), "allow")
    assert.equal(ask(plain, 91), "valid_days_over_max")
    const longer = ruleFile("endpoints: [approveAgent]", "max_valid_days: 180")
    assert.equal(ask(longer, 180), "allow")
    assert.equal(ask(longer, 181), "valid_days_over_max")
    const shorter = ruleFile("endpoints: [approveAgent]", "max_valid_days: 7")
    assert.equal(ask(shorter, 7), "allow")
    assert.equal(ask(shorter, 8), "valid_days_over_max")
    assert.equal(ask(longer, Number.NaN), "valid_days_over_max")
  })

  it("is refused when its body can't be read", () => {
    for (const payload of [{ kind: "struct" }, { kind: "opaque", batchLength: 1 }] as const) {
      const decision = decide(plain, requestFor("approveAgent", { payload }))
      assert.equal(outcomeOf(decision), "approval_unreadable")
    }
  })

  it("isn't allowed by what two rules allow each in part", () => {
    const file = [
      "policy: p",
      "rules:",
      `  - {name: foreign, endpoints: [approveAgent], agent_addresses: ["${stranger}"]}`,
      "  - {name: long, endpoints: [approveAgent], max_valid_days: 365}",
    ].join("\n")
    const both = approving({ agentAddress: stranger, validDays: 365 })
    assert.equal(outcomeOf(decide(file, both)), "valid_days_over_max")
  })

  it("is matched by a deny of the endpoint", () => {
    const file = `${ruleFile("endpoints: [approveAgent]")}\ndeny:\n  - {name: none, endpoints: [approveAgent]}\n`
    assert.equal(outcomeOf(decide(file, approving())), "denied_by_rule")
  })

  it("leaves the other operations of its rule alone", () => {
    const file = ruleFile("endpoints: [approveAgent, cancelOrder]", "max_valid_days: 7")
    assert.equal(outcomeOf(decide(file, requestFor("cancelOrder"))), "allow")
  })
})
