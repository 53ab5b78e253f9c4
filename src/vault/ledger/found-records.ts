import type { LedgerTime } from "../process/clock.ts"
import type { StoredRecord } from "./records/entries.ts"
import { keptMs, type EarlierRequest, type KeyUse } from "./records/idempotency.ts"
import { stateAsOf } from "./records/record-state.ts"
import type { OutcomeRow, RefusalRow } from "./records/row.ts"
import type { FoundKey, FoundRecord } from "./store/store.ts"

/** Of a request that was just reserved. */
export const nothingHeard: Omit<FoundKey, "row" | "countedAtMs"> = {
  heard: null,
  sends: 0,
  said: { status: null, code: null },
  answered: undefined,
}

/** What a key stands for at `nowMs`. It is kept for a day, and for as long as its request is good. */
export function keyUse(found: FoundKey | undefined, nowMs: LedgerTime): KeyUse {
  if (found?.row.idempotency === undefined) return { kind: "unused" }
  const { row, countedAtMs, heard, sends, said, answered } = found
  const untilMs = Math.max(countedAtMs + keptMs, row.expires_after)
  if (nowMs > untilMs) return { kind: "ended", record: row.id }
  return {
    kind: "kept",
    request: {
      record: row.id,
      binding: found.row.idempotency.binding,
      nonce: row.nonce,
      expiresAfterMs: row.expires_after,
      state: stateAsOf(heard, row.expires_after, nowMs),
      isUnsent: heard === "unsent" && sends === 0,
      putOff: heard === "unsent" ? wordsOf(said) : undefined,
      hadRelease: row.release !== undefined,
      answer: keptAnswer(answered),
    },
  }
}

function wordsOf({ status, code }: FoundKey["said"]): EarlierRequest["putOff"] {
  return status === null || code === null ? undefined : { status, code }
}

function keptAnswer(outcome: OutcomeRow | undefined) {
  if (outcome?.answer === undefined || outcome.status === null) return undefined
  return { ...outcome.answer, status: outcome.status }
}

/** A record with its state as of `nowMs`. */
export function storedRecord(found: FoundRecord, nowMs: LedgerTime): StoredRecord {
  if (!("heard" in found)) return refusedRecord(found.row)
  const { row, heard, status, code } = found
  return {
    id: row.id,
    state: stateAsOf(heard, row.expires_after, nowMs),
    client: row.client,
    key: row.key,
    operation: row.operation,
    signer: row.signer,
    target: row.target,
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
    operation: row.operation,
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
