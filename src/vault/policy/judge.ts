import { compareDecimals, type Decimal } from "../../venue/decimal.ts"
import { appliesTo } from "./applies-to.ts"
import { enforced, tallyLimits } from "./claims-of.ts"
import type { Circumstances, Decision, Denial, JudgedRequest, Verdict } from "./decision.ts"
import { denialBy, furthestDenial, noPolicy, type RuleTrial } from "./explain-denial.ts"
import { matchEntry, matchText, type Match } from "./match-entry.ts"
import { orderSizes } from "./order-size.ts"
import type { Entry, Hold, Policy } from "./policy.ts"
import { subjectOf, type Subject } from "./subject.ts"
import { tryRule } from "./try-rule.ts"

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
  const trials: Trials = {
    denies: tryEntries(applicable, ({ deny }) => deny, subject),
    holds: tryEntries(applicable, ({ hold }) => hold, subject),
    rules: applicable.flatMap((policy) =>
      policy.rules.map((rule) => ({ policy, rule, stop: tryRule(rule, subject) })),
    ),
  }
  const verdicts = verdictsOf(trials)
  const denial = denialOf(trials, subject, applicable)
  if (denial !== undefined) return { kind: "refuse", denial, verdicts }

  const allowing = trials.rules.filter(({ stop }) => stop === undefined)
  const sizes = orderSizes(subject, widestBand(allowing))
  const claims = enforced(tallyLimits(subject, sizes, applicable))
  if (!claims.ok) return refusedByLimit(claims.error, verdicts)

  const allowed = { rule: nameOf(allowing), claims: claims.value, sizes, verdicts }
  const held = heldBy(trials.holds)
  return held === undefined
    ? { kind: "allow", ...allowed }
    : { kind: "hold", hold: held, ...allowed }
}

type EntryTrial<Kind extends Entry> = {
  readonly policy: Policy
  readonly entry: Kind
  /** `undefined` when it didn't match. */
  readonly match: Match | undefined
}

type Trials = {
  readonly denies: readonly EntryTrial<Entry>[]
  readonly holds: readonly EntryTrial<Hold>[]
  readonly rules: readonly RuleTrial[]
}

function tryEntries<Kind extends Entry>(
  policies: readonly Policy[],
  listOf: (policy: Policy) => readonly Kind[],
  subject: Subject,
): readonly EntryTrial<Kind>[] {
  return policies.flatMap((policy) =>
    listOf(policy).map((entry) => ({ policy, entry, match: matchEntry(entry, subject) })),
  )
}

/** Why the request isn't allowed, before limits and holds: a deny that matches, or no rule that allows it. */
function denialOf(
  { denies, rules }: Trials,
  subject: Subject,
  applicable: readonly Policy[],
): Denial | undefined {
  for (const { policy, entry, match } of denies) {
    if (match === undefined) continue
    const asked = matchText(entry, match, subject)
    return denialBy(policy, entry, { reason: "denied_by_rule", asked, allowed: null })
  }
  if (rules.some(({ stop }) => stop === undefined)) return undefined
  return applicable.length === 0
    ? noPolicy(subject.request)
    : furthestDenial(rules, subject.request)
}

/** Of several rules that allow, the widest band sizes: the larger size, and the same one in every order of files. */
function widestBand(allowing: readonly RuleTrial[]): Decimal | undefined {
  return allowing
    .map(({ rule }) => rule.priceMatchBand)
    .filter((band) => band !== undefined)
    .reduce<Decimal | undefined>(
      (widest, band) => (widest === undefined || compareDecimals(band, widest) > 0 ? band : widest),
      undefined,
    )
}

function nameOf([first]: readonly RuleTrial[]): string {
  return first === undefined ? "" : `${first.policy.name}/${first.rule.name}`
}

/** Of several holds that match, the one whose release must come soonest. */
function heldBy(holds: Trials["holds"]): Extract<Decision, { kind: "hold" }>["hold"] | undefined {
  const [soonest] = holds
    .filter(({ match }) => match !== undefined)
    .sort((a, b) => a.entry.ttlMs - b.entry.ttlMs)
  if (soonest === undefined) return undefined
  const { policy, entry } = soonest
  const { name, line, ttlMs } = entry
  return { policy: policy.name, name, file: policy.file, line, ttlMs }
}

function refusedByLimit(denial: Denial, verdicts: readonly Verdict[]): Decision {
  const { policy, rule, file, line, reason } = denial
  const place = { policy: policy ?? "", rule: rule ?? "", file: file ?? "", line: line ?? 0 }
  return {
    kind: "refuse",
    denial,
    verdicts: [...verdicts, { ...place, verdict: "denies", reason }],
  }
}

function verdictsOf({ denies, rules, holds }: Trials): readonly Verdict[] {
  return [
    ...denies.map(({ policy, entry, match }) =>
      verdict(policy, entry, match && (["denies", "denied_by_rule"] as const)),
    ),
    ...rules.map(({ policy, rule, stop }) =>
      verdict(
        policy,
        rule,
        stop === undefined ? ["allows", null] : ["does_not_match", stop.mismatch.reason],
      ),
    ),
    ...holds.map(({ policy, entry, match }) =>
      verdict(policy, entry, match && (["holds", null] as const)),
    ),
  ]
}

function verdict(
  policy: Policy,
  entry: Entry,
  said: readonly [Verdict["verdict"], Verdict["reason"]] | undefined,
): Verdict {
  const [word, reason] = said ?? ["does_not_match", null]
  const { name: rule, line } = entry
  return { policy: policy.name, rule, file: policy.file, line, verdict: word, reason }
}
