import { err, ok, type Result } from "../../std/result.ts"
import { maxDecimal, type Decimal } from "../../venue/decimal.ts"
import { denialBy } from "./explain-denial.ts"
import { limitAmounts, type Amount } from "./limit-amounts.ts"
import { matchEntry } from "./match/match-entry.ts"
import { accountOf } from "./match/target-addresses.ts"
import type { Claim, ClaimWindow, OrderSize } from "./terms/claim.ts"
import type { Denial, Mismatch } from "./terms/decision.ts"
import type { Circumstances, JudgedRequest } from "./judged/judged-request.ts"
import { appliesTo, type Subject } from "./judged/judged-order.ts"
import type { Limit, Policy } from "./terms/policy.ts"

/** What the limits make of a request: what they count, and which of them can't tell. */
type Tally = {
  readonly claims: readonly Claim[]
  /** Of limits that can't read what they count; they make no claim. */
  readonly unreadable: readonly { readonly denial: Denial; readonly mode: Limit["mode"] }[]
}

/**
 * What the limits of the policies make of a request whose orders were sized as `sizes` says. Asks limit by limit:
 * what one can't read takes no claim from the others.
 *
 * No price is looked at: a recorded request with its recorded sizes makes the same claims again, whatever prices
 * have done since.
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
    for (const limit of policy.limits) {
      const made = claimsOfLimit({ policy, limit, subject, sizes })
      if (made.ok) claims.push(...made.value)
      else unreadable.push({ denial: denialBy(policy, limit, made.error), mode: limit.mode })
    }
  }
  return { claims, unreadable }
}

/** The claims of a tally, unless a limit that is enforced can't tell what to count: one that only observes refuses nothing. */
export function enforced({ claims, unreadable }: Tally): Result<readonly Claim[], Denial> {
  const refusing = unreadable.find(({ mode }) => mode === "enforce")
  return refusing === undefined ? ok(claims) : err(refusing.denial)
}

type Counting = {
  readonly policy: Policy
  readonly limit: Limit
  readonly subject: Subject
  readonly sizes: readonly OrderSize[]
}

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

/** What reduces risk counts only where a limit names it, so that a spent limit never keeps anyone in. */
function isInLane({ lane, namesEndpoints }: Limit, { request }: Subject): boolean {
  if (request.lane === "cancel") return namesEndpoints
  return (request.lane === "reduce") === (lane === "reduce")
}

function windowAt({ window }: Limit, nowMs: number): ClaimWindow | undefined {
  return window.kind === "rolling" ? window : window.dayAt(nowMs)
}

/** A raise gives more for a while; one below the written maximum changes nothing. */
function raisedMax({ name }: Policy, limit: Limit, { raises }: Circumstances): Decimal {
  const raised = raises
    .filter((raise) => raise.limit === limit.name || raise.limit === `${name}/${limit.name}`)
    .map(({ max }) => max)
  return maxDecimal(limit.max, ...raised)
}

/** What is counted, and for whom: JSON keeps the two apart whatever a body's asset is called. */
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
