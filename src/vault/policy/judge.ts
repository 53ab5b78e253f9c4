import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, type Decimal } from "../../venue/decimal.ts"
import { coversPath } from "../../venue/read-paths.ts"
import { orderSizes } from "./order-size.ts"
import { claimsOf, enforced, withoutCheck, withoutKey } from "./claims-of.ts"
import {
  allowedBesides,
  matchSized,
  type Sizes,
  matchedOrder,
  matchText,
  type Stop,
  tryRule,
} from "./try-entry.ts"
import {
  subjectOf,
  type Subject,
  type Circumstances,
  type JudgedRequest,
} from "./match/judged-request.ts"
import {
  appliesTo,
  type Claim,
  type OrderSize,
  denialBy,
  noPolicy,
  noRule,
  verdictOf,
  verdictsBy,
  type Decision,
  type Denial,
  type HeldBy,
  ofOrder,
  type Verdict,
  type Verdicts,
  type Policy,
  type Rule,
} from "./terms.ts"

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
  const verdicts: Verdicts = () => verdictsOf(judged)
  const refuse = (denial: Denial): Decision => ({ kind: "refuse", denial, verdicts })

  const denied = deniedBy(judged)
  if (denied !== undefined) return refuse(denied)
  if (applicable.length === 0) return refuse(noPolicy(request))
  const rule = allowingRule(applicable, subject)
  if (!rule.ok) return refuse(rule.error)

  const lacking = unkeyedDenial(applicable, request) ?? uncheckedDenial(applicable, request)
  if (lacking !== undefined) return refusedBesides(lacking, verdicts)
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
      const asked = matchText(entry, match, subject)
      const allowed = allowedBesides(entry, match)
      const denied = { reason: "denied_by_rule", asked, allowed } as const
      const order = matchedOrder(entry, match)
      return denialBy(policy, entry, order === undefined ? denied : ofOrder(order, denied))
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

/** The denial of what may open a position and wasn't checked in time, by the file that gives the least time. */
function uncheckedDenial(policies: readonly Policy[], request: JudgedRequest): Denial | undefined {
  if (request.lane !== "open") return undefined
  const [strictest] = policies
    .flatMap((policy) => (policy.requireCheck ? [{ policy, asks: policy.requireCheck }] : []))
    .sort((one, other) => one.asks.ms - other.asks.ms)
  if (strictest === undefined || request.checkAgeMs <= strictest.asks.ms) return undefined
  const { policy, asks } = strictest
  return denialBy(policy, asks, withoutCheck(request, asks.ms))
}

/** What is counted of the request, or the denial by a limit that can't tell what to count. */
function counted({ applicable, subject, sizes }: Judged): Result<readonly Claim[], Denial> {
  const counts = applicable.some(({ limits, repeatWithin }) => limits.length > 0 || repeatWithin)
  return counts ? enforced(claimsOf(subject, sizes(), applicable)) : ok([])
}

/** The hold that matches. Of several, the one that expires first. */
function heldBy({ applicable, subject, sizes }: Judged): HeldBy | undefined {
  const [soonest, ...others] = applicable
    .flatMap((policy) => policy.hold.map((entry) => ({ policy, entry })))
    .filter(({ entry }) => matchSized(entry, subject, sizes) !== undefined)
    .sort((a, b) => a.entry.ttlMs - b.entry.ttlMs)
  if (soonest === undefined) return undefined
  const { policy, entry } = soonest
  const { name, line, ttlMs } = entry
  const grants = entry.grants && others.length === 0
  return { policy: policy.name, name, file: policy.file, line, ttlMs, grants }
}

/** By what has no verdict of its own: a limit, or what a file asks of every request. */
function refusedBesides(denial: Denial, verdicts: Verdicts): Decision {
  return { kind: "refuse", denial, verdicts: () => [...verdicts(), verdictOf(denial)] }
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

/** Whether a policy lets a client read a path of the venue (without its query), with the key if the read names one. */
export function mayRead(
  policies: readonly Policy[],
  { client, key }: { readonly client: string; readonly key?: string | undefined },
  path: string,
): boolean {
  return policies
    .filter((policy) => appliesTo(policy, client, key))
    .some(({ reads }) => reads.some((pattern) => coversPath(pattern, path)))
}

/**
 * The operations that rules cover and the patterns that may be read, for a client with one of its keys. An upper
 * bound: nothing else that a rule, a deny or a limit asks is looked at.
 */
export function coveredFor(policies: readonly Policy[], { name, keys }: Holder) {
  const applicable = policies.filter((each) => keys.some((key) => appliesTo(each, name, key)))
  const rules = applicable.flatMap((policy) => policy.rules)
  return {
    operations: new Set(rules.flatMap(({ operations }) => [...operations])),
    reads: [...new Set(applicable.flatMap(({ reads }) => reads))],
  }
}

type Holder = { readonly name: string; readonly keys: readonly string[] }
