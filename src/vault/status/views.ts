import { whoRefused } from "../ledger/records/entries.ts"
import type { ClientView, RefusalView } from "../../contract/views.ts"
import type { KeyView, RecordView } from "../../contract/bot-views.ts"
import type { KeyLocks } from "../keyring/keyring.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Client, KeyEntry } from "../ledger/records/bindings.ts"
import { isRequest, stateOf } from "../ledger/found-records.ts"
import type { FoundRecord, FoundRequest } from "../ledger/store/store.ts"
import type { RecentRefusal } from "../ledger/store/audit-queries.ts"
import type { LedgerTime } from "../process/clock.ts"

/** What tells how a key stands. */
export type KeyStates = {
  readonly keyring: KeyLocks
  readonly ledger: Pick<Ledger, "lastNonce">
}

/** A key as scripts and bots see it. */
export function keyView(key: KeyEntry, { keyring, ledger }: KeyStates): KeyView {
  return {
    ...key,
    last_used: ledger.lastNonce(key.address) ?? null,
    locked: keyring.isLocked(key.name),
  }
}

/** A client as the operator sees it; its token's hash stays here. */
export function clientView(client: Client, nowMs: LedgerTime): ClientView {
  return {
    name: client.name,
    keys: client.keys,
    rights: client.rights,
    allow_type_b: client.allow_type_b,
    forward_only: client.forward_only ?? false,
    idempotency_by: client.idempotency_by ?? "header",
    expires_at: client.expires_at ?? null,
    expired: nowMs >= (client.expires_at ?? Infinity),
    revoked: client.token_hash === null,
  }
}

/** A refusal as the operator sees it. */
export function refusalView({ row, repeats }: RecentRefusal): RefusalView {
  const { id, at_ms, client, operation, refusal } = row
  return {
    record: id,
    at: at_ms,
    client,
    operation,
    code: refusal.code,
    reason: refusal.code === "policy_denied" ? refusal.data.reason : null,
    by: whoRefused(refusal),
    message: refusal.message,
    times: repeats + 1,
  }
}

/** A record as its client sees it. */
export function recordView(found: FoundRecord, nowMs: LedgerTime): RecordView {
  const { id, client, key, operation, at_ms: decided_at, policy_hash } = found.row
  const always = { id, client, key, operation, decided_at, policy_hash }
  const state = stateOf(found, nowMs)
  if (!isRequest(found)) return { ...always, state, ...notSigned, refusal: found.row.refusal }
  const { row } = found
  const { nonce, expires_after, idempotency } = row
  return {
    ...always,
    ...{ state, nonce, expires_after, refusal: null },
    outcome: outcomeView(found),
    idempotency_key: idempotency?.by === "header" ? idempotency.key : null,
    client_order_id: row.client_order_id ?? null,
  }
}

function outcomeView({ status, code, answered }: FoundRequest): RecordView["outcome"] {
  if (status === null && code === null) return null
  return { status, code, order: answered?.order ?? null }
}

const notSigned = {
  ...{ nonce: null, expires_after: null, outcome: null },
  ...{ idempotency_key: null, client_order_id: null },
}
