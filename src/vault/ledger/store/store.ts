import type { Commits } from "../../../contract/facts.ts"
import type { Refusal, Stop } from "../../../contract/refusal.ts"
import type { Fault } from "../../../std/fault.ts"
import type { Moment } from "../../../std/time/moment.ts"
import type { ClockReading } from "../../process/clock.ts"
import type { StoredSet } from "../records/entries.ts"
import type { Hold } from "../records/hold.ts"
import type { IdempotencyKey } from "../records/idempotency.ts"
import type { Heard } from "../records/record-state.ts"
import type { NonceShare } from "../records/nonce-share.ts"
import type { ReserveAsk } from "../records/reservation.ts"
import type { JournalRow, OutcomeRow, RefusalRow, RequestRow, ShadowRow } from "../records/row.ts"
import type { StandingFields } from "../records/standing.ts"
import type { AuditQueries, RecentRefusal } from "./audit-queries.ts"
import type { HistoryCursor, HistoryRow, MeterQueries, SnapshotStep } from "./meter-queries.ts"

/**
 * What an engine of the ledger is: it keeps rows in their order, durably, and finds them again. It knows nothing of
 * limits, holds or policy. After any error all that waits and every later call fails with `ledger_unavailable`.
 */
export type LedgerStore = {
  /** Resolves with what broke it, unless it is closed first. */
  readonly broken: Promise<Fault>
  /** @throws {Fault} `ledger_unavailable` when it is broken or closed. */
  assertOpen(): void
  /**
   * Runs `step` in a turn: nothing is appended between what `found` tells, of these keys, and what the step
   * appends. Without keys and without others the step runs within this call. Resolves with what it does.
   */
  turn<Out>(
    keys: readonly IdempotencyKey[],
    step: (turn: StoreTurn) => Out | Promise<Out>,
  ): Promise<Out>
  /** Adds a row after all others. Resolves once it is durable. */
  append(row: JournalRow): Promise<Written>
  /** Resolves once all that the query wrote and all that was appended before it is durable. */
  run: RunQuery
  /** The last entry that is durable. */
  head(): Head
  /** How long its commits took, how much each carried, and what there is of other hosts. */
  readonly commits: { read(): Commits }
  /** What `read` tells is kept with each commit that appends, where it tells anything. */
  keepClock(read: () => ClockReading | undefined): void
  /**
   * Takes the last snapshot, waits for all that was asked, and gives back what it holds. Safe to call twice.
   * `broken` when not all of it became durable.
   */
  close(lastSteps?: () => readonly SnapshotStep[]): Promise<"whole" | "broken">
  /** Left out where entries are kept in this file alone. */
  readonly replica?: Pick<Replica, "look" | "silence"> | undefined
  /** Other hosts that append to the same ledger; left out where there can be none. */
  readonly others?: Others
  /** Which nonces are given out here; left out: any. */
  readonly nonces?: NonceShare | undefined
  /** What is taken where others' entries can't be had; left out where they can. */
  readonly isolated?: Isolated | undefined
}

export type Isolated = {
  /** What it signs until when, and why not more. */
  readonly stop: Stop
  /** Why it doesn't take a request. */
  refuse(ask: ReserveAsk): Refusal | undefined
  /** @throws {Fault} `ledger_unavailable` where other hosts would have to know of the act. */
  assertTakes(act: string): void
  /** Its copy doesn't have what it signed last. */
  lacking(): Fault
}

/** Hosts that append to the same ledger, each in its turn. */
export type Others = {
  /** Tells `hearing` what they append, and asks it before they may go on. */
  attend(hearing: Hearing): void
  /** Resolves once they give nothing out any more that they decided before the last turn here. */
  quiet(): Promise<void>
  /** Until when what is decided now may come out. */
  timed(): Timed
  /** Tells the others of clients that were heard here; resolves with those that any host heard since the last time. */
  tellHeard(clients: readonly string[]): Promise<readonly string[]>
}

export type Timed = {
  /** Who hands it on doesn't after that. */
  readonly outBy: Moment
  /** Sooner, so that it can be handed on. @throws {Fault} `ledger_unavailable`. */
  assertInTime(): void
}

/** What follows what other hosts append. */
export type Hearing = {
  /** Follows a row in the turn in which it is queued here. What it returns is told what became of the row. */
  followed(row: JournalRow): ((written: Written) => void) | undefined
  /** Resolves once all that was decided here by now is out. */
  settled(): Promise<void>
}

/** One turn at the end of the journal. */
export type StoreTurn = {
  /** The request that has the key now, or the check that it names and none has used; by what is durable. One of the turn's own keys. */
  found(key: IdempotencyKey): FoundKey | FoundCheck | undefined
}

/** Opens a store as of `nowMs`. @throws {Fault} */
export type OpenStore = (
  nowMs: number,
) => Promise<{ readonly store: LedgerStore; readonly state: OpenedState }>

/** What became of a row that was appended. */
export type Written =
  /** `released` is the request that the row gives room back for. */
  | { readonly kind: "written"; readonly released: RequestRow | undefined }
  | { readonly kind: "unknown_request" }

/** Entries that share a commit, in their order. */
export type AppendedRows = {
  /** As they are chained: RFC 8785, a line each. */
  readonly rows: readonly string[]
  /** The last of them. */
  readonly head: Head
}

/** Where entries are kept besides this file. */
export type Replica = {
  /** How it stands: JSON of its own, that nobody here reads. Rejects with {Fault} `ledger_unavailable`. */
  look(): Promise<string>
  /** How long ago each other host was heard of, in milliseconds; not of one of which nobody can tell. */
  silence(): ReadonlyMap<string, number>
  /** Resolves once they are durable there; nothing of them counts where it rejects. */
  append(appended: AppendedRows): Promise<void>
  /** Resolves with why nothing can be kept there any more. */
  readonly ended: Promise<Fault>
  close(): void | Promise<void>
}

/** An entry's number and hash. */
export type Head = { readonly seq: number; readonly hash: Uint8Array }

/** What tells a ledger from every other one, and from older copies of itself. */
export type Identity = {
  /** Random, 32 hex digits; new with every restore that was accepted. */
  readonly ledger: string
  /** Its last entry. */
  readonly head: Head
  /** The clocks at the last commit. */
  readonly clock: ClockReading | undefined
}

/** How many holds that have ended are told of. */
export const maxEndedHolds = 100

/** What a start needs. It grows with keys, clients, signers and open holds, never with the journal. */
export type OpenedState = {
  readonly identity: Identity
  readonly standing: StandingFields
  readonly lastNonces: ReadonlyMap<string, number>
  /** What each meter of a limit with `window: ever` has counted, a decimal. */
  readonly ever: readonly { readonly meter: string; readonly used: string }[]
  readonly holds: readonly Hold[]
  readonly lastSet: StoredSet | undefined
}

/** What a store is asked besides appending rows. Each sees all that was appended before it. */
export type Queries = AuditQueries &
  MeterQueries & {
    readonly find: (id: string) => FoundRecord | undefined
    readonly search: (search: RecordSearch) => readonly FoundRecord[]
    /** Number of entries that were ever appended. */
    readonly count: () => number
    /** A page of requests up to entry `lastSeq`. */
    readonly history: (after: HistoryCursor, lastSeq: number) => readonly HistoryRow[]
    readonly set: (hash: string) => StoredSet | undefined
    readonly recentRefusals: (limit: number) => readonly RecentRefusal[]
    /** Writes a row that nothing follows from. */
    readonly probe: (nowMs: number) => void
  }

export type RunQuery = <Name extends keyof Queries>(
  name: Name,
  ...args: Parameters<Queries[Name]>
) => Promise<ReturnType<Queries[Name]>>

/** A request and what the gate has told of it; `stateAsOf` makes its state of that. */
export type FoundRequest = {
  readonly row: RequestRow
  readonly heard: Heard | null
  /** The venue's words that `heard` is from. */
  readonly status: number | null
  readonly code: string | null
  /** The outcome that the venue's answer, or what it calls the order, is kept with. */
  readonly answered: OutcomeRow | undefined
}

export type FoundRecord = FoundRequest | { readonly row: RefusalRow }

/** The request that has a key. */
export type FoundKey = FoundRequest & { readonly sends: number }

/** A recorded check, by the id that is its key. */
export type FoundCheck = { readonly row: ShadowRow }

/** What records are looked for by, besides their id. */
export type RecordSearch = {
  readonly client: string
  readonly by: "idempotency_key" | "client_order_id"
  readonly value: string
}
