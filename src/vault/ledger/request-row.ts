import type { Claim } from "../policy/claim.ts"
import { refundFieldsOf, sizeFieldsOf } from "./claim-fields.ts"
import type { Idempotency } from "./idempotency.ts"
import type { RecordId, RequestEntry, ReserveAsk } from "./ledger.ts"
import { refundsOf } from "./refund.ts"
import type { IdempotencyFields, RequestRow } from "./row.ts"

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
