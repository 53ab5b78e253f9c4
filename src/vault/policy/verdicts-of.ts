import type { Denial, Verdict } from "./decision.ts"
import { matchEntry } from "./match-entry.ts"
import type { Entry, Policy } from "./policy.ts"
import type { Subject } from "./subject.ts"
import { tryRule } from "./try-rule.ts"

/** What every deny, rule and hold of the policies makes of a request, each tried by itself. */
export function verdictsOf(applicable: readonly Policy[], subject: Subject): readonly Verdict[] {
  return [
    ...verdictsBy(
      applicable,
      ({ deny }) => deny,
      (entry) => matchEntry(entry, subject) && ["denies", "denied_by_rule"],
    ),
    ...verdictsBy(
      applicable,
      ({ rules }) => rules,
      (rule) => {
        const stop = tryRule(rule, subject)
        return stop === undefined ? ["allows", null] : ["does_not_match", stop.mismatch.reason]
      },
    ),
    ...verdictsBy(
      applicable,
      ({ hold }) => hold,
      (entry) => matchEntry(entry, subject) && ["holds", null],
    ),
  ]
}

/** What a limit says that refuses: it can't tell what to count. */
export function verdictOfLimit({ policy, rule, file, line, reason }: Denial): Verdict {
  const place = { policy: policy ?? "", rule: rule ?? "", file: file ?? "", line: line ?? 0 }
  return { ...place, verdict: "denies", reason }
}

type Said = readonly [Verdict["verdict"], Verdict["reason"]]

function verdictsBy<Kind extends Entry>(
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
