import { whoRefused } from "../../link/views/refusal.ts"
import type {
  BudgetUse,
  ClientView,
  DecisionView,
  KeyView,
  RecordView,
  RefusalView,
} from "../../link/views/views.ts"
import type { BudgetScope } from "../budgets/budget.ts"
import type { BudgetStand } from "../budgets/budgets.ts"
import type { KeyLocks } from "../keyring/keyring.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Client, KeyEntry } from "../ledger/records/bindings.ts"
import type { StoredRecord } from "../ledger/records/entries.ts"
import type { RecentDecision, RecentRefusal } from "../ledger/store/audit-jobs.ts"
import { reasonOf, resultOf } from "../metrics/counts.ts"

/** What tells how a key stands. */
export type KeyStates = {
  readonly keyring: KeyLocks
  readonly ledger: Pick<Ledger, "lastNonce">
}

/** A key as scripts and bots see it. */
export function keyView(key: KeyEntry, { keyring, ledger }: KeyStates): KeyView {
  return {
    name: key.name,
    address: key.address,
    role: key.role,
    wallet: key.wallet,
    targets: key.targets,
    network: key.network,
    approval: key.approval,
    expires_at: key.expiresAtMs,
    last_used: ledger.lastNonce(key.address) ?? null,
    locked: keyring.isLocked(key.name),
  }
}

/** A client as the operator sees it; its token's hash stays here. */
export function clientView(client: Client): ClientView {
  return {
    name: client.name,
    keys: client.keys,
    rights: client.rights,
    allow_type_b: client.allowTypeB,
    idempotency_by: client.idempotencyBy,
    revoked: client.tokenHash === null,
  }
}

/** A refusal as the operator sees it. */
export function refusalView({ id, atMs, repeats, ...entry }: RecentRefusal): RefusalView {
  const { client, operation, refusal } = entry
  return {
    record: id,
    at: atMs,
    client,
    operation,
    code: refusal.code,
    reason: refusal.code === "policy_denied" ? refusal.data.reason : null,
    by: whoRefused(refusal),
    message: refusal.message,
    times: repeats + 1,
  }
}

/** Of a message, so many characters: of 200 decisions they fit a line of the socket. */
const maxMessageLength = 240

/** A decision as the operator sees it. */
export function decisionView({
  id,
  atMs,
  rule,
  refusal,
  repeats,
  ...of
}: RecentDecision): DecisionView {
  const { seq, client, key, operation } = of
  return {
    ...{ seq, record: id, at: atMs, client, key, operation, times: repeats + 1 },
    result: refusal === null ? "allowed" : resultOf(refusal),
    by: refusal === null ? rule : whoRefused(refusal),
    reason: refusal === null ? null : reasonOf(refusal),
    message: refusal === null ? null : refusal.message.slice(0, maxMessageLength),
  }
}

/** A rate budget as the operator sees it. */
export function budgetUse({ scope, address, max, used, keptForCancels }: Stand): BudgetUse {
  const whose = address === "" ? null : address
  return { scope, address: whose, max, used, kept_for_cancels: keptForCancels }
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
    idempotency_key: record.idempotencyKey,
    client_order_id: record.clientOrderId,
  }
}

/** How one of the venue's rate budgets stands. */
export type Stand = BudgetStand & {
  readonly scope: BudgetScope
  readonly address: string
  readonly keptForCancels: number
}
