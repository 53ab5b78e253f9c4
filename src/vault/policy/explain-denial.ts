import type { Denial, Mismatch, Words } from "./terms/decision.ts"
import type { JudgedRequest } from "./judged/judged-request.ts"
import type { Entry, Policy } from "./terms/policy.ts"

/** The denial of a request that no policy is for. */
export function noPolicy({ client, key }: JudgedRequest): Denial {
  const asked = `client ${client} with key ${key.name}`
  return { ...nowhere, reason: "no_policy_applies", asked, allowed: null }
}

/** The denial of a request whose operation no rule covers. */
export function noRule(applicable: readonly Policy[], { operation }: JudgedRequest): Denial {
  const rules = applicable.flatMap((policy) => policy.rules)
  const covered = new Set(rules.flatMap(({ operations }) => [...operations]))
  const allowed = covered.size === 0 ? null : [...covered].sort().join(", ")
  return { ...nowhere, reason: "no_rule_covers_endpoint", asked: operation, allowed }
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

function textOf(words: Words): string | null {
  return typeof words === "function" ? words() : words
}

const nowhere = { policy: null, rule: null, file: null, line: null } as const
