import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, type Decimal } from "../../venue/decimal.ts"
import { appliesTo } from "./applies-to.ts"
import { claimsOf, enforced } from "./claims-of.ts"
import type { Circumstances, Decision, Denial, HeldBy, JudgedRequest, Verdict } from "./decision.ts"
import { denialBy, noPolicy, noRule } from "./explain-denial.ts"
import { matchEntry, matchText } from "./match-entry.ts"
import { orderSizes } from "./order-size.ts"
import type { Policy, Rule } from "./policy.ts"
import { subjectOf, type Subject } from "./subject.ts"
import { tryRule, type Stop } from "./try-rule.ts"
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
  const applicable = policies.filter((policy) =>
    appliesTo(policy, request.client, request.key.name),
  )
  const verdicts = (): readonly Verdict[] => verdictsOf(applicable, subject)
  const refuse = (denial: Denial): Decision => ({ kind: "refuse", denial, verdicts })

  const denied = deniedBy(applicable, subject)
  if (denied !== undefined) return refuse(denied)
  if (applicable.length === 0) return refuse(noPolicy(request))
  const rule = allowingRule(applicable, subject)
  if (!rule.ok) return refuse(rule.error)

  const sizes = orderSizes(subject, widestBand(applicable, subject))
  const claims = enforced(claimsOf(subject, sizes, applicable))
  if (!claims.ok) return refusedByLimit(claims.error, verdicts)

  const allowed = { rule: rule.value, claims: claims.value, sizes, verdicts }
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

/** The name of the first rule that allows the request; else the denial by the rule that it got furthest with. */
function allowingRule(applicable: readonly Policy[], subject: Subject): Result<string, Denial> {
  let furthest: { readonly policy: Policy; readonly rule: Rule; readonly stop: Stop } | undefined
  for (const policy of applicable) {
    for (const rule of policy.rules) {
      const stop = tryRule(rule, subject)
      if (stop === undefined) return ok(`${policy.name}/${rule.name}`)
      if (furthest === undefined || stop.passedChecks > furthest.stop.passedChecks) {
        furthest = { policy, rule, stop }
      }
    }
  }
  // What is covered is asked first of all, so here no rule covers the operation.
  if (furthest === undefined || furthest.stop.mismatch.reason === "endpoint_not_covered") {
    return err(noRule(applicable, subject.request))
  }
  return err(denialBy(furthest.policy, furthest.rule, furthest.stop.mismatch))
}

/** Of the rules that allow, the widest band sizes: the larger size, and the same one in every order of files. */
function widestBand(applicable: readonly Policy[], subject: Subject): Decimal | undefined {
  let widest: Decimal | undefined
  for (const { rules } of applicable) {
    for (const rule of rules) {
      const { priceMatchBand: band } = rule
      if (band === undefined) continue
      const isWider = widest === undefined || compareDecimals(band, widest) > 0
      if (isWider && tryRule(rule, subject) === undefined) widest = band
    }
  }
  return widest
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
