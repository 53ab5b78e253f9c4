import type { Outcome } from "../../link/calls/both-ways.ts"
import type { Refusal } from "../../contract/refusal.ts"
import type { Fault } from "../../std/fault.ts"
import type { Result } from "../../std/result.ts"
import type { Address } from "../../venue/address.ts"
import type { Budgets } from "../budgets/budgets.ts"
import type { RowCounts } from "./row-counts.ts"
import type { Claim } from "../policy/terms.ts"
import type { LedgerClock, LedgerTime } from "../process/clock.ts"
import type { ledgerAudit } from "./audit/ledger-audit.ts"
import type { Bindings } from "./bindings.ts"
import type { MeterUse } from "./meters/meters.ts"
import type { RefusalEntry, StoredSet, LedgerWatcher } from "./records/entries.ts"
import type { Hold, HoldAsk, HoldBinding, HoldDecision, Grant, GrantAsk } from "./records/hold.ts"
import type { KeyUse } from "./found-records.ts"
import type { IdempotencyKey } from "./records/idempotency.ts"
import type { RecordId } from "./records/record-id.ts"
import type { Headroom, Reservation, ReserveAsk } from "./records/reservation.ts"
import type { Act, RequestRow, ShadowRow } from "./records/row.ts"
import type { SignerMarks } from "./signers/signer-marks.ts"
import type { RecentRefusal } from "./store/audit-queries.ts"
import type { FoundRecord, LedgerStore, Others, RecordSearch, Timed } from "./store/store.ts"

/**
 * The record of everything that was decided, and the only source of nonces. `decide` is its one door for requests.
 * After any write error the ledger is broken for good: what waits and every later call fails with
 * `ledger_unavailable`.
 */
export type Ledger = {
  /** The time that everything here is decided at and ends by. */
  readonly now: () => LedgerTime
  /**
   * Runs `step` in a turn: from what it sees to what it takes nothing else is decided, nor with one of these
   * idempotency keys before all that was asked with them earlier is durable. `step` can't wait: it is no async
   * function, and gives back what shall be made of what it took. That runs while the records are on their
   * way to the disk, and comes out once they are durable, so never without them; where it throws, so does this.
   *
   * No act that comes meanwhile is answered before this is. Rejects with {Fault} `ledger_unavailable` and what `step` throws.
   */
  decide<Made>(
    keys: readonly IdempotencyKey[],
    step: (turn: LedgerTurn) => () => Made,
  ): Promise<Made>
  /** Tells `watcher` from now on. */
  watch(watcher: LedgerWatcher): void
  /** How claims stand now, in their order. @throws {Fault} `ledger_unavailable` before the first `replaceMeters`. */
  headroom(claims: readonly Claim[], nowMs: LedgerTime): readonly Headroom[]
  /** What is used of every meter that has anything left. */
  usage(nowMs: LedgerTime): readonly MeterUse[]
  /**
   * Counts what is used anew: folds the requests of the last `windowMs` through `build` while others go
   * on being reserved, adds those, and exchanges the meters at once. `exchanged` runs in the same turn, so
   * that the set whose claims `build` makes can be exchanged together with its meters. Calls run one after
   * the other. If it fails, the old meters stay.
   *
   * `countedBy` names what `build` counts by: what was counted by the same is kept in the ledger from time
   * to time, and only what came after it is folded. Without it all is, and nothing is kept.
   */
  replaceMeters(
    build: (row: RequestRow) => readonly Claim[],
    windowMs: number,
    ask?: { readonly countedBy?: string; readonly exchanged?: () => void },
  ): Promise<void>
  /** The requests that count from `sinceMs` on and were recorded before the first step, in the order of counting. */
  history(sinceMs: number): AsyncIterable<RequestRow>
  /** Keeps a request that was only asked about, to be judged again by other files. Durable when it resolves. */
  recordShadow(
    entry: Omit<ShadowRow, "kind" | "id" | "at_ms">,
    nowMs: LedgerTime,
  ): Promise<RecordId>
  /** The hold whose release the request may use. */
  findRelease(binding: HoldBinding, nowMs: LedgerTime): string | undefined
  /** The hold whose grant the request may use. */
  findGrant(ask: GrantAsk, nowMs: LedgerTime): string | undefined
  /** Those that are open, and those that ended last; oldest first. */
  grants(): readonly Grant[]
  /** All that are pending or released, and those that ended last; oldest first. */
  holds(nowMs: LedgerTime): readonly Hold[]
  /**
   * Releases, grants or refuses a pending hold, durable when it resolves. Rejects with {Fault} `name_unknown`, `usage` when
   * it isn't pending, or as many grants are open as may be.
   */
  decideHold(id: string, decision: HoldDecision, nowMs: LedgerTime): Promise<void>
  /** The texts of a set that was ever active. */
  set(hash: string): Promise<StoredSet | undefined>
  /**
   * Records a refusal without waiting; identical ones within a second are counted on one record.
   * Returns its id, or `null` when so many wait, or the disk is so full, that this one is only counted.
   *
   * @throws {Fault} `ledger_unavailable`.
   */
  note(entry: RefusalEntry, nowMs: LedgerTime): RecordId | null
  /**
   * Records what became of a request. Resolves when durable. Every outcome is recorded; the state only
   * ever becomes more certain, so outcomes may come in any order. A refusal of the only send gives back
   * what the request's claims allow to be given back.
   *
   * Rejects with {Fault} `name_unknown` when no request has this id; nothing is written then.
   */
  settle(record: RecordId, outcome: Outcome, nowMs: LedgerTime): Promise<void>
  /**
   * Records an operator's act and changes keys and clients by it, durable when it resolves.
   *
   * Rejects with {Fault} `name_taken`, `name_unknown`; nothing is written then.
   */
  act(entry: Act, nowMs: LedgerTime): Promise<RecordId>
  /** Follows an act that says nothing new, so that it isn't recorded: a restart begins from the last that was. */
  hear(entry: Act, nowMs: LedgerTime): void
  /** The nonce that a signer used last: about the time when it signed, in milliseconds. */
  lastNonce(signer: Address): number | undefined
  /** The record of a request or refusal by id. */
  record(id: RecordId): Promise<FoundRecord | undefined>
  /** A client's own requests by idempotency key or `client_order_id`: the last 20, the newest first. */
  records(search: RecordSearch): Promise<readonly FoundRecord[]>
  /** The refusals that were recorded last, at most `limit`, the newest first. */
  recentRefusals(limit: number): Promise<readonly RecentRefusal[]>
  /** Number of entries that were ever recorded, of every kind. */
  count(): Promise<number>
  /** Keys, clients, prices, freezes and the like as of now; the same value until an act changes them. */
  bindings(): Bindings
  /** The set that was in force last when the ledger was opened. */
  readonly lastSet: StoredSet | undefined
  /** @throws {Fault} `ledger_unavailable` where it is broken or closed, or a commit has been under way for over 5 seconds. */
  assertAnswers(): void
  /** Resolves with what broke it; only opening it anew fixes that. Never, if it is closed first. */
  readonly broken: Promise<Fault>
  /** Reading, proving and archiving what was recorded. */
  readonly audit: ReturnType<typeof ledgerAudit>
  /** The venue's rate budgets; what of them is used isn't recorded by itself. */
  readonly budgets: Budgets
  /** What clients had written that no signature stands behind. */
  readonly rows: RowCounts
  /** Whether wall time is believed, and an operator's word that it can be: to be recorded in the same turn. */
  readonly clock: Pick<LedgerClock, "doubt" | "warning" | "wall" | "accept">
  /** What tells a ledger that was restored, and lets its signers go on once the act that says so is durable. */
  readonly marks: Pick<SignerMarks, "accept" | "unmarked" | "waiting">
  /**
   * Takes a signer for this ledger alone; it signs nothing before. Safe to call twice.
   *
   * Rejects with {Fault} `already_running`, `file_unsafe`, `ledger_unavailable`.
   */
  claim(signer: Address): Promise<void>
  /**
   * Writes a row that is no entry and that nothing follows from; durable when it resolves. It fails, and the
   * ledger is broken then, exactly where recording a request would.
   */
  probe(nowMs: number): Promise<void>
  readonly commits: LedgerStore["commits"]
  readonly replica: LedgerStore["replica"]
  readonly others: Pick<Others, "tellHeard"> | undefined
  readonly isolated?: LedgerStore["isolated"]
  /** Waits for what is queued, then gives the lock back. Safe to call twice. */
  close(): Promise<void>
}

/** One turn of `decide`. Nothing in it waits. */
export type LedgerTurn = {
  /** The ledger's time, the same for the whole turn. */
  readonly nowMs: LedgerTime
  /** Until when what it makes may be handed on; `undefined` where no other host counts on that. */
  readonly outBy?: Timed["outBy"] | undefined
  /** What a key was used for: one of the turn's own. @throws {Fault} `ledger_unavailable` after a restore that nobody accepted. */
  keyUse(key: IdempotencyKey): KeyUse
  /**
   * Takes claims, release, budgets and nonce, all of them or none, and appends the record.
   *
   * Refuses with `limit_exhausted`, `approval_required` (the release can't be used), `10029`, `ip_budget_exhausted`, `signer_pace`.
   * Throws {Fault} `ledger_unavailable` (also for claims before the first `replaceMeters`),
   * `clock_unsafe` (never for what reduces risk); before anything is taken or written.
   */
  reserve(ask: ReserveAsk): Reservation
  /** Holds a request. One that is pending already is returned as it is; `overloaded` when too many are. */
  openHold(ask: HoldAsk): Result<OpenHold, Refusal>
}

/** A hold that a person is asked about. */
export type OpenHold = Pick<Hold, "hold" | "expires_at">
