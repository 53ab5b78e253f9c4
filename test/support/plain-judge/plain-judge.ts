import type {
  Denial,
  HeldBy,
  Verdict,
  Deny,
  Entry,
  Hold,
  Policy,
  Rule,
} from "../../../src/vault/policy/terms.ts"
import type {
  Circumstances,
  JudgedRequest,
} from "../../../src/vault/policy/match/judged-request.ts"
import { unitsOf, unitsText } from "./plain-amount.ts"
import { plainClaims, type PlainClaim, type PlainSizes } from "./plain-limit.ts"
import { plainSized } from "./plain-over.ts"
import { saidOf, type Said } from "./plain-matchers.ts"
import { plainStop } from "./plain-rule.ts"
import { plainLoss } from "./plain-loss.ts"
import { partCosts } from "./plain-size.ts"
import { plainSubject, type PlainSubject } from "./plain-subject.ts"

/** A decision, its amounts as people read them. */
export type PlainDecision =
  | { readonly kind: "refuse"; readonly denial: Denial; readonly verdicts: readonly Verdict[] }
  | {
      readonly kind: "allow" | "hold"
      readonly hold: HeldBy | undefined
      readonly rule: string
      readonly claims: readonly PlainClaim[]
      readonly sizes: readonly (readonly (string | null)[])[]
      readonly verdicts: readonly Verdict[]
    }

/**
 * Judges one entry after the other, all of them, every time, by what docs/policy-reference.md says: the measure
 * for `judge`. It takes policies as they were read, and shares no code with what judges by them.
 */
export function plainJudge(
  request: JudgedRequest,
  policies: readonly Policy[],
  circumstances: Circumstances,
): PlainDecision {
  const subject = plainSubject(request, circumstances)
  const applicable = policies.filter((policy) => isFor(policy, request))
  const trials = applicable.flatMap((policy) =>
    policy.rules.map((entry) => ({ policy, entry, stop: plainStop(entry, subject) })),
  )
  const allowing = trials.filter(({ stop }) => stop === undefined)
  const sizes = sizesOf(
    subject,
    allowing.map(({ entry }) => entry.priceMatchBand),
  )
  const denies = matched(applicable, ({ deny }) => deny, { subject, sizes })
  const holds = matched(applicable, ({ hold }) => hold, { subject, sizes })
  const verdicts = [
    ...denies.map((it) => verdict(it, it.match && ["denies", "denied_by_rule"])),
    ...trials.map((it) =>
      verdict(it, it.stop ? ["does_not_match", it.stop.said.reason] : ["allows", null]),
    ),
    ...holds.map((it) => verdict(it, it.match && ["holds", null])),
  ]
  const refuse = (denial: Denial) => ({ kind: "refuse", denial, verdicts }) as const

  const deny = denies.find(({ match }) => match !== undefined)
  if (deny?.match !== undefined) {
    const { words, allowed, of } = deny.match
    const said: Said = { reason: "denied_by_rule", asked: words, allowed }
    return refuse(denialBy(deny, saidOf(of, said)))
  }
  const [first] = allowing
  if (first === undefined) return refuse(furthest(trials, subject, applicable))

  const limits = applicable.flatMap((policy) =>
    policy.limits.map((entry) => ({
      policy,
      entry,
      claims: plainClaims(policy, entry, { subject, sizes }),
    })),
  )
  for (const limit of limits) {
    if (limit.claims.ok || limit.entry.mode === "observe") continue
    const { error } = limit.claims
    const last = verdict(limit, ["denies", error.reason])
    return { kind: "refuse", denial: denialBy(limit, error), verdicts: [...verdicts, last] }
  }
  const hold = soonest(holds.filter(({ match }) => match !== undefined))
  return {
    kind: hold === undefined ? "allow" : "hold",
    hold,
    rule: `${first.policy.name}/${first.entry.name}`,
    claims: limits.flatMap(({ claims }) => (claims.ok ? claims.value : [])),
    sizes: sizes.map(({ parts, loss }) =>
      [...parts, loss].map((units) => (units === null ? null : unitsText(units))),
    ),
    verdicts,
  }
}

type Placed<Kind extends Entry = Entry> = { readonly policy: Policy; readonly entry: Kind }
type Trial = Placed & { readonly stop: ReturnType<typeof plainStop> }

function isFor({ appliesTo }: Policy, { client, key }: JudgedRequest): boolean {
  const { clients = [client], keys = [key.name] } = appliesTo
  return clients.includes(client) && keys.includes(key.name)
}

function matched<Kind extends Deny>(
  applicable: readonly Policy[],
  listOf: (policy: Policy) => readonly Kind[],
  sized: { readonly subject: PlainSubject; readonly sizes: PlainSizes },
) {
  return applicable.flatMap((policy) =>
    listOf(policy).map((entry) => ({ policy, entry, match: plainSized(entry, sized) })),
  )
}

/** Sized by the widest band of those that allow. */
function sizesOf(subject: PlainSubject, bands: readonly Rule["priceMatchBand"][]): PlainSizes {
  const { profile, orders = [], request } = subject
  const matchBand = bands
    .flatMap((band) => (band === undefined ? [] : [unitsOf(band)]))
    .reduce<bigint | undefined>((most, band) => (band > (most ?? -1n) ? band : most), undefined)
  return orders.map((read) => {
    const isListed = read.market !== undefined && request.operation !== "chaseOrder"
    const reference = isListed ? subject.referenceOf(read.order) : undefined
    if (reference === undefined) return { parts: read.parts.map(() => null), loss: null }
    const pricing = { reference, matchBand, profile }
    const parts = partCosts(read, pricing).map((cost) => (cost.ok ? cost.value.units : null))
    return { parts, loss: plainLoss(read, pricing) }
  })
}

/** Of the rules that cover the operation the first of those that passed most checks. */
function furthest(
  trials: readonly Trial[],
  { request }: PlainSubject,
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
  if (told?.stop !== undefined) return denialBy(told, told.stop.said)
  const covered = [...new Set(trials.flatMap(({ entry }) => [...entry.operations]))].sort()
  const allowed = covered.length === 0 ? null : covered.join(", ")
  return { ...nowhere, reason: "no_rule_covers_endpoint", asked: operation, allowed }
}

function denialBy({ policy, entry }: Placed, said: Said): Denial {
  return { policy: policy.name, rule: entry.name, file: policy.file, line: entry.line, ...said }
}

/** Of the holds that match the one that ends first. */
function soonest(held: readonly Placed<Hold>[]): HeldBy | undefined {
  const [first] = held.toSorted((a, b) => a.entry.ttlMs - b.entry.ttlMs)
  if (first === undefined) return undefined
  const { name, line, ttlMs } = first.entry
  const grants = held.length === 1 && first.entry.grants
  return { policy: first.policy.name, name, file: first.policy.file, line, ttlMs, grants }
}

function verdict(
  { policy, entry }: Placed,
  said: readonly [Verdict["verdict"], Verdict["reason"]] | undefined,
): Verdict {
  const [word, reason] = said ?? ["does_not_match", null]
  const place = { policy: policy.name, rule: entry.name, file: policy.file, line: entry.line }
  return { ...place, verdict: word, reason }
}
