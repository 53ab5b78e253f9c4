import type { FaultCode } from "../../std/fault.ts"
import type { SetActivation, StoredSet } from "./ledger.ts"
import type { OpenedState } from "./opened-state.ts"
import type { Written } from "./projections.ts"
import type { JournalRow } from "./row.ts"
import type {
  FoundRecord,
  FoundShadow,
  HistoryCursor,
  HistoryRow,
  ShadowCursor,
} from "./stored-rows.ts"

/** One thing to do. The jobs of a batch run in order and share one commit. */
export type Job =
  | { readonly kind: "write"; readonly row: JournalRow }
  | { readonly kind: "find"; readonly id: string }
  | { readonly kind: "count" }
  /** A page of requests up to entry `lastSeq`. */
  | { readonly kind: "history"; readonly after: HistoryCursor; readonly lastSeq: number }
  | { readonly kind: "shadows"; readonly after: ShadowCursor }
  /** From when on requests bear on what is used at `sinceMs` and later. */
  | { readonly kind: "counting_start"; readonly sinceMs: number }
  | { readonly kind: "set"; readonly hash: string }
  | { readonly kind: "sets" }

export type JobResults = {
  readonly write: Written
  readonly find: FoundRecord | undefined
  readonly count: number
  readonly history: readonly HistoryRow[]
  readonly shadows: readonly FoundShadow[]
  readonly counting_start: number
  readonly set: StoredSet | undefined
  readonly sets: readonly SetActivation[]
}
export type JobResult = JobResults[Job["kind"]]

export type ToWorker =
  { readonly kind: "batch"; readonly jobs: readonly Job[] } | { readonly kind: "close" }

export type FromWorker =
  | { readonly kind: "opened"; readonly state: OpenedState }
  /** The batch is durable; one result a job, in order. */
  | { readonly kind: "committed"; readonly results: readonly JobResult[] }
  /** Nothing of the batch counts, and nothing more will be written. */
  | { readonly kind: "failed"; readonly code: FaultCode; readonly message: string }
