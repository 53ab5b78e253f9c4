import { sha256 } from "@noble/hashes/sha2.js"

import { toHex, utf8 } from "../../std/bytes.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { maxDecimal, type Decimal, one, wholeDecimal } from "../../venue/decimal.ts"
import type { JsonObject } from "../../venue/json.ts"
import { canonicalJson } from "../../venue/signing-hash.ts"
import { limitAmounts, type Amount, type Counting } from "./limit-amounts.ts"
import { matchEntry } from "./try-entry.ts"
import {
  type Circumstances,
  type JudgedRequest,
  type Subject,
  sorted,
} from "./match/judged-request.ts"
import { accountOf, mapAsked } from "./match/matchers.ts"
import {
  type Claim,
  appliesTo,
  type OrderSize,
  denialBy,
  type Denial,
  type Mismatch,
  type Limit,
  type Policy,
} from "./terms.ts"

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
      const made = claimsOfLimit(policy, limit, { subject, sizes })
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

/**
 * What one limit counts of a request, or why it can't tell. Prices aren't used: a recorded request with its recorded sizes always
 * makes the same claims.
 */
function claimsOfLimit(
  policy: Policy,
  limit: Limit,
  { subject, sizes }: Pick<Counting, "subject" | "sizes">,
): Result<readonly Claim[], Mismatch> {
  const match = isInLane(limit, subject) ? matchEntry(limit, subject) : undefined
  if (match === undefined) return ok([])
  const amounts = limitAmounts({ limit, subject, match, sizes })
  if (!amounts.ok) return amounts
  const { nowMs } = subject.circumstances
  const window = limit.window.kind === "rolling" ? limit.window : limit.window.dayAt(nowMs)
  if (window === undefined) {
    const asked = "the day, which no calendar has"
    return err({ reason: "limit_unreadable", asked, allowed: null })
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

/** What a limit is before its file and line are known. */
export type UnplacedLimit = Omit<Limit, "line" | "definition">

/**
 * A digest of what a limit counts: whom its file is for, its matchers, sum or count, window, `per` and lane. Name,
 * max, mode, release and the order of lists aren't part of it. So a limit that is renamed, raised or rearranged
 * keeps what was used.
 */
export function limitDefinition(limit: UnplacedLimit, appliesTo: Policy["appliesTo"]): string {
  const { operations, namesEndpoints, counted, window } = limit
  const matchers = mapAsked(limit.matchers, (each, value) => [each.key, each.form(value)] as const)
  const definition = {
    clients: sorted(appliesTo.clients),
    keys: sorted(appliesTo.keys),
    endpoints: namesEndpoints ? sorted([...operations]) : null,
    matchers: { ...unasked, ...Object.fromEntries<unknown>(matchers) },
    counted:
      counted.kind === "field" ? [counted.pointer.text, counted.by?.text ?? null] : counted.kind,
    // JSON makes `null` of the length of `ever`.
    window: window.kind === "rolling" ? ["rolling", window.lengthMs] : ["day", window.zone],
    per: limit.per,
    lane: limit.lane ?? null,
  }
  return toHex(sha256(utf8(JSON.stringify(definition))).slice(0, 16)).slice(2)
}

/** Digests have had these keys from the start. Later keys are in a digest only if an entry has them. */
const unasked = {
  ...{ symbols: null, sides: null, order_types: null, time_in_force: null, require_flags: null },
  ...{ forbid_flags: null, position_sides: null, margin_modes: null, stp_modes: null },
  ...{ algo_order_types: null, client_order_id: null, target_addresses: null, label: null },
  ...{ hours: undefined, where: null },
}

// What a file asks so that nothing is signed twice by mistake.

/** Why `require_idempotency` refuses a request, a cancel too. */
export function withoutKey({ operation }: JudgedRequest): Mismatch {
  return {
    reason: "idempotency_key_required",
    asked: `${operation} without an Idempotency-Key`,
    allowed: "every request, cancels too, with an Idempotency-Key of its own",
  }
}

/** Why `require_check` refuses what may open a position. */
export function withoutCheck({ operation, checkAgeMs }: JudgedRequest, withinMs: number): Mismatch {
  const isNamed = checkAgeMs < Infinity
  return {
    reason: isNamed ? "check_expired" : "check_required",
    asked: isNamed ? `a check of ${checkAgeMs} ms ago` : `${operation} without a Countersign-Check`,
    allowed: `what was checked at most ${withinMs} ms ago`,
    withinMs,
  }
}

/** How many requests of one client are remembered at once: its share of the memory, some 10 MB. */
const maxRemembered = wholeDecimal(5_000n)

/**
 * What `repeat_within` counts of a request: one of its very body, and one of all that its client has remembered. As limits' claims they
 * are taken in the turn that signs, and counted again from the records at a start. With an idempotency key it is remembered and not refused.
 */
function repeatClaims(
  { name: policy, file }: Policy,
  { name: limit, line, ms }: NonNullable<Policy["repeatWithin"]>,
  subject: Subject,
): readonly Claim[] {
  const { client, key, operation, lane, isKeyed } = subject.request
  if (lane === "cancel") return []
  const same = [client, key.name, operation, accountOf(subject.request), unnamed(subject)]
  const counted = {
    ...{ policy, limit, file, line, amount: one, release: "never" as const },
    window: { kind: "rolling", lengthMs: ms } as const,
  }
  const meter = `repeat:${toHex(sha256(utf8(JSON.stringify(same))))}`
  return [
    { ...counted, meter, max: one, mode: isKeyed ? "observe" : "enforce", isRepeat: true },
    { ...counted, meter: `repeats:${client}`, max: maxRemembered, mode: "enforce" },
  ]
}

/** The canonical body without the names that a bot gives to new orders; elsewhere they say which order is meant. */
function unnamed({ request: { operation, body }, circumstances: { profile } }: Subject): string {
  const isNew = operation === "placeOrder" || operation === "placeBatch"
  const text = JSON.stringify(body, (name, value: unknown) =>
    isNew && name === "client_order_id" ? undefined : value,
  )
  const form = { ...profile.canonicalForm, sort: "every_depth" } as const
  return canonicalJson(JSON.parse(text) as JsonObject, form) // a JsonObject's own text
}
