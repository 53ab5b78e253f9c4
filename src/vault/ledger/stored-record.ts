import type { Address } from "../../venue/address.ts"
import type { OperationId } from "../../venue/profile.ts"
import type { StoredRecord } from "./ledger.ts"
import { stateAsOf } from "./record-state.ts"
import type { RefusalRow } from "./row.ts"
import type { FoundRecord } from "./stored-rows.ts"

/** A record with its state as of `nowMs`. */
export function storedRecord(found: FoundRecord, nowMs: number): StoredRecord {
  if (!("heard" in found)) return refusedRecord(found.row)
  const { row, heard, status, code } = found
  return {
    id: row.id,
    state: stateAsOf(heard, row.expires_after, nowMs),
    client: row.client,
    key: row.key,
    operation: row.operation as OperationId, // written from one
    signer: row.signer as Address, // written from one
    target: row.target as Address | null, // written from one
    body: row.body,
    nonce: row.nonce,
    expiresAfterMs: row.expires_after,
    decidedAtMs: row.at_ms,
    policyHash: row.policy_hash,
    refusal: null,
    outcome: status === null && code === null ? null : { status, code },
    idempotencyKey: row.idempotency?.by === "header" ? row.idempotency.key : null,
    clientOrderId: row.client_order_id ?? null,
    keepsAnswer: row.idempotency !== undefined,
  }
}

function refusedRecord(row: RefusalRow): StoredRecord {
  return {
    id: row.id,
    state: "refused_here",
    client: row.client,
    key: row.key,
    operation: row.operation as OperationId | null, // written from one
    signer: null,
    target: null,
    body: null,
    nonce: null,
    expiresAfterMs: null,
    decidedAtMs: row.at_ms,
    policyHash: row.policy_hash,
    refusal: row.refusal,
    outcome: null,
    idempotencyKey: null,
    clientOrderId: null,
    keepsAnswer: false,
  }
}
