import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { judge } from "../../../src/vault/policy/judge.ts"
import { operationIds, type OperationId } from "../../../src/venue/profile.ts"
import { readRepositoryFile } from "../../support/markdown.ts"
import {
  circumstances,
  order,
  outcomeOf,
  placing,
  policiesOf,
  requestFor,
} from "../../support/policy-case.ts"

const policies = policiesOf(readRepositoryFile("policies/cancel-only.yaml"))
const everything = `policy: everything\nrules:\n  - {name: all, endpoints: [${operationIds.join(", ")}]}\n`
const cancels: readonly OperationId[] = ["cancelOrder", "cancelBatch", "cancelAll"]

describe("policies/cancel-only.yaml", () => {
  for (const operation of operationIds) {
    const isCancel = cancels.includes(operation)
    it(`${isCancel ? "allows" : "denies"} ${operation}, whatever another file allows`, () => {
      const request = requestFor(operation, { client: "watchdog" })
      for (const set of [policies, [...policies, ...policiesOf(everything)]]) {
        const expected = isCancel ? "allow" : "denied_by_rule"
        assert.equal(outcomeOf(judge(request, set, circumstances())), expected)
      }
    })
  }

  it("denies an order that only reduces, too", () => {
    const reducing = { ...placing(order({ flags: ["reduce_only"] })), client: "watchdog" }
    assert.equal(outcomeOf(judge(reducing, policies, circumstances())), "denied_by_rule")
  })

  it("is for the watchdog alone", () => {
    const decision = judge(requestFor("cancelAll"), policies, circumstances())
    assert.equal(outcomeOf(decision), "no_policy_applies")
  })
})
