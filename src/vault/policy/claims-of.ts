import { err, ok, type Result } from "../../std/result.ts"
import { maxDecimal, type Decimal } from "../../venue/decimal.ts"
import { denialBy } from "./explain-denial.ts"
import { limitAmounts, type Amount } from "./limit-amounts.ts"
import { matchEntry } from "./match/match-entry.ts"
import { repeatClaims } from "./sent-twice.ts"
import { accountOf } from "./match/matchers.ts"
import type { Claim, ClaimWindow, OrderSize } from "./terms/claim.ts"
import type { Denial, Mismatch } from "./terms/decision.ts"
import type { Circumstances, JudgedRequest } from "./judged/judged-request.ts"
import { appliesTo, type Subject } from "./judged/judged-order.ts"
import type { Limit, Policy } from "./terms/policy.ts"

/** What the limits count of a request, and which limits can't tell what to count. */
type Tally = {
  readonly claims: readonly Claim[]
  /** The limits that can't tell what to count. They make no claim. */
  readonly unreadable: readonly { readonly denial: Denial; readonly mode: Limit["mode"] }[]
}

/**
 * What the limits of the policies count of a request with these `sizes`. Each limit is asked by itself: if one can't
 * tell, the others still make their claims.
 */
export function claimsOf(
  subject: Subject,
  sizes: readonly OrderSize[],
  policies: readonly Policy[],
): Tally {
  const { client, key } = subject.request
  const claims: Claim[] = []
  const unreadable: Tally["unreadable"][number][] = []
  for (const policy of policies) {
    if (!appliesTo(policy, client, key.name)) continue
    const { repeatWithin } = policy
    if (repeatWithin !== undefined) claims.push(...repeatClaims(policy, repeatWithin, subject))
    for (const limit of policy.limits) {
      const made = claimsOfLimit({ policy, limit, subject, sizes })
      if (made.ok) claims.push(...made.value)
      else unreadable.push({ denial: denialBy(policy, limit, made.error), mode: limit.mode })
    }
  }
  return { claims, unreadable }
}

/** The claims of a tally, or the denial by an enforced limit that can't tell what to count. An observing limit never denies. */
export function enforced({ claims, unreadable }: Tally): Result<readonly Claim[], Denial> {
  const refusing = unreadable.find(({ mode }) => mode === "enforce")
  return refusing === undefined ? ok(claims) : err(refusing.denial)
}

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
function claimsOfLimit({
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
