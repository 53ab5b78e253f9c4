import type { FaultCode } from "../../../std/fault.ts"
import type { AuditJob, AuditResults } from "../audit/audit-jobs.ts"
import type { MeterJob, MeterResults } from "../meters/stored-tail.ts"
import type { ClockReading } from "../../process/clock.ts"
import type { SetActivation, StoredSet } from "../records/entries.ts"
import type { IdempotencyKey } from "../records/idempotency.ts"
import type { JournalRow } from "../records/row.ts"
import type { Head } from "./journal.ts"
import type { OpenedState } from "./opened-state.ts"
import type { Written } from "./projections.ts"
import type { RecentRefusal } from "./recent-decisions.ts"
import type { FoundKey, RecordSearch } from "./stored-keys.ts"
import type {
  FoundRecord,
  FoundShadow,
  HistoryCursor,
  HistoryRow,
  ShadowCursor,
} from "./stored-rows.ts"

/** One thing to do. The jobs of a batch run in order and share one commit. */
export type Job =
  | AuditJob
  | MeterJob
  | { readonly kind: "write"; readonly row: JournalRow }
  /** Brings the tables up to the journal, as every other job but `write` does first. */
  | { readonly kind: "catch_up" }
  | { readonly kind: "find"; readonly id: string }
  | { readonly kind: "find_key"; readonly key: IdempotencyKey }
  | { readonly kind: "search"; readonly search: RecordSearch }
  | { readonly kind: "count" }
  /** A page of requests up to entry `lastSeq`. */
  | { readonly kind: "history"; readonly after: HistoryCursor; readonly lastSeq: number }
  | { readonly kind: "shadows"; readonly after: ShadowCursor }
  | { readonly kind: "set"; readonly hash: string }
  | { readonly kind: "sets" }
  | { readonly kind: "recent_refusals"; readonly limit: number }
  /** Writes a row that nothing follows from. */
  | { readonly kind: "probe"; readonly nowMs: number }

export type JobResults = AuditResults &
  MeterResults & {
    readonly write: Written
    readonly catch_up: undefined
    readonly find: FoundRecord | undefined
    readonly find_key: FoundKey | undefined
    readonly search: readonly FoundRecord[]
    readonly count: number
    readonly history: readonly HistoryRow[]
    readonly shadows: readonly FoundShadow[]
    readonly set: StoredSet | undefined
    readonly sets: readonly SetActivation[]
    readonly recent_refusals: readonly RecentRefusal[]
    readonly probe: number
  }
export type JobResult = JobResults[Job["kind"]]

export type Batch = {
  readonly jobs: readonly Job[]
  /** Kept with the commit, where it writes and the clock is believed. */
  readonly clock: ClockReading | undefined
}

export type ToWorker =
  | ({ readonly kind: "batch" } & Batch)
  /** Copies the database into an empty file while batches go on. */
  | { readonly kind: "copy"; readonly to: string }
  | { readonly kind: "close" }

export type FromWorker =
  | { readonly kind: "opened"; readonly state: OpenedState }
  /** The batch is durable; one result a job, in order. */
  | { readonly kind: "committed"; readonly results: readonly JobResult[]; readonly head: Head }
  /** With a sentence where it failed; the database itself is as it was. */
  | { readonly kind: "copied"; readonly failed: string | undefined }
  /** Nothing of the batch counts, and nothing more will be written. */
  | { readonly kind: "failed"; readonly code: FaultCode; readonly message: string }
