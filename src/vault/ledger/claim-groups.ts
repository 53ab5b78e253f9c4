import { addDecimals, maxDecimal, minDecimal, type Decimal } from "../../venue/decimal.ts"
import type { Claim, ClaimWindow } from "../policy/claim.ts"

/** What one limit asks of one meter for one request: its claims on it together. */
export type LimitAsk = { readonly claims: readonly [Claim, ...Claim[]]; readonly asked: Decimal }

/** What one request asks of one meter. */
export type ClaimGroup = {
  readonly meterId: string
  readonly meter: string
  readonly window: ClaimWindow
  readonly asks: readonly LimitAsk[]
  /** What the meter counts of the request. */
  readonly amount: Decimal
  /** The least that any of its limits allows. */
  readonly max: Decimal
}

/**
 * Puts a request's claims together by meter. Claims of one limit add up; limits that share a meter count
 * the same thing, so the request is counted once.
 */
export function groupClaims(claims: readonly Claim[]): readonly ClaimGroup[] {
  const byMeter = Map.groupBy(claims, meterIdOf)
  return [...byMeter].map(([meterId, [first, ...others]]) => {
    if (first === undefined) throw new Error("unreachable: a group has a member")
    const asks = asksOf([first, ...others])
    const [amount, ...amounts] = asks.map(({ asked }) => asked)
    return {
      meterId,
      meter: first.meter,
      window: first.window,
      asks,
      amount: maxDecimal(amount ?? first.amount, ...amounts),
      max: others.reduce((least, { max }) => minDecimal(least, max), first.max),
    }
  })
}

/**
 * Names the counter behind a claim. What may be given back is counted apart from what may not, so that
 * no release frees room in a limit that has none.
 */
export function meterIdOf({
  meter,
  window,
  release,
}: Pick<Claim, "meter" | "window" | "release">): string {
  const span = window.kind === "day" ? "day" : window.lengthMs
  return `${release} ${span} ${meter}`
}

function asksOf(claims: readonly Claim[]): readonly LimitAsk[] {
  const byLimit = Map.groupBy(claims, ({ policy, limit }) => JSON.stringify([policy, limit]))
  return [...byLimit.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const asked = others.reduce((sum, { amount }) => addDecimals(sum, amount), first.amount)
    return [{ claims: [first, ...others], asked }]
  })
}
