import type { Reading } from "./judged-order.ts"
import { oncePer } from "./once-per.ts"
import type { Policy, Rule } from "./policy.ts"
import {
  hasSeveral,
  inBoth,
  inEither,
  isEmpty,
  placesIn,
  ruleSet,
  withoutUnfit,
  type RuleSet,
} from "./rule-set.ts"
import type { RuleTest, Subject } from "./subject.ts"
import { checks, type Listed, type RuleCheck } from "./try-rule.ts"

/** A rule with the policy that it is in. */
export type PlacedRule = { readonly policy: Policy; readonly rule: Rule }

/**
 * The rules that a request gets furthest with, in the order of their files: all that allow it, or else those
 * that stop it at the last check that any of them comes to. A rule that is left alone isn't asked further.
 *
 * Goes through the checks, not through the rules: every check narrows the set of rules that are left. Where a
 * check compares with lists, the rules that accept a value are found once for all requests, for every value
 * that some rule lists: what bots send adds nothing to that.
 */
export function foremostRules(
  subject: Subject,
  policies: readonly Policy[],
  applicable: readonly Policy[],
): readonly PlacedRule[] {
  const { rules, rulesOf, narrowings } = tableOf(policies)
  let foremost = applicable.map(rulesOf).reduce(inEither, ruleSet(rules.length, []))
  for (const narrow of narrowings) {
    if (!hasSeveral(foremost)) break
    const left = narrow(foremost, subject)
    if (isEmpty(left)) break
    foremost = left
  }
  return placesIn(foremost).flatMap((place) => rules[place] ?? [])
}

type Table = {
  readonly rules: readonly PlacedRule[]
  readonly rulesOf: (policy: Policy) => RuleSet
  readonly narrowings: readonly Narrowing[]
}

/** Those of the rules that pass one check. */
type Narrowing = (rules: RuleSet, subject: Subject) => RuleSet

const tableOf = oncePer((policies: readonly Policy[]): Table => {
  const rules = policies.flatMap((policy) => policy.rules.map((rule) => ({ policy, rule })))
  const unplaced = rules.map(({ rule }) => rule)
  const rulesThat = (fits: (placed: PlacedRule) => boolean): RuleSet => {
    const places = rules.flatMap((placed, place) => (fits(placed) ? [place] : []))
    return ruleSet(rules.length, places)
  }
  return {
    rules,
    rulesOf: oncePer((policy) => rulesThat((placed) => placed.policy === policy)),
    narrowings: checks.flatMap((check) => {
      const asking = rulesThat(({ rule }) => check.isAsked(rule))
      if (isEmpty(asking)) return []
      const { listed } = check
      return [listed ? byList(listed, unplaced) : byTrial(check, unplaced, asking)]
    }),
  }
})

function byTrial({ check }: RuleCheck, rules: readonly Rule[], asking: RuleSet): Narrowing {
  return (left, subject) => {
    let test: RuleTest | undefined
    return withoutUnfit(left, asking, (place) => {
      test ??= check(subject)
      const rule = rules[place]
      return rule !== undefined && test(rule) === undefined
    })
  }
}

function byList({ listOf, readingsOf }: Listed, rules: readonly Rule[]): Narrowing {
  const indifferent: number[] = []
  const placesByValue = new Map<unknown, number[]>()
  for (const [place, rule] of rules.entries()) {
    const list = listOf(rule)
    if (list === undefined) indifferent.push(place)
    for (const value of list ?? []) {
      const places = placesByValue.get(value) ?? []
      placesByValue.set(value, places)
      places.push(place)
    }
  }
  const acceptingAll = ruleSet(rules.length, indifferent)
  const accepting = new Map(
    Array.from(placesByValue, ([value, places]) => [
      value,
      inEither(acceptingAll, ruleSet(rules.length, places)),
    ]),
  )
  const accepters = (reading: Reading<unknown>): readonly RuleSet[] =>
    reading === undefined || reading.length === 0
      ? [acceptingAll]
      : reading.map((value) => accepting.get(value) ?? acceptingAll)
  return (left, subject) => {
    // Of the many readings of a batch few differ.
    const sets = new Set<RuleSet>()
    for (const reading of readingsOf(subject)) for (const set of accepters(reading)) sets.add(set)
    return [...sets].reduce(inBoth, left)
  }
}
