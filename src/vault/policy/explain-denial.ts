import type { Denial, Mismatch, Verdict, Words } from "./terms/decision.ts"
import type { JudgedRequest } from "./judged/judged-request.ts"
import type { Entry, Named, Policy } from "./terms/policy.ts"

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

/** The denial by one entry, or by a key of the file itself. */
export function denialBy(policy: Policy, entry: Named, mismatch: Mismatch): Denial {
  const { reason, asked, allowed, ...place } = mismatch
  return {
    policy: policy.name,
    rule: entry.name,
    reason,
    file: policy.file,
    line: entry.line,
    ...place,
    asked: textOf(asked),
    allowed: textOf(allowed),
  }
}

function textOf(words: Words): string | null {
  return typeof words === "function" ? words() : words
}

const nowhere = { policy: null, rule: null, file: null, line: null } as const

/** The verdict of what refuses a request that the rules allow and nothing denies. */
export function verdictOf({ policy, rule, file, line, reason }: Denial): Verdict {
  const place = { policy: policy ?? "", rule: rule ?? "", file: file ?? "", line: line ?? 0 }
  return { ...place, verdict: "denies", reason }
}

type Said = readonly [Verdict["verdict"], Verdict["reason"]]

/** The verdict of each entry that `listOf` gives of the policies, by what `sayingOf` says of it. */
export function verdictsBy<Kind extends Entry>(
  policies: readonly Policy[],
  listOf: (policy: Policy) => readonly Kind[],
  sayingOf: (entry: Kind) => Said | undefined,
): readonly Verdict[] {
  return policies.flatMap((policy) =>
    listOf(policy).map((entry) => {
      const [verdict, reason] = sayingOf(entry) ?? ["does_not_match", null]
      const { name: rule, line } = entry
      return { policy: policy.name, rule, file: policy.file, line, verdict, reason }
    }),
  )
}
