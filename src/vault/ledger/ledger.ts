import type { Outcome } from "../../link/views/outcome.ts"
import type { Refusal } from "../../link/views/refusal.ts"
import type { Fault } from "../../std/fault.ts"
import type { Result } from "../../std/result.ts"
import type { Address } from "../../venue/address.ts"
import type { Budgets } from "../budgets/budgets.ts"
import type { Claim } from "../policy/terms/claim.ts"
import type { LedgerAudit } from "./audit/ledger-audit.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { MeterUse } from "./meters/meters.ts"
import type { AdminEntry, Raise, StoredPrice } from "./records/admin-entry.ts"
import type { Client, KeyEntry } from "./records/bindings.ts"
import type {
  RefusalEntry,
  StoredSet,
  SetActivation,
  RecordedRequest,
  ShadowEntry,
  StoredRecord,
} from "./records/entries.ts"
import type { Freeze } from "./records/freeze.ts"
import type { Hold, HoldAsk, HoldBinding, HoldDecision } from "./records/hold.ts"
import type { IdempotencyKey, KeyUse } from "./records/idempotency.ts"
import type { LedgerWatcher } from "./records/ledger-watcher.ts"
import type { RecordId } from "./records/record-id.ts"
import type { Headroom, ReserveAsk, Taken, Reservation } from "./records/reservation.ts"
import type { LedgerSafety } from "./signers/ledger-safety.ts"
import type { CommitTimes } from "./store/commit-queue.ts"
import type { RecentRefusal } from "./store/recent-decisions.ts"
import type { RecordSearch } from "./store/stored-keys.ts"

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
  /** The time that everything here is decided at and ends by. */
  readonly now: () => LedgerTime
  /**
   * Refuses with `limit_exhausted`, `approval_required` (the release can't be used), `10029`, `ip_budget_exhausted`, `signer_pace`.
   * Rejects with {Fault} `ledger_unavailable` (also for claims before the first `replaceMeters`),
   * `clock_unsafe` (never for what reduces risk); before anything is taken or written.
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
  /** Tells `watcher` from now on. */
  watch(watcher: LedgerWatcher): void
  /** What an idempotency key was used for, as far as that was queued before this call. */
  keyUse(key: IdempotencyKey, nowMs: LedgerTime): Promise<KeyUse>
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
  openHold(ask: HoldAsk, nowMs: LedgerTime): Promise<Result<Hold, Refusal>>
  /** The hold whose release the request may use. */
  findRelease(binding: HoldBinding, nowMs: LedgerTime): string | undefined
  /** All that are pending or released, and those that ended last; oldest first. */
  holds(nowMs: LedgerTime): readonly Hold[]
  /** Releases or refuses a pending hold, durable when it resolves. Rejects with {Fault} `name_unknown`, `usage` when it isn't pending. */
  decideHold(id: string, decision: HoldDecision, nowMs: LedgerTime): Promise<void>
  /** The texts of a set that was ever active. */
  set(hash: string): Promise<StoredSet | undefined>
  /** The 20 sets that were active last, the newest first. */
  sets(): Promise<readonly SetActivation[]>
  /**
   * Records a refusal without waiting; identical ones within a second are counted on one record.
   * Returns its id, or `null` when so many wait, or the disk is so full, that this one is only counted.
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
  record(id: RecordId, nowMs: LedgerTime): Promise<StoredRecord | undefined>
  /** A client's own requests by idempotency key or `client_order_id`: the last 20, the newest first. */
  records(search: RecordSearch, nowMs: LedgerTime): Promise<readonly StoredRecord[]>
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
