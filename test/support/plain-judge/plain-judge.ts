import { appliesTo } from "../../../src/vault/policy/applies-to.ts"
import { enforced, tallyLimits } from "../../../src/vault/policy/claims-of.ts"
import type {
  Circumstances,
  Decision,
  Denial,
  JudgedRequest,
  Mismatch,
  Verdict,
} from "../../../src/vault/policy/decision.ts"
import { matchEntry, matchText } from "../../../src/vault/policy/match-entry.ts"
import { orderSizes } from "../../../src/vault/policy/order-size.ts"
import type { Entry, Policy } from "../../../src/vault/policy/policy.ts"
import { subjectOf, type Subject } from "../../../src/vault/policy/subject.ts"
import { compareDecimals } from "../../../src/venue/decimal.ts"
import { plainStop } from "./plain-rule.ts"

/** Judges one entry after the other, all of them, every time: slow, and the measure for `judge`. */
export function plainJudge(
  request: JudgedRequest,
  policies: readonly Policy[],
  circumstances: Circumstances,
): Decision {
  const subject = subjectOf(request, circumstances)
  const applicable = policies.filter((policy) => appliesTo(policy, request))
  const matching = <Kind extends Entry>(listOf: (policy: Policy) => readonly Kind[]) =>
    applicable.flatMap((policy) =>
      listOf(policy).map((entry) => ({ policy, entry, match: matchEntry(entry, subject) })),
    )
  const denies = matching(({ deny }) => deny)
  const holds = matching(({ hold }) => hold)
  const trials: readonly Trial[] = applicable.flatMap((policy) =>
    policy.rules.map((entry) => ({ policy, entry, stop: plainStop(entry, subject) })),
  )
  const said = [
    ...denies.map((it) => verdict(it, it.match && ["denies", "denied_by_rule"])),
    ...trials.map((it) =>
      verdict(it, it.stop ? ["does_not_match", it.stop.mismatch.reason] : ["allows", null]),
    ),
    ...holds.map((it) => verdict(it, it.match && ["holds", null])),
  ]
  const verdicts = (): readonly Verdict[] => said

  for (const { policy, entry, match } of denies) {
    if (match === undefined) continue
    const asked = matchText(entry, match, subject)
    const denial = denialBy({ policy, entry }, { reason: "denied_by_rule", asked, allowed: null })
    return { kind: "refuse", denial, verdicts }
  }
  const allowing = trials.filter(({ stop }) => stop === undefined)
  const [first] = allowing
  if (first === undefined) {
    return { kind: "refuse", denial: furthest(trials, subject, applicable), verdicts }
  }
  const [widest] = allowing
    .map(({ entry }) => entry.priceMatchBand)
    .filter((band) => band !== undefined)
    .sort((a, b) => compareDecimals(b, a))
  const sizes = orderSizes(subject, widest)
  const claims = enforced(tallyLimits(subject, sizes, applicable))
  if (!claims.ok) {
    const { policy, rule, file, line, reason } = claims.error
    const last = { policy, rule, file, line, verdict: "denies", reason } as Verdict
    return { kind: "refuse", denial: claims.error, verdicts: () => [...said, last] }
  }
  const rule = `${first.policy.name}/${first.entry.name}`
  const allowed = { rule, claims: claims.value, sizes, verdicts }
  const [held] = holds
    .filter(({ match }) => match !== undefined)
    .sort((a, b) => a.entry.ttlMs - b.entry.ttlMs)
  if (held === undefined) return { kind: "allow", ...allowed }
  const { name, line, ttlMs } = held.entry
  const hold = { policy: held.policy.name, name, file: held.policy.file, line, ttlMs }
  return { kind: "hold", hold, ...allowed }
}

type Placed = { readonly policy: Policy; readonly entry: Entry }
type Trial = {
  readonly policy: Policy
  readonly entry: Policy["rules"][number]
  readonly stop: ReturnType<typeof plainStop>
}

/** Of the rules that cover the operation the first of those that passed most checks. */
function furthest(
  trials: readonly Trial[],
  { request }: Subject,
  applicable: readonly Policy[],
): Denial {
  const nowhere = { policy: null, rule: null, file: null, line: null }
  const { client, key, operation } = request
  if (applicable.length === 0) {
    const asked = `client ${client} with key ${key.name}`
    return { ...nowhere, reason: "no_policy_applies", asked, allowed: null }
  }
  const covering = trials.filter(({ entry }) => entry.operations.has(operation))
  const most = Math.max(...covering.map(({ stop }) => stop?.passedChecks ?? -1))
  const told = covering.find(({ stop }) => stop?.passedChecks === most)
  if (told?.stop !== undefined) return denialBy(told, told.stop.mismatch)
  const covered = [...new Set(trials.flatMap(({ entry }) => [...entry.operations]))].sort()
  const allowed = covered.length === 0 ? null : covered.join(", ")
  return { ...nowhere, reason: "no_rule_covers_endpoint", asked: operation, allowed }
}

function denialBy({ policy, entry }: Placed, { reason, asked, allowed }: Mismatch): Denial {
  const textOf = (words: Mismatch["asked"]) => (typeof words === "function" ? words() : words)
  const place = { policy: policy.name, rule: entry.name, file: policy.file, line: entry.line }
  return { ...place, reason, asked: textOf(asked), allowed: textOf(allowed) }
}

function verdict(
  { policy, entry }: Placed,
  said: readonly [Verdict["verdict"], Verdict["reason"]] | undefined,
): Verdict {
  const [word, reason] = said ?? ["does_not_match", null]
  const place = { policy: policy.name, rule: entry.name, file: policy.file, line: entry.line }
  return { ...place, verdict: word, reason }
}
