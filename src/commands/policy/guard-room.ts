import type { FileSet } from "../../vault/config/load-files.ts"
import { valueFor } from "../../vault/guards/guard.ts"
import { boundFor } from "../../vault/policy/bounds.ts"
import { mayMeet } from "../../vault/policy/file/policy-file.ts"
import type { PlacedGuard } from "../../vault/policy/guard-terms.ts"
import type { Policy, Rule, SizeBound } from "../../vault/policy/terms.ts"
import { atSameScale, type Decimal, formatDecimal } from "../../venue/decimal.ts"
import type { AccountPoll, Profile } from "../../venue/profile.ts"
import { opening, type Pace, paceOf, timeOfRoom } from "./guard-pace.ts"

/*
 * How many orders of a rule fit under a guard on positions and open orders, and how many may be signed in the time that one
 * takes room. By the files alone: for the largest order that the rule allows, and an account that holds nothing.
 */

type Files = Pick<FileSet, "policies" | "profile" | "config">

/** What is said of guards and rules: a warning where it is hardly meant so, else a note. */
type Said = { readonly warnings: readonly string[]; readonly notes: readonly string[] }

/** What each guard has room for, of each rule that may open a position under it. */
export function guardRoom(files: Files): Said {
  const { accountPoll } = files.profile
  if (accountPoll === undefined) return { warnings: [], notes: [] } // of that another warning tells
  const said = pairsIn(files).map((pair) => roomFor(pair, files, accountPoll))
  return {
    warnings: said.flatMap(({ warnings }) => warnings),
    notes: said.flatMap(({ notes }) => notes),
  }
}

/** A rule that may open a position, the policy that it is of, and a guard that bounds it. */
type Pair = { readonly policy: Policy; readonly rule: Rule; readonly guard: PlacedGuard }

function pairsIn({ policies, profile }: Files): readonly Pair[] {
  return policies.flatMap((policy) => {
    const guards = policies
      .filter(({ appliesTo }) => mayMeet(policy.appliesTo, appliesTo))
      .flatMap((other) => other.guards)
    const rules = policy.rules.filter((rule) => mayOpen(rule, profile))
    return rules.flatMap((rule) => guards.map((guard) => ({ policy, rule, guard })))
  })
}

function mayOpen(rule: Rule, profile: Profile): boolean {
  const isReducing = rule.matchers.requireFlags?.includes("reduce_only") === true
  return (
    !isReducing &&
    opening.some((id) => rule.operations.has(id)) &&
    perpsOf(rule, profile).length > 0
  )
}

function perpsOf({ matchers: { symbols } }: Rule, profile: Profile) {
  const all = [...profile.symbols.byId.values()].filter(({ market }) => market === "perp")
  return all.filter(({ id }) => symbols?.includes(id) ?? true)
}

function roomFor(pair: Pair, { policies, profile, config }: Files, poll: AccountPoll): Said {
  const { policy, rule, guard } = pair
  const tightest = boundsOn(pair, profile).reduce<Bound | undefined>(
    (one, other) => (one !== undefined && one.fit <= other.fit ? one : other),
    undefined,
  )
  if (tightest === undefined) return { warnings: [], notes: [] }
  const { fit, words } = tightest
  const [named, most] = [
    placeOf(guard),
    `the largest order that ${policy.name}/${rule.name} allows`,
  ]
  if (fit === 0n) {
    const mend = "raise the guard, or lower what the rule allows"
    return { warnings: [`${named} has no room for ${most}: ${words}; ${mend}`], notes: [] }
  }
  const time = timeOfRoom(rule, poll, config.expiresInMs.trade)
  const pace = paceOf({ policy, rule, of: tightest.of }, policies)
  const fills = (lengthMs: number) => (pace(lengthMs)?.count ?? 0n) > fit
  const text = `${named} has room for ${fit} of ${most}: ${words}. One takes room for ${time.words}. ${paceWords(pace(time.ms), fit)}`
  if (!fills(time.ms) || fills(time.leastMs)) return { warnings: [], notes: [text] }
  const warning = `${text}; read more often it wouldn't: lower busy of poll in venue.yaml`
  return { warnings: [warning], notes: [] }
}

function paceWords(signed: ReturnType<Pace>, fit: bigint): string {
  if (signed === undefined) return "No limit says how many may be signed in that time"
  const { limit, count } = signed
  return `In that time ${limit} lets ${count} be signed${count > fit ? ", which fills it" : ""}`
}

/** A bound of a guard: how many orders of the rule's largest size fit under it. */
type Bound = {
  readonly fit: bigint
  readonly words: string
  /** What is counted against it: requests, whose orders of a symbol are bounded together, or each order. */
  readonly of: "requests" | "orders"
}

/** Those that the rule says a size for, in their unit. */
function boundsOn({ rule, guard }: Pair, profile: Profile): readonly Bound[] {
  const { maxOpenOrders, maxOpenNotional } = guard
  const perps = perpsOf(rule, profile)
  return [
    ...perps.flatMap((symbol) => positionBound({ rule, guard }, symbol)),
    ...(maxOpenOrders === undefined
      ? []
      : [
          {
            fit: BigInt(maxOpenOrders),
            words: `max_open_orders ${maxOpenOrders}`,
            of: "orders" as const,
          },
        ]),
    ...perps.flatMap(({ id, name }) =>
      bound("max_open_notional", maxOpenNotional, { bound: rule.maxNotional, id, name }),
    ),
  ]
}

function positionBound(
  { rule, guard }: Pick<Pair, "rule" | "guard">,
  { id, name }: { readonly id: number; readonly name: string },
): readonly Bound[] {
  const most = valueFor(guard.maxPosition, id)
  const size = most?.kind === "notional" ? rule.maxNotional : rule.maxQuantity
  return bound(`max_position ${most?.kind ?? ""}`, most?.max, { bound: size, id, name })
}

function bound(
  kind: string,
  max: Decimal | undefined,
  {
    bound: of,
    id,
    name,
  }: { readonly bound: SizeBound | undefined; readonly id: number; readonly name: string },
): readonly Bound[] {
  const size = of && boundFor(of, id)
  if (max === undefined || size === undefined || size.coefficient === 0n) return []
  const [all, each] = atSameScale(max, size)
  const words = `${kind} ${formatDecimal(max)}, ${formatDecimal(size)} each in ${name}`
  return [{ fit: all / each, words, of: "requests" }]
}

/** `policy/name (file:line)` */
function placeOf({ policy, name, file, line }: PlacedGuard): string {
  return `${policy}/${name} (${file}:${line})`
}
