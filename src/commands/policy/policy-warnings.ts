import type { FileSet } from "../../vault/config/file-set.ts"
import { goesPast } from "./goes-past.ts"
import { neverMatches } from "./never-matches.ts"
import { oneAmount } from "./one-amount.ts"
import { stopsWaysOut } from "./stops-ways-out.ts"
import type { Placed } from "./placed-entry.ts"

/** What policies say that somebody hardly means. Each names the entry's file and line. */
export function policyWarnings({
  policies,
  profile,
}: Pick<FileSet, "policies" | "profile">): readonly string[] {
  const files = { policies, profile }
  return policies.flatMap((policy) => {
    const warn = (entry: Placed, message: string | undefined): readonly string[] =>
      message === undefined
        ? []
        : [`${policy.name}/${entry.name} (${policy.file}:${entry.line}) ${message}`]
    return [
      ...policy.rules.flatMap((rule) => warn(rule, neverMatches(rule, profile))),
      ...[...policy.deny, ...policy.hold].flatMap((entry) =>
        warn(entry, stopsWaysOut({ policy, entry }, files)),
      ),
      ...[...policy.hold, ...policy.limits].flatMap((entry) =>
        warn(entry, goesPast({ policy, entry }, files)),
      ),
      ...policy.rules.flatMap((rule) =>
        warn(rule, oneAmount(rule, { key: "max_notional", bound: rule.maxNotional }, profile)),
      ),
      ...[...policy.deny, ...policy.hold].flatMap((entry) => {
        const bound = entry.over?.kind === "notional" ? entry.over.bound : undefined
        return warn(entry, oneAmount(entry, { key: "over_notional", bound }, profile))
      }),
      ...policy.limits.flatMap((limit) => {
        const { counted, max: amount } = limit
        if (counted.kind !== "submitted_notional") return []
        return warn(
          limit,
          oneAmount(limit, { key: "max", bound: { kind: "scalar", amount } }, profile),
        )
      }),
    ]
  })
}
