import { err, ok, type Result } from "../../std/result.ts"
import { maxDecimal, type Decimal } from "../../venue/decimal.ts"
import { limitAmounts, type Amount } from "./limit-amounts.ts"
import { matchEntry } from "./match/match-entry.ts"
import { accountOf } from "./match/target-addresses.ts"
import type { Claim, ClaimWindow, OrderSize } from "./terms/claim.ts"
import type { Mismatch } from "./terms/decision.ts"
import type { Circumstances, JudgedRequest } from "./judged/judged-request.ts"
import type { Subject } from "./judged/judged-order.ts"
import type { Limit, Policy } from "./terms/policy.ts"

/** What a limit counts of, and the sizes of its orders. */
type Counting = {
  readonly policy: Policy
  readonly limit: Limit
  readonly subject: Subject
  readonly sizes: readonly OrderSize[]
}

/**
 * What one limit counts of a request, or why it can't tell. Prices aren't used: a recorded request with its recorded sizes always
 * makes the same claims.
 */
export function claimsOfLimit({
  policy,
  limit,
  subject,
  sizes,
}: Counting): Result<readonly Claim[], Mismatch> {
  const match = isInLane(limit, subject) ? matchEntry(limit, subject) : undefined
  if (match === undefined) return ok([])
  const amounts = limitAmounts({ limit, subject, match, sizes })
  if (!amounts.ok) return amounts
  const window = windowAt(limit, subject.circumstances.nowMs)
  if (window === undefined) {
    return err({
      reason: "limit_unreadable",
      asked: "the day, which no calendar has",
      allowed: null,
    })
  }
  const max = raisedMax(policy, limit, subject.circumstances)
  return ok(
    amounts.value.map((amount) => ({
      policy: policy.name,
      limit: limit.name,
      file: policy.file,
      line: limit.line,
      meter: meterOf(limit, amount, subject.request),
      window,
      amount: amount.amount,
      max,
      mode: limit.mode,
      release: limit.release,
    })),
  )
}

/** Requests that reduce risk count only if the limit names them, so a spent limit never traps a position. */
function isInLane({ lane, namesEndpoints }: Limit, { request }: Subject): boolean {
  if (request.lane === "cancel") return namesEndpoints
  return (request.lane === "reduce") === (lane === "reduce")
}

function windowAt({ window }: Limit, nowMs: number): ClaimWindow | undefined {
  return window.kind === "rolling" ? window : window.dayAt(nowMs)
}

/** A raise gives a higher maximum for a while. A raise below the policy's maximum changes nothing. */
function raisedMax({ name }: Policy, limit: Limit, { raises }: Circumstances): Decimal {
  const raised = raises
    .filter((raise) => raise.limit === limit.name || raise.limit === `${name}/${limit.name}`)
    .map(({ max }) => max)
  return maxDecimal(limit.max, ...raised)
}

/** What is counted, and for whom. As JSON the parts can't be confused, whatever name a body gives an asset. */
function meterOf(limit: Limit, { group }: Amount, request: JudgedRequest): string {
  return `${limit.definition}:${JSON.stringify([countedFor(limit, request), group])}`
}

function countedFor({ per }: Limit, request: JudgedRequest): string {
  switch (per) {
    case "client":
      return request.client
    case "key":
      return request.key.name
    case "account":
      return accountOf(request)
    case "symbol": // the group of every amount is its symbol then
    case "all":
      return ""
  }
}
