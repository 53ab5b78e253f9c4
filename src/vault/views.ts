import type { ClientView, KeyView, RecordView } from "../link/views.ts"
import type { Client, KeyEntry } from "./bindings.ts"
import type { StoredRecord } from "./ledger/ledger.ts"

/** A key as scripts and bots see it. */
export function keyView(key: KeyEntry): KeyView {
  return {
    name: key.name,
    address: key.address,
    role: key.role,
    wallet: key.wallet,
    targets: key.targets,
    network: key.network,
    approval: key.approval,
    expires_at: key.expiresAtMs,
  }
}

/** A client as the operator sees it; its token's hash stays here. */
export function clientView(client: Client): ClientView {
  return {
    name: client.name,
    keys: client.keys,
    rights: client.rights,
    allow_type_b: client.allowTypeB,
  }
}

/** A record as its client sees it. */
export function recordView(record: StoredRecord): RecordView {
  return {
    id: record.id,
    state: record.state,
    client: record.client,
    key: record.key,
    operation: record.operation,
    nonce: record.nonce,
    expires_after: record.expiresAfterMs,
    decided_at: record.decidedAtMs,
    policy_hash: record.policyHash,
    refusal: record.refusal,
    outcome: record.outcome,
  }
}
