import {
  type Decimal,
  addDecimals,
  formatDecimal,
  maxDecimal,
  minDecimal,
  sumDecimals,
} from "../../../venue/decimal.ts"
import type { Claim, ClaimWindow, OrderSize } from "../../policy/terms.ts"
import { readDecimal } from "./prices.ts"
import type { OutcomeRow, RequestRow } from "./row.ts"

/** The time that a request's claims, or what an outcome gives back, are counted at: wall time, but never going back. */
export function countedAt(row: Pick<RequestRow | OutcomeRow, "at_ms" | "counted_at">): number {
  return row.counted_at ?? row.at_ms
}

/** What orders were sized at, as a row has it. */
export function sizesOf(sizes: readonly OrderSize[]): Pick<RequestRow, "sizes"> {
  const textOf = (size: Decimal | null) => (size === null ? null : formatDecimal(size))
  const fields = sizes.map(({ entry, legs, cost }) => ({
    ...{ entry: textOf(entry), legs: legs.map(textOf), cost: textOf(cost) },
  }))
  return fields.length > 0 ? { sizes: fields } : {}
}

/** Reads what a row's orders were sized at. @throws {Fault} `ledger_unusable` when it makes no sense. */
export function readSizes({ sizes = [] }: Pick<RequestRow, "sizes">): readonly OrderSize[] {
  return sizes.map(({ entry, legs, cost }) => {
    const size = { entry: decimalOf(entry), legs: legs.map(decimalOf) }
    if (cost !== undefined) return { ...size, cost: decimalOf(cost) }
    // Fees apart, no order can lose more than all that it was sized at.
    return { ...size, cost: sumDecimals([size.entry, ...size.legs]) }
  })
}

function decimalOf(text: string | null): Decimal | null {
  return text === null ? null : readDecimal(text)
}

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

function asksOf(claims: readonly [Claim, ...Claim[]]): readonly LimitAsk[] {
  if (claims.length === 1) return [{ claims, asked: claims[0].amount }]
  const byLimit = Map.groupBy(claims, ({ policy, limit }) => JSON.stringify([policy, limit]))
  return [...byLimit.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const asked = others.reduce((sum, { amount }) => addDecimals(sum, amount), first.amount)
    return [{ claims: [first, ...others], asked }]
  })
}

/** What a meter gets back when the venue refuses the only send of a request. */
export type Refund = Pick<Claim, "meter" | "window" | "amount" | "max">

/** What a request's claims would give back. */
export function refundsOf(claims: readonly Claim[]): readonly Refund[] {
  return groupClaims(claims.filter(({ release }) => release === "refused")).map(
    ({ meter, window, amount, max }) => ({ meter, window, amount, max }),
  )
}

/** Writes what is given back. */
export function refundFieldsOf({
  meter,
  window,
  amount,
  max,
}: Refund): NonNullable<RequestRow["refunds"]>[number] {
  return {
    meter,
    amount: formatDecimal(amount),
    max: formatDecimal(max),
    window:
      window.kind === "rolling"
        ? { kind: "rolling", length_ms: window.lengthMs }
        : { kind: "day", start_ms: window.startMs, end_ms: window.endMs },
  }
}
