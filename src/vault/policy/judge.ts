import type {
  Circumstances,
  Decision,
  Denial,
  JudgedRequest,
  Mismatch,
  Verdict,
} from "./decision.ts"
import type { JudgedOrder } from "./judged-order.ts"
import { orderMatchers, usesOrderMatchers } from "./order-matchers.ts"
import { orderText } from "./order-text.ts"
import type { Entry, Policy, Rule } from "./policy.ts"
import { subjectOf, type Subject } from "./subject.ts"
import { tryRule, type Stop } from "./try-rule.ts"

/**
 * Decides whether policy allows a request: some applicable rule allows it as a whole, and no applicable deny matches.
 *
 * Pure and total: whatever the payload, it answers and doesn't throw. The order of policies and of their
 * entries changes at most which of several equal rules is named.
 */
export function judge(
  request: JudgedRequest,
  policies: readonly Policy[],
  circumstances: Circumstances,
): Decision {
  const subject = subjectOf(request, circumstances)
  const applicable = policies.filter((policy) => applies(policy, request))
  const denies = applicable.flatMap((policy) =>
    policy.deny.map((entry) => ({ policy, entry, matched: matchedBy(entry, subject) })),
  )
  const trials = applicable.flatMap((policy) =>
    policy.rules.map((rule) => ({ policy, rule, stop: tryRule(rule, subject) })),
  )
  const verdicts = [...denies.map(denyVerdict), ...trials.map(ruleVerdict)]

  const denial = firstDenial(denies)
  if (denial !== undefined) return { kind: "refuse", denial, verdicts }
  const allowing = trials.find(({ stop }) => stop === undefined)
  if (allowing !== undefined) {
    return { kind: "allow", rule: `${allowing.policy.name}/${allowing.rule.name}`, verdicts }
  }
  if (applicable.length === 0) return { kind: "refuse", denial: noPolicy(request), verdicts }
  return { kind: "refuse", denial: furthestDenial(trials, request), verdicts }
}

type Trial = { readonly policy: Policy; readonly rule: Rule; readonly stop: Stop }
type DenyTrial = {
  readonly policy: Policy
  readonly entry: Entry
  /** What it matched, for people; `undefined` when it didn't match. */
  readonly matched: string | undefined
}

function applies({ appliesTo }: Policy, { client, key }: JudgedRequest): boolean {
  const isClient = appliesTo.clients?.includes(client) ?? true
  const isKey = appliesTo.keys?.includes(key.name) ?? true
  return isClient && isKey
}

/** What of the request a deny matches. One order or leg is enough, and so is what can't be read. */
function matchedBy(entry: Entry, subject: Subject): string | undefined {
  const { request, orders, circumstances } = subject
  if (!entry.operations.has(request.operation)) return undefined
  if (!usesOrderMatchers(entry.matchers)) return request.operation
  if (orders === undefined) return `${request.operation}, whose orders can't be read`

  const fits = (order: JudgedOrder): boolean =>
    orderMatchers.every((matcher) => matcher.fits(entry.matchers, order, "deny"))
  const matched = orders.flatMap(({ parts }) => parts).find(fits)
  return matched && orderText(matched.order, circumstances.profile.symbols)
}

function firstDenial(denies: readonly DenyTrial[]): Denial | undefined {
  for (const { policy, entry, matched } of denies) {
    if (matched === undefined) continue
    const mismatch: Mismatch = { reason: "denied_by_rule", asked: matched, allowed: null }
    return denialBy(policy, entry, mismatch)
  }
  return undefined
}

/** Of the rules that cover the endpoint, the one that passed most checks says what to change. */
function furthestDenial(trials: readonly Trial[], request: JudgedRequest): Denial {
  let furthest: { readonly trial: Trial; readonly stop: NonNullable<Stop> } | undefined
  for (const trial of trials) {
    const { stop } = trial
    if (stop === undefined || !trial.rule.operations.has(request.operation)) continue
    if (furthest === undefined || stop.passedChecks > furthest.stop.passedChecks) {
      furthest = { trial, stop }
    }
  }
  if (furthest === undefined) return noRule(trials, request)
  return denialBy(furthest.trial.policy, furthest.trial.rule, furthest.stop.mismatch)
}

function noPolicy({ client, key }: JudgedRequest): Denial {
  const asked = `client ${client} with key ${key.name}`
  return { ...nowhere, reason: "no_policy_applies", asked, allowed: null }
}

function noRule(trials: readonly Trial[], { operation }: JudgedRequest): Denial {
  const covered = new Set(trials.flatMap(({ rule }) => [...rule.operations]))
  const allowed = covered.size === 0 ? null : [...covered].sort().join(", ")
  return { ...nowhere, reason: "no_rule_covers_endpoint", asked: operation, allowed }
}

const nowhere = { policy: null, rule: null, file: null, line: null } as const

function denialBy(policy: Policy, entry: Entry, mismatch: Mismatch): Denial {
  return { ...placeOf(policy, entry), ...mismatch }
}

function denyVerdict({ policy, entry, matched }: DenyTrial): Verdict {
  return matched === undefined
    ? { ...placeOf(policy, entry), verdict: "does_not_match", reason: null }
    : { ...placeOf(policy, entry), verdict: "denies", reason: "denied_by_rule" }
}

function ruleVerdict({ policy, rule, stop }: Trial): Verdict {
  return stop === undefined
    ? { ...placeOf(policy, rule), verdict: "allows", reason: null }
    : { ...placeOf(policy, rule), verdict: "does_not_match", reason: stop.mismatch.reason }
}

function placeOf(policy: Policy, entry: Entry) {
  return { policy: policy.name, rule: entry.name, file: policy.file, line: entry.line }
}
