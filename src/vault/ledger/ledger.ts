import type { Outcome } from "../../link/outcome.ts"
import type { Refusal } from "../../link/refusal.ts"
import type { Fault } from "../../std/fault.ts"
import type { Result } from "../../std/result.ts"
import type { Address } from "../../venue/address.ts"
import type { OperationId } from "../../venue/profile.ts"
import type { Client, KeyEntry } from "../bindings.ts"
import type { Freeze } from "../freeze.ts"
import type { Claim, OrderSize } from "../policy/claim.ts"
import type { Hold, HoldAsk, HoldBinding, HoldDecision } from "./hold.ts"
import type { Idempotency, IdempotencyKey, KeyUse } from "./idempotency.ts"
import type { LedgerSafety } from "./ledger-safety.ts"
import type { LedgerAudit } from "./ledger-audit.ts"
import type { AdminEntry, Raise, StoredPrice } from "./admin-entry.ts"
import type { Budgets, Spending } from "./budgets.ts"
import type { Headroom, MeterUse } from "./meters.ts"
import type { RecentRefusal } from "./recent-decisions.ts"
import type { CommitTimes } from "../metrics/commit-times.ts"
import type { RecordSearch } from "./stored-keys.ts"

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
  /** Of a single order. */
  readonly clientOrderId?: string | undefined
  /** The trace that the bot said it belongs to. */
  readonly traceparent?: string | undefined
  readonly idempotency?: Idempotency | undefined
}

/** A request that was refused after its client was known. */
export type RefusalEntry = {
  readonly client: string
  readonly key: string | null
  readonly operation: OperationId | null
  readonly policyHash: string
  readonly refusal: Refusal
}

/** The texts of a set of files, and the hash that names it. */
export type StoredSet = {
  readonly hash: string
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** When a set was active the last time. */
export type SetActivation = { readonly hash: string; readonly activatedAtMs: number }

/** A recorded request with all that its claims are made of. */
export type RecordedRequest = {
  readonly record: RecordId
  readonly client: string
  readonly key: string
  readonly operation: OperationId
  readonly path: string
  readonly signer: Address
  readonly target: Address | null
  /** Canonical JSON of the business fields. */
  readonly body: string
  readonly sizes: readonly OrderSize[]
  /** Wall time of the decision. */
  readonly atMs: number
  /** The time that its claims were counted at: wall time, but never going back. */
  readonly countedAtMs: number
  /** When the venue's refusal of its only send gave room back. */
  readonly releasedAtMs: number | undefined
}

/** A request that was asked about and isn't signed: `/check` with `Countersign-Shadow`. */
export type ShadowEntry = Pick<
  RequestEntry,
  "client" | "key" | "operation" | "path" | "target" | "body" | "policyHash"
> & { readonly signer: Address; readonly sizes: readonly OrderSize[] }

export type ReserveAsk = {
  readonly signer: Address
  readonly entry: RequestEntry
  /** All are counted, or the request is refused and none is. */
  readonly claims: readonly Claim[]
  /** What its orders were sized at, in their order; recorded. */
  readonly sizes: readonly OrderSize[]
  /** The hold whose release it uses up. */
  readonly release: { readonly hold: string } | undefined
  /** What it spends of the venue's budgets; left out where none is kept. */
  readonly spending?: Spending | undefined
  /** `expires_after = max(now, nonce) + ttlMs`. */
  readonly ttlMs: number
  readonly nowMs: number
}

/** What was taken for a request. Times in milliseconds. */
export type Taken = {
  readonly record: RecordId
  /** Unique and rising for each signer, whatever the clock does. */
  readonly nonce: number
  readonly expiresAfterMs: number
}

export type Reservation<Made = undefined> =
  | (Taken & {
      readonly kind: "reserved"
      /** What was made of it while its record was being committed. */
      readonly made: Made
      /** Claims of observed limits that it went over. */
      readonly over: readonly Headroom[]
    })
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** A request with this idempotency key came first, and is durable now. Nothing was taken. */
  | { readonly kind: "repeat" }

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
  /** Who signs, or was to sign elsewhere; `null` for a refusal. */
  readonly signer: Address | null
  /** The account it is for, where that isn't the signer. */
  readonly target: Address | null
  readonly body: string | null
  readonly nonce: number | null
  readonly expiresAfterMs: number | null
  readonly decidedAtMs: number
  readonly policyHash: string
  readonly refusal: Refusal | null
  readonly outcome: { readonly status: number | null; readonly code: string | null } | null
  /** `null` also where the key was the `client_order_id`. */
  readonly idempotencyKey: string | null
  readonly clientOrderId: string | null
  /** It has an idempotency key, so the venue's answer is kept. */
  readonly keepsAnswer: boolean
}

/** What a start begins with, as durable when the ledger was opened. */
export type Opened = {
  readonly keys: readonly KeyEntry[]
  readonly clients: readonly Client[]
  /** The last one of each symbol, confirmed or not. */
  readonly prices: readonly StoredPrice[]
  /** Those that hadn't ended, in the order in which they were made. */
  readonly raises: readonly Raise[]
  readonly lastSet: StoredSet | undefined
  /** The set that a person accepted last. */
  readonly acceptedHash: string | undefined
  /** Those that nobody thawed. */
  readonly freezes: readonly Freeze[]
  /** Clients whose silence counts. */
  readonly armed: readonly string[]
}

/**
 * The record of everything that was decided, and the only source of nonces.
 *
 * `reserve` is the one atomic call of the signing path: it takes claims, release, budgets and nonce synchronously,
 * all of them or none, so nothing can slip in between judging and reserving, and resolves once the record
 * is durable. After any write error the ledger is broken for good: what waits and every later call fails
 * with `ledger_unavailable`.
 */
export type Ledger = {
  /**
   * Refuses with `limit_exhausted`, `approval_required` (the release can't be used), `10029`, `ip_budget_exhausted`, `signer_pace`.
   * Rejects with {Fault} `ledger_unavailable` (also for claims before the first `replaceMeters`),
   * `clock_unsafe`; before anything is taken or written.
   *
   * `make` runs while the record is on its way to the disk. What it makes comes out with the reservation
   * alone, so never before the record is durable; where it throws, so does this.
   */
  reserve<Made = undefined>(
    ask: ReserveAsk,
    make?: (taken: Taken) => Made,
  ): Promise<Reservation<Made>>
  /** Has no act answered before `work` is, if it began before: as for a reservation. `work` must wait for no act. */
  follow<Output>(work: Promise<Output>): Promise<Output>
  /** What an idempotency key was used for, as far as that was queued before this call. */
  keyUse(key: IdempotencyKey, nowMs: number): Promise<KeyUse>
  /** How claims stand now, in their order. @throws {Fault} `ledger_unavailable` before the first `replaceMeters`. */
  headroom(claims: readonly Claim[], nowMs: number): readonly Headroom[]
  /** What is used of every meter that has anything left. */
  usage(nowMs: number): readonly MeterUse[]
  /**
   * Counts what is used anew: folds the requests recorded since `sinceMs` through `build` while others go
   * on being reserved, adds those, and exchanges the meters at once. `exchanged` runs in the same turn, so
   * that the set whose claims `build` makes can be exchanged together with its meters. Calls run one after
   * the other. If it fails, the old meters stay.
   *
   * `countedBy` names what `build` counts by: what was counted by the same is kept in the ledger from time
   * to time, and only what came after it is folded. Without it all is, and nothing is kept.
   */
  replaceMeters(
    build: (request: RecordedRequest) => readonly Claim[],
    sinceMs: number,
    ask?: { readonly countedBy?: string; readonly exchanged?: () => void },
  ): Promise<void>
  /** The requests that count from `sinceMs` on and were recorded before the first step, in the order of counting. */
  history(sinceMs: number): AsyncIterable<RecordedRequest>
  /** Keeps a request that was only asked about, to be judged again by other files. Durable when it resolves. */
  recordShadow(entry: ShadowEntry, nowMs: number): Promise<RecordId>
  /** The shadows that were asked at `sinceMs` or later, in the order of time. */
  shadows(sinceMs: number): AsyncIterable<RecordedRequest>
  /** Holds a request. One that is pending already is returned as it is; `overloaded` when too many are. */
  openHold(ask: HoldAsk, nowMs: number): Promise<Result<Hold, Refusal>>
  /** The hold whose release the request may use. */
  findRelease(binding: HoldBinding, nowMs: number): string | undefined
  /** All that are pending or released, and those that ended last; oldest first. */
  holds(nowMs: number): readonly Hold[]
  /** Releases or refuses a pending hold, durable when it resolves. Rejects with {Fault} `name_unknown`, `usage` when it isn't pending. */
  decideHold(id: string, decision: HoldDecision, nowMs: number): Promise<void>
  /** The texts of a set that was ever active. */
  set(hash: string): Promise<StoredSet | undefined>
  /** The 20 sets that were active last, the newest first. */
  sets(): Promise<readonly SetActivation[]>
  /**
   * Records a refusal without waiting; identical ones within a second are counted on one record.
   * Returns its id, or `null` when so many wait that this one is only counted.
   *
   * @throws {Fault} `ledger_unavailable`.
   */
  note(entry: RefusalEntry, nowMs: number): RecordId | null
  /**
   * Records what became of a request. Resolves when durable. Every outcome is recorded; the state only
   * ever becomes more certain, so outcomes may come in any order. A refusal of the only send gives back
   * what the request's claims allow to be given back.
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
  /** The nonce that a signer used last: about the time when it signed, in milliseconds. */
  lastNonce(signer: Address): number | undefined
  /** The record of a request or refusal by id, with its state as of `nowMs`. */
  record(id: RecordId, nowMs: number): Promise<StoredRecord | undefined>
  /** A client's own requests by idempotency key or `client_order_id`: the last 20, the newest first. */
  records(search: RecordSearch, nowMs: number): Promise<readonly StoredRecord[]>
  /** The refusals that were recorded last, at most `limit`, the newest first. */
  recentRefusals(limit: number): Promise<readonly RecentRefusal[]>
  /** Number of entries that were ever recorded, of every kind. */
  count(): Promise<number>
  readonly opened: Opened
  /** Resolves with what broke it; only opening it anew mends that. Never, if it is closed first. */
  readonly broken: Promise<Fault>
  /** Reading, proving and archiving what was recorded. */
  readonly audit: LedgerAudit
  /** The venue's rate budgets; what of them is used isn't recorded by itself. */
  readonly budgets: Budgets
  /** Guards against copies, restores and clocks. */
  readonly safety: LedgerSafety
  readonly commits: CommitTimes
  /** Waits for what is queued, then gives the lock back. Safe to call twice. */
  close(): Promise<void>
}
