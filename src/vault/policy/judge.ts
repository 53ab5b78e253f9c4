import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, type Decimal } from "../../venue/decimal.ts"
import { approveAgentRule } from "./bounds/approve-agent-rule.ts"
import { maxNotional } from "./bounds/max-notional.ts"
import { maxSlippage } from "./bounds/max-slippage.ts"
import { allowedSize, matchSized, type Sizes } from "./bounds/over-size.ts"
import { priceBand } from "./bounds/price-band.ts"
import { orderSizes, maxQuantity, minQuantity } from "./bounds/order-size.ts"
import { claimsOf, enforced } from "./claims-of.ts"
import { denialBy, noPolicy, noRule, verdictOf, verdictsBy } from "./explain-denial.ts"
import { matchText } from "./match/match-entry.ts"
import { type Named, orderMatchers, requestMatchers, usesOrderMatchers } from "./match/matchers.ts"
import type { Claim, OrderSize } from "./terms/claim.ts"
import type { Decision, Denial, HeldBy, Verdict, Mismatch } from "./terms/decision.ts"
import { withoutKey } from "./sent-twice.ts"
import { appliesTo, subjectOf, type Subject, quantityText } from "./judged/judged-order.ts"
import type { Circumstances, JudgedRequest } from "./judged/judged-request.ts"
import type { Policy, Rule } from "./terms/policy.ts"

/**
 * Decides whether policy allows a request. One applicable rule must allow all of it, no applicable deny may match,
 * and every limit must be able to count it. Then, if a hold matches, the request waits for a person.
 *
 * Pure and total: it answers for every payload and never throws. The order of policies and entries changes
 * only which of several equal entries is named.
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
  let made: readonly OrderSize[] | undefined
  const sizes: Sizes = () => (made ??= orderSizes(subject, widestBand(applicable, subject)))
  const judged = { applicable, subject, sizes }
  const verdicts = (): readonly Verdict[] => verdictsOf(judged)
  const refuse = (denial: Denial): Decision => ({ kind: "refuse", denial, verdicts })

  const denied = deniedBy(judged)
  if (denied !== undefined) return refuse(denied)
  if (applicable.length === 0) return refuse(noPolicy(request))
  const rule = allowingRule(applicable, subject)
  if (!rule.ok) return refuse(rule.error)

  const unkeyed = unkeyedDenial(applicable, request)
  if (unkeyed !== undefined) return refusedBesides(unkeyed, verdicts)
  const claims = counted(judged)
  if (!claims.ok) return refusedBesides(claims.error, verdicts)

  const allowed = { rule: rule.value, claims: claims.value, sizes: sizes(), verdicts }
  const hold = heldBy(judged)
  return hold === undefined ? { kind: "allow", ...allowed } : { kind: "hold", hold, ...allowed }
}

type Judged = Readonly<{ applicable: readonly Policy[]; subject: Subject; sizes: Sizes }>

/** A deny that matches. */
function deniedBy({ applicable, subject, sizes }: Judged): Denial | undefined {
  for (const policy of applicable) {
    for (const entry of policy.deny) {
      const match = matchSized(entry, subject, sizes)
      if (match === undefined) continue
      const texts = { asked: matchText(entry, match, subject), allowed: allowedSize(entry, match) }
      return denialBy(policy, entry, { reason: "denied_by_rule", ...texts })
    }
  }
  return undefined
}

/** The first rule that allows the request, or else the denial by the rule that came closest. */
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
  // The operation is checked first, so here no rule covers it.
  if (furthest === undefined || furthest.stop.mismatch.reason === "endpoint_not_covered") {
    return err(noRule(applicable, subject.request))
  }
  return err(denialBy(furthest.policy, furthest.rule, furthest.stop.mismatch))
}

/** The widest price band of the rules that allow. It gives the larger size, and the order of files doesn't matter. */
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

/** The denial of a request without an idempotency key, by a file that wants one with each. */
function unkeyedDenial(policies: readonly Policy[], request: JudgedRequest): Denial | undefined {
  if (request.isKeyed) return undefined
  for (const policy of policies) {
    const { requireIdempotency } = policy
    if (requireIdempotency) return denialBy(policy, requireIdempotency, withoutKey(request))
  }
  return undefined
}

/** What is counted of the request, or the denial by a limit that can't tell what to count. */
function counted({ applicable, subject, sizes }: Judged): Result<readonly Claim[], Denial> {
  const counts = applicable.some(({ limits, repeatWithin }) => limits.length > 0 || repeatWithin)
  return counts ? enforced(claimsOf(subject, sizes(), applicable)) : ok([])
}

/** The hold that matches. Of several, the one that expires first. */
function heldBy({ applicable, subject, sizes }: Judged): HeldBy | undefined {
  const [soonest] = applicable
    .flatMap((policy) => policy.hold.map((entry) => ({ policy, entry })))
    .filter(({ entry }) => matchSized(entry, subject, sizes) !== undefined)
    .sort((a, b) => a.entry.ttlMs - b.entry.ttlMs)
  if (soonest === undefined) return undefined
  const { policy, entry } = soonest
  const { name, line, ttlMs } = entry
  return { policy: policy.name, name, file: policy.file, line, ttlMs }
}

/** By what has no verdict of its own: a limit, or what a file asks of every request. */
function refusedBesides(denial: Denial, verdicts: () => readonly Verdict[]): Decision {
  return { kind: "refuse", denial, verdicts: () => [...verdicts(), verdictOf(denial)] }
}

/** Why a rule doesn't allow a request, and how many checks passed before. */
export type Stop = { readonly mismatch: Mismatch; readonly passedChecks: number }

/**
 * Tries one rule on the whole request: every order, leg and batch item must pass every check. Returns the
 * check that failed, or `undefined` when the rule allows the request.
 */
export function tryRule(rule: Rule, subject: Subject): Stop | undefined {
  let passedChecks = 0
  for (const check of checks) {
    const mismatch = check(rule, subject)
    if (mismatch !== undefined) return { mismatch, passedChecks }
    passedChecks += 1
  }
  return undefined
}

/** Checks one requirement of a rule; `undefined` when the request meets it or the rule doesn't have it. */
type Check = (rule: Rule, subject: Subject) => Mismatch | undefined

/** From coarse to fine: the rule that passes most checks is likely the one that was meant. */
const checks: readonly Check[] = [
  endpoint,
  ...requestMatchers.map((named) => matching(named, (subject) => [subject])),
  unreadableOrders,
  ...orderMatchers.map((named) => matching(named, ({ parts }) => parts)),
  fullTpsl,
  unreadableSize,
  unreadablePrice,
  bounded("minQuantity", minQuantity),
  bounded("maxQuantity", maxQuantity),
  bounded("maxSlippage", maxSlippage),
  bounded("priceBand", priceBand),
  bounded("maxNotional", maxNotional),
  bounded("maxExpiresInMs", maxExpiresIn),
  approval,
]

type Bound = keyof Pick<
  Rule,
  "minQuantity" | "maxQuantity" | "maxSlippage" | "priceBand" | "maxNotional" | "maxExpiresInMs"
>

/** Checks a bound, if the rule has it. */
function bounded<Key extends Bound>(
  key: Key,
  check: (bound: NonNullable<Rule[Key]>, rule: Rule, subject: Subject) => Mismatch | undefined,
): Check {
  return (rule, subject) => {
    const bound = rule[key]
    return bound === undefined ? undefined : check(bound, rule, subject)
  }
}

/** A rule's keys about agents apply to approveAgent only. */
function approval(rule: Rule, subject: Subject): Mismatch | undefined {
  return subject.request.operation === "approveAgent" ? approveAgentRule(rule, subject) : undefined
}

function endpoint({ operations }: Rule, { request }: Subject): Mismatch | undefined {
  if (operations.has(request.operation)) return undefined
  const allowed = () => [...operations].join(", ")
  return { reason: "endpoint_not_covered", asked: request.operation, allowed }
}

/** Checks one matcher of a rule on the request, or on each of its orders and legs. */
function matching<On>(
  [name, matcher]: Named<On>,
  judgedOf: (subject: Subject) => readonly On[],
): Check {
  return ({ matchers }, subject) => {
    const value = matchers[name]
    if (value === undefined) return undefined
    for (const on of judgedOf(subject)) {
      if (matcher.fits(value, on, "rule")) continue
      const { symbols } = subject.circumstances.profile
      return {
        reason: matcher.reason,
        asked: () => matcher.asked(on, symbols, value),
        allowed: () => matcher.allowed(value, symbols),
      }
    }
    return undefined
  }
}

function unreadableOrders({ matchers }: Rule, { request, orders }: Subject): Mismatch | undefined {
  if (orders !== undefined || !usesOrderMatchers(matchers)) return undefined
  const asked = `${request.operation}, whose orders can't be read`
  return { reason: "order_unreadable", asked, allowed: null }
}

/** A full take-profit or stop closes the whole position, whatever its quantity says. */
function fullTpsl(
  { allowFullTpsl }: Rule,
  { orders = [], circumstances }: Subject,
): Mismatch | undefined {
  if (allowFullTpsl) return undefined
  const full = orders.find(({ order }) => order.tpsl?.mode === "full")
  if (full === undefined) return undefined
  const asked = () => `tpsl_mode full, ${quantityText(full.order, circumstances.profile.symbols)}`
  return { reason: "full_tpsl_not_allowed", asked, allowed: "tpsl_mode partial" }
}

function unreadableSize(rule: Rule, subject: Subject): Mismatch | undefined {
  if ((rule.maxQuantity ?? rule.minQuantity ?? rule.maxNotional) === undefined) return undefined
  if (isReadable(subject)) return undefined
  const asked = `${subject.request.operation}, whose size can't be read`
  return { reason: "size_unreadable", asked, allowed: null }
}

function unreadablePrice(rule: Rule, subject: Subject): Mismatch | undefined {
  if ((rule.priceBand ?? rule.maxSlippage) === undefined || isReadable(subject)) return undefined
  const asked = `${subject.request.operation}, whose price can't be read`
  return { reason: "order_unreadable", asked, allowed: null }
}

/** A chase moves its price by itself, so its size isn't known even if its body can be read. */
function isReadable({ orders, request }: Subject): boolean {
  return orders !== undefined && request.operation !== "chaseOrder"
}

/** The time that the signed request would be valid. */
function maxExpiresIn(maxMs: number, _: Rule, { request }: Subject): Mismatch | undefined {
  // Not `>`: NaN compares as false and must not pass.
  if (request.expiresInMs <= maxMs) return undefined
  return {
    reason: "expires_in_over_max",
    asked: `valid for ${request.expiresInMs} ms`,
    allowed: `${maxMs} ms; send Countersign-Expires-In`,
  }
}

/** The verdict of each deny, rule and hold on a request, each tried by itself. */
function verdictsOf({ applicable, subject, sizes }: Judged): readonly Verdict[] {
  return [
    ...verdictsBy(
      applicable,
      ({ deny }) => deny,
      (entry) => matchSized(entry, subject, sizes) && ["denies", "denied_by_rule"],
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
      (entry) => matchSized(entry, subject, sizes) && ["holds", null],
    ),
  ]
}
