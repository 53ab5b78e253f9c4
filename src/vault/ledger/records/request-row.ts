import { Fault } from "../../../std/fault.ts"
import {
  formatDecimal,
  type Decimal,
  addDecimals,
  maxDecimal,
  minDecimal,
} from "../../../venue/decimal.ts"
import type { Address } from "../../../venue/address.ts"
import type { OperationId } from "../../../venue/profile.ts"
import type { Claim, ClaimWindow, OrderSize } from "../../policy/terms/claim.ts"
import type { RecordedRequest, RequestEntry } from "./entries.ts"
import type { Idempotency } from "./idempotency.ts"
import type { RecordId } from "./record-id.ts"
import type { ReserveAsk } from "./reservation.ts"
import type { IdempotencyFields, RefundFields, RequestRow, ShadowRow, SizeFields } from "./row.ts"

/** What `reserve` adds to what was asked. */
export type Reserved = {
  readonly record: RecordId
  readonly nonce: number
  readonly expiresAfterMs: number
  readonly countedAtMs: number
}

/** A reserved request as the journal holds it. */
export function requestRow(
  { entry, signer, nowMs, claims, sizes, release }: ReserveAsk,
  { record, nonce, expiresAfterMs, countedAtMs }: Reserved,
): RequestRow {
  const refunds = refundable(entry, claims)
  return {
    kind: "request",
    id: record,
    at_ms: nowMs,
    client: entry.client,
    key: entry.key,
    operation: entry.operation,
    path: entry.path,
    target: entry.target,
    body: entry.body,
    policy_hash: entry.policyHash,
    rule: entry.rule,
    purpose: entry.purpose,
    signer,
    nonce,
    expires_after: expiresAfterMs,
    ...(sizes.length > 0 && { sizes: sizes.map(sizeFieldsOf) }),
    ...(release !== undefined && { release: release.hold }),
    ...(refunds.length > 0 && { refunds: refunds.map(refundFieldsOf) }),
    ...(countedAtMs !== nowMs && { counted_at: countedAtMs }),
    ...(entry.clientOrderId !== undefined && { client_order_id: entry.clientOrderId }),
    ...(entry.traceparent !== undefined && { traceparent: entry.traceparent }),
    ...(entry.idempotency !== undefined && { idempotency: idempotencyFields(entry.idempotency) }),
  }
}

function idempotencyFields({ by, key, binding, replaces }: Idempotency): IdempotencyFields {
  return { by, key, binding, ...(replaces !== undefined && { replaces }) }
}

/** Who got the signed body itself may send it as often as they like, so no refusal is of the only send. */
function refundable({ purpose }: RequestEntry, claims: readonly Claim[]) {
  return purpose === "forward" ? refundsOf(claims) : []
}

/** A request or shadow as its row tells it; whether room was given back is another row's word. */
export function recordedRequest(
  row: Omit<ShadowRow, "kind"> & Pick<RequestRow, "counted_at">,
  releasedAtMs: number | undefined,
): RecordedRequest {
  return {
    record: row.id,
    client: row.client,
    key: row.key,
    operation: row.operation as OperationId, // written from one
    path: row.path,
    signer: row.signer as Address, // written from one
    target: row.target as Address | null, // written from one
    body: row.body,
    sizes: (row.sizes ?? []).map(readSize),
    atMs: row.at_ms,
    countedAtMs: row.counted_at ?? row.at_ms,
    releasedAtMs,
  }
}

// Sizes and refunds as rows hold them, and back.

/** Writes what an order was sized at. */
export function sizeFieldsOf({ entry, legs }: OrderSize): SizeFields {
  return { entry: textOf(entry), legs: legs.map(textOf) }
}

/** Reads what an order was sized at. @throws {Fault} `ledger_unusable` when it makes no sense. */
function readSize({ entry, legs }: SizeFields): OrderSize {
  return { entry: decimalOf(entry), legs: legs.map(decimalOf) }
}

/** Writes what is given back. */
function refundFieldsOf({ meter, window, amount, max }: Refund): RefundFields {
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

function textOf(size: Decimal | null): string | null {
  return size === null ? null : formatDecimal(size)
}

function decimalOf(text: string | null): Decimal | null {
  return text === null ? null : readDecimal(text)
}

/**
 * Reads a decimal that the ledger wrote. Unlike a bot's numbers a stored one may be of any length, for
 * sizes are products.
 *
 * @throws {Fault} `ledger_unusable` when it isn't one.
 */
export function readDecimal(text: string): Decimal {
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole !== "") return { coefficient: BigInt(whole + fraction), scale: fraction.length }
  throw new Fault(
    "ledger_unusable",
    "The ledger holds an amount that can't be read; restore the ledger from a back-up.",
  )
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

function asksOf(claims: readonly Claim[]): readonly LimitAsk[] {
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
