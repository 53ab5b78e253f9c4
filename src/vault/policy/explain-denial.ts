import type { Denial, JudgedRequest, Mismatch, Words } from "./decision.ts"
import type { Entry, Policy, Rule } from "./policy.ts"
import type { Stop } from "./try-rule.ts"

/** A rule that was tried, and what stopped it. */
export type RuleTrial = { readonly policy: Policy; readonly rule: Rule; readonly stop: Stop }

/** Of the rules that cover the endpoint, the one that passed most checks says what to change. */
export function furthestDenial(trials: readonly RuleTrial[], request: JudgedRequest): Denial {
  let furthest: { readonly trial: RuleTrial; readonly stop: NonNullable<Stop> } | undefined
  for (const trial of trials) {
    const { stop } = trial
    if (stop === undefined || !trial.rule.operations.has(request.operation)) continue
    if (furthest === undefined || stop.passedChecks > furthest.stop.passedChecks) {
      furthest = { trial, stop }
    }
  }
  if (furthest === undefined) return noRule(trials, request)
  return denialBy(furthest.trial.policy, furthest.trial.rule, furthest.stop.mismatch)
}

/** The denial of a request that no policy is for. */
export function noPolicy({ client, key }: JudgedRequest): Denial {
  const asked = `client ${client} with key ${key.name}`
  return { ...nowhere, reason: "no_policy_applies", asked, allowed: null }
}

/** The denial by one entry. */
export function denialBy(policy: Policy, entry: Entry, mismatch: Mismatch): Denial {
  const { reason, asked, allowed } = mismatch
  return {
    policy: policy.name,
    rule: entry.name,
    reason,
    file: policy.file,
    line: entry.line,
    asked: textOf(asked),
    allowed: textOf(allowed),
  }
}

function noRule(trials: readonly RuleTrial[], { operation }: JudgedRequest): Denial {
  const covered = new Set(trials.flatMap(({ rule }) => [...rule.operations]))
  const allowed = covered.size === 0 ? null : [...covered].sort().join(", ")
  return { ...nowhere, reason: "no_rule_covers_endpoint", asked: operation, allowed }
}

function textOf(words: Words): string | null {
  return typeof words === "function" ? words() : words
}

const nowhere = { policy: null, rule: null, file: null, line: null } as const
