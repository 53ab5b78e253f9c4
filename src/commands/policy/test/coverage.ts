import type { LimitView } from "../../../link/views/views.ts"
import type { Named, Policy } from "../../../vault/policy/terms/policy.ts"
import { addDecimals, compareDecimals, parseDecimal, zero } from "../../../venue/decimal.ts"
import { fileKeys } from "./file-keys.ts"
import type { CaseResult } from "./run-case.ts"

/** An entry of a policy that no case reached. */
export type Unreached = {
  readonly kind: "rule" | "deny" | "hold" | "limit" | "key"
  readonly policy: string
  readonly entry: string
  readonly file: string
  readonly line: number
}

/**
 * The entries that no case reached. A rule is reached by a case that it allows and no policy denies, a deny by one that
 * it denies, a hold by one that it holds, and a limit by one that goes past its maximum. A key of the file itself, as require_idempotency, is reached as a deny is.
 */
export function unreachedBy(
  results: readonly CaseResult[],
  policies: readonly Policy[],
): readonly Unreached[] {
  const reached = new Set(results.flatMap(reachedBy))
  return policies.flatMap((policy) => {
    const { name, file } = policy
    const left = (kind: Unreached["kind"], entries: readonly Named[]): readonly Unreached[] =>
      entries
        .filter((entry) => !reached.has(`${name}/${entry.name}`))
        .map((entry) => ({ kind, policy: name, entry: entry.name, file, line: entry.line }))
    return [
      ...left("rule", policy.rules),
      ...left("deny", policy.deny),
      ...left("hold", policy.hold),
      ...left("limit", policy.limits),
      ...left("key", fileKeys(policy)),
    ]
  })
}

function reachedBy({ report }: CaseResult): readonly string[] {
  const { refusal, verdicts, limits } = report
  const isDenied = refusal?.code === "policy_denied"
  const said = verdicts
    .filter(({ verdict }) => (isDenied ? verdict === "denies" : verdict !== "does_not_match"))
    .map(({ policy, rule }) => `${policy}/${rule}`)
  const past = limits.filter(isPast).map(({ policy, limit }) => `${policy}/${limit}`)
  return [...said, ...past]
}

/** Also of a limit that only observes. */
function isPast({ used, asked, max }: LimitView): boolean {
  const [before, more, most] = [used, asked, max].map((text) => parseDecimal(text) ?? zero)
  if (before === undefined || more === undefined || most === undefined) return false
  return compareDecimals(addDecimals(before, more), most) > 0
}
