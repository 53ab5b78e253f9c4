import type { Outcome } from "../../link/methods.ts"
import type { Refusal } from "../../link/refusal.ts"
import type { Address } from "../../venue/address.ts"
import type { OperationId } from "../../venue/profile.ts"
import type { Client, KeyEntry } from "../bindings.ts"

export type RecordId = string

/** A request that policy allowed, as it is recorded before it is signed. */
export type RequestEntry = {
  readonly client: string
  readonly key: string
  readonly operation: OperationId
  readonly path: string
  readonly target: Address | null
  /** Canonical JSON of the business fields: what was judged and what is hashed. */
  readonly body: string
  readonly policyHash: string
  /** `policy/rule` that allowed it. */
  readonly rule: string
  readonly purpose: "return" | "forward"
}

/** A request that was refused after its client was known. */
export type RefusalEntry = {
  readonly client: string
  readonly key: string | null
  readonly operation: OperationId | null
  readonly policyHash: string
  readonly refusal: Refusal
}

/** A change made by an operator, or one that follows from an accepted request. */
export type AdminEntry =
  | { readonly act: "started"; readonly policyHash: string }
  | { readonly act: "key_added"; readonly key: KeyEntry }
  | { readonly act: "key_exported"; readonly name: string }
  | { readonly act: "client_added"; readonly client: Client }
  | {
      readonly act: "agent_approved"
      readonly name: string
      readonly expiresAtMs: number
      readonly record: RecordId
    }
  | { readonly act: "agent_revoked"; readonly name: string; readonly record: RecordId }

export type ReserveAsk = {
  readonly signer: Address
  readonly entry: RequestEntry
  /** `expires_after = max(now, nonce) + ttlMs`. */
  readonly ttlMs: number
  readonly nowMs: number
}

export type Reservation =
  | {
      readonly kind: "reserved"
      readonly record: RecordId
      /** Milliseconds; unique and rising for each signer, whatever the clock does. */
      readonly nonce: number
      readonly expiresAfterMs: number
    }
  | { readonly kind: "refused"; readonly refusal: Refusal }

/**
 * What became of a request. `sent`: the gate began to send it. `unknown`: it may have arrived.
 * `expired_unresolved`: it was returned or sent, nothing was heard, and it can't be accepted any more.
 */
export type RecordState =
  "refused_here" | "signed" | "sent" | "accepted" | "refused" | "unknown" | "expired_unresolved"

export type StoredRecord = {
  readonly id: RecordId
  readonly state: RecordState
  readonly client: string
  readonly key: string | null
  readonly operation: OperationId | null
  readonly body: string | null
  readonly nonce: number | null
  readonly expiresAfterMs: number | null
  readonly decidedAtMs: number
  readonly policyHash: string
  readonly refusal: Refusal | null
  readonly outcome: { readonly status: number | null; readonly code: string | null } | null
}

/**
 * The record of everything that was decided, and the only source of nonces.
 *
 * `reserve` is the one atomic call of the signing path: it takes the nonce synchronously, so nothing
 * can slip in between judging and reserving, and resolves once the record is durable. After any write
 * error the ledger is broken for good: what waits and every later call fails with
 * `ledger_unavailable`.
 */
export type Ledger = {
  /** Rejects with {Fault} `ledger_unavailable`, `clock_unsafe` (before anything is written). */
  reserve(ask: ReserveAsk): Promise<Reservation>
  /**
   * Records a refusal without waiting; identical ones within a second are counted on one record.
   * Returns its id, or `null` when so many wait that this one is only counted.
   *
   * @throws {Fault} `ledger_unavailable`.
   */
  note(entry: RefusalEntry, nowMs: number): RecordId | null
  /**
   * Records what became of a request. Resolves when durable. Every outcome is recorded; the state only
   * ever becomes more certain, so outcomes may come in any order.
   *
   * Rejects with {Fault} `name_unknown` when no request has this id; nothing is written then.
   */
  settle(record: RecordId, outcome: Outcome, nowMs: number): Promise<void>
  /**
   * Records an operator's act and changes keys and clients by it, durable when it resolves.
   *
   * Rejects with {Fault} `name_taken`, `name_unknown`; nothing is written then.
   */
  act(entry: AdminEntry, nowMs: number): Promise<RecordId>
  /** The record of a request or refusal by id, with its state as of `nowMs`. */
  record(id: RecordId, nowMs: number): Promise<StoredRecord | undefined>
  /** Number of entries in the journal, of every kind. */
  count(): Promise<number>
  /** As durable when it was opened, to start from. */
  readonly opened: { readonly keys: readonly KeyEntry[]; readonly clients: readonly Client[] }
  /** Waits for what is queued, then gives the lock back. Safe to call twice. */
  close(): Promise<void>
}
