import { skewMs } from "../../vault/guards/exposure.ts"
import type { Limit, Policy, Rule } from "../../vault/policy/terms.ts"
import { atSameScale, one } from "../../venue/decimal.ts"
import type { AccountPoll, OperationId } from "../../venue/profile.ts"
import { durationText } from "./duration-text.ts"

/** What opens positions under a guard: it refuses a chase. */
export const opening: readonly OperationId[] = [
  "placeOrder",
  "placeBatch",
  "modifyOrder",
  "modifyBatch",
]

/** The shortest pause between readings that venue.yaml takes. */
const leastBusyMs = 1_000

/**
 * How long an order of a rule takes room at most, but for the time that the reads themselves take; and how long if the account
 * were read as often as can be. A reading of each account takes the lag, one after the other. `usualMs`: how long an order
 * is valid whose rule and request say nothing.
 */
export function timeOfRoom({ maxExpiresInMs }: Rule, poll: AccountPoll, usualMs: number) {
  const { lagMs, busyMs, isFed, accounts } = poll
  const validMs = Math.min(maxExpiresInMs ?? Infinity, usualMs)
  const [skew, readingsMs] = [skewMs.told, lagMs * accounts.length]
  const inAll = (nextMs: number) => validMs + skew + lagMs + nextMs + lagMs
  const nextMs = isFed ? 0 : Math.max(busyMs, readingsMs)
  const parts = [
    `${durationText(validMs)} valid`,
    `${durationText(skew)} skew`,
    `${durationText(lagMs)} lag`,
    isFed ? "however long until a client reads" : `${durationText(nextMs)} until the next reading`,
    `${durationText(lagMs)} for that`,
  ]
  return {
    ms: inAll(nextMs),
    leastMs: inAll(isFed ? 0 : Math.max(leastBusyMs, readingsMs)),
    words: `${isFed ? "at least" : "up to"} ${durationText(inAll(nextMs))} (${parts.join(", ")})`,
  }
}

/** How many may be signed within a time, by the limit that lets the fewest; `undefined` where none counts them. */
export type Pace = (
  lengthMs: number,
) => { readonly limit: string; readonly count: bigint } | undefined

/**
 * How many orders of a rule its limits let be signed, each by itself or in requests: a rule bounds the sizes of a request's orders
 * of a symbol together.
 */
export function paceOf(
  asked: { readonly policy: Policy; readonly rule: Rule; readonly of: "requests" | "orders" },
  policies: readonly Policy[],
): Pace {
  const { rule, of } = asked
  const isBatched = rule.operations.has("placeBatch") || rule.operations.has("modifyBatch")
  const kinds = of === "orders" && isBatched ? ["orders"] : ["orders", "requests"]
  const limits = policies
    .filter(({ appliesTo }) => isFor(appliesTo, asked.policy.appliesTo))
    .flatMap(({ name, limits: own }) =>
      own
        .filter((limit) => kinds.includes(limit.counted.kind) && countsAll(limit, rule))
        .map((limit) => ({ limit: `${name}/${limit.name}`, terms: limit })),
    )
  return (lengthMs) => {
    const all = limits.map(({ limit, terms }) => ({ limit, count: countWithin(terms, lengthMs) }))
    return all.toSorted((one, other) => Number(one.count - other.count))[0]
  }
}

/** Whether all whom one is for are whom the other is for. */
function isFor(limiting: Policy["appliesTo"], allowing: Policy["appliesTo"]): boolean {
  const isWithin = (all: readonly string[] | undefined, some: readonly string[] | undefined) =>
    all === undefined || some?.every((name) => all.includes(name)) === true
  return isWithin(limiting.clients, allowing.clients) && isWithin(limiting.keys, allowing.keys)
}

/** Whether a limit refuses, and counts everything by which a rule may open a position. */
function countsAll({ mode, lane, operations, matchers }: Limit, rule: Rule): boolean {
  const { symbols, ...others } = matchers
  const isOfAll = Object.values(others).every((asked) => asked === undefined)
  const ids = opening.filter((id) => rule.operations.has(id))
  return (
    mode === "enforce" &&
    lane === undefined &&
    isOfAll &&
    ids.every((id) => operations.has(id)) &&
    (symbols === undefined || rule.matchers.symbols?.every((id) => symbols.includes(id)) === true)
  )
}

/** So many begin and end in every window that the time touches. */
function countWithin({ max, window }: Limit, lengthMs: number): bigint {
  const windowMs = window.kind === "day" ? dayMs : window.lengthMs
  const [most, unit] = atSameScale(max, one)
  return (most / unit) * BigInt(Math.max(1, Math.ceil(lengthMs / windowMs)))
}

const dayMs = 86_400_000
