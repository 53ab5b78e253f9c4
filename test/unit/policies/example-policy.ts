import assert from "node:assert/strict"

import { openMeters } from "../../../src/vault/ledger/meters/meters.ts"
import { judge } from "../../../src/vault/policy/judge.ts"
import type {
  Circumstances,
  JudgedRequest,
} from "../../../src/vault/policy/match/judged-request.ts"
import type { Decision, Policy } from "../../../src/vault/policy/terms.ts"
import { operationIds } from "../../../src/venue/profile.ts"
import { readRepositoryFile } from "../../support/markdown.ts"
import { circumstances, outcomeOf, policiesOf } from "../../support/policy-case.ts"

/** An example as it stands in policies/, and one of its clients asking. */
export type ExamplePolicy = {
  readonly policies: readonly Policy[]
  readonly decide: (request: JudgedRequest, changes?: Partial<Circumstances>) => Decision
  /** `allow`, `hold`, or the reason of the denial. */
  readonly outcome: (request: JudgedRequest, changes?: Partial<Circumstances>) => string
  /** The same while another file allows everything to everyone. */
  readonly outcomeBesideGenerous: (request: JudgedRequest) => string
  /** How many of these requests, one after the other at one moment, all limits have room for. */
  readonly roomFor: (requests: readonly JudgedRequest[]) => number
}

/** Reads one of policies/ and asks it as `who`. */
export function examplePolicy(name: string, who: Partial<JudgedRequest>): ExamplePolicy {
  const policies = policiesOf(readRepositoryFile(`policies/${name}.yaml`))
  const generous = policiesOf(
    `policy: generous\nrules:\n  - {name: all, endpoints: [${operationIds.join(", ")}]}\n`,
  )
  const decide: ExamplePolicy["decide"] = (request, changes = {}) =>
    judge({ ...request, ...who }, policies, circumstances(changes))
  return {
    policies,
    decide,
    outcome: (request, changes) => outcomeOf(decide(request, changes)),
    outcomeBesideGenerous: (request) =>
      outcomeOf(judge({ ...request, ...who }, [...policies, ...generous], circumstances())),
    roomFor(requests) {
      const meters = openMeters()
      const nowMs = circumstances().nowMs
      const first = requests.findIndex((request) => {
        const decision = decide(request)
        assert.notEqual(decision.kind, "refuse", outcomeOf(decision))
        if (decision.kind === "refuse") return true
        return meters.take(decision.claims, nowMs) !== undefined
      })
      return first === -1 ? requests.length : first
    },
  }
}

/** The same request over and over. */
export function times(count: number, request: JudgedRequest): readonly JudgedRequest[] {
  return Array.from({ length: count }, () => request)
}
