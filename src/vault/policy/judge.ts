import { compareDecimals, type Decimal } from "../../venue/decimal.ts"
import { appliesTo } from "./applies-to.ts"
import { enforced, tallyLimits } from "./claims-of.ts"
import type { Circumstances, Decision, Denial, HeldBy, JudgedRequest, Verdict } from "./decision.ts"
import { denialBy, noPolicy, noRule } from "./explain-denial.ts"
import { foremostRules, type PlacedRule } from "./foremost-rules.ts"
import { matchEntry, matchText } from "./match-entry.ts"
import { orderSizes } from "./order-size.ts"
import type { Policy } from "./policy.ts"
import { subjectOf, type Subject } from "./subject.ts"
import { tryRule } from "./try-rule.ts"
import { verdictOfLimit, verdictsOf } from "./verdicts-of.ts"

/**
 * Decides whether policy allows a request: some applicable rule allows it as a whole, no applicable deny
 * matches, and every limit can tell what to count of it. Then a hold that matches makes it wait for a person.
 *
 * Pure and total: whatever the payload, it answers and doesn't throw. The order of policies and of their
 * entries changes at most which of several equal entries is named.
 */
export function judge(
  request: JudgedRequest,
  policies: readonly Policy[],
  circumstances: Circumstances,
): Decision {
  const subject = subjectOf(request, circumstances)
  const applicable = policies.filter((policy) => appliesTo(policy, request))
  const verdicts = (): readonly Verdict[] => verdictsOf(applicable, subject)
  const refuse = (denial: Denial): Decision => ({ kind: "refuse", denial, verdicts })

  const denied = deniedBy(applicable, subject)
  if (denied !== undefined) return refuse(denied)
  if (applicable.length === 0) return refuse(noPolicy(request))
  const rules = foremostRules(subject, policies, applicable)
  const denial = stoppedBy(rules, subject, applicable)
  if (denial !== undefined) return refuse(denial)

  const sizes = orderSizes(subject, widestBand(rules))
  const claims = enforced(tallyLimits(subject, sizes, applicable))
  if (!claims.ok) return refusedByLimit(claims.error, verdicts)

  const allowed = { rule: nameOf(rules), claims: claims.value, sizes, verdicts }
  const hold = heldBy(applicable, subject)
  return hold === undefined ? { kind: "allow", ...allowed } : { kind: "hold", hold, ...allowed }
}

/** A deny that matches. */
function deniedBy(applicable: readonly Policy[], subject: Subject): Denial | undefined {
  for (const policy of applicable) {
    for (const entry of policy.deny) {
      const match = matchEntry(entry, subject)
      if (match === undefined) continue
      const asked = matchText(entry, match, subject)
      return denialBy(policy, entry, { reason: "denied_by_rule", asked, allowed: null })
    }
  }
  return undefined
}

/**
 * Why no rule allows the request. The first of the foremost rules is tried once more by itself: were they
 * ever found wrongly, it would still be no other than a rule's own checks that allow.
 */
function stoppedBy(
  [first]: readonly PlacedRule[],
  subject: Subject,
  applicable: readonly Policy[],
): Denial | undefined {
  const { request } = subject
  if (first?.rule.operations.has(request.operation) !== true) return noRule(applicable, request)
  const mismatch = tryRule(first.rule, subject)
  return mismatch && denialBy(first.policy, first.rule, mismatch)
}

/** Of several rules that allow, the widest band sizes: the larger size, and the same one in every order of files. */
function widestBand(allowing: readonly PlacedRule[]): Decimal | undefined {
  return allowing
    .map(({ rule }) => rule.priceMatchBand)
    .filter((band) => band !== undefined)
    .reduce<Decimal | undefined>(
      (widest, band) => (widest === undefined || compareDecimals(band, widest) > 0 ? band : widest),
      undefined,
    )
}

function nameOf([first]: readonly PlacedRule[]): string {
  return first === undefined ? "" : `${first.policy.name}/${first.rule.name}`
}

/** Of several holds that match, the one whose release must come soonest. */
function heldBy(applicable: readonly Policy[], subject: Subject): HeldBy | undefined {
  const [soonest] = applicable
    .flatMap((policy) => policy.hold.map((entry) => ({ policy, entry })))
    .filter(({ entry }) => matchEntry(entry, subject) !== undefined)
    .sort((a, b) => a.entry.ttlMs - b.entry.ttlMs)
  if (soonest === undefined) return undefined
  const { policy, entry } = soonest
  const { name, line, ttlMs } = entry
  return { policy: policy.name, name, file: policy.file, line, ttlMs }
}

function refusedByLimit(denial: Denial, verdicts: () => readonly Verdict[]): Decision {
  return { kind: "refuse", denial, verdicts: () => [...verdicts(), verdictOfLimit(denial)] }
}
