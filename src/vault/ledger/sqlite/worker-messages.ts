import type { FaultCode } from "../../../std/fault.ts"
import type { ClockReading } from "../../process/clock.ts"
import type { JournalRow } from "../records/row.ts"
import type { AppendedRows, Head, OpenedState, Queries, StoreTurn } from "../store/store.ts"

/** What the thread is started with. */
export type ThreadAsk = {
  readonly file: string
  readonly nowMs: number
  /** Whether what a batch appends must be durable elsewhere before it is committed here. */
  readonly isReplicated: boolean
}

/** Entries that are durable elsewhere, and what the last of them must be here too. */
export type FollowedRows = { readonly rows: readonly JournalRow[]; readonly head: Head }

/** What the thread answers besides. */
export type ThreadQueries = Queries & {
  readonly findKey: StoreTurn["found"]
  /** Brings the tables up to the journal, as every query does first. */
  readonly catchUp: () => void
}

/** One thing to do. The jobs of a batch run in order and share one commit. */
export type Job =
  | { readonly kind: "write"; readonly row: JournalRow }
  | ({ readonly kind: "follow" } & FollowedRows)
  | {
      readonly kind: "query"
      readonly name: keyof ThreadQueries
      /** Those that the query of this name takes. */
      readonly args: readonly unknown[]
    }

export type Batch = {
  readonly jobs: readonly Job[]
  /** Kept with the commit, where it writes and the clock is believed. */
  readonly clock: ClockReading | undefined
}

export type ToWorker =
  | ({ readonly kind: "batch" } & Batch)
  /** What was appended last is durable elsewhere. */
  | { readonly kind: "replicated" }
  | { readonly kind: "close" }

/** What a batch comes to: one result a job, in order. */
export type Done = { readonly results: readonly unknown[]; readonly head: Head }

export type FromWorker =
  | { readonly kind: "opened"; readonly state: OpenedState }
  /** The batch is written, and is committed after `replicated`. Only where {@link ThreadAsk} says so. */
  | ({ readonly kind: "appended" } & AppendedRows & Done)
  /** The batch is durable. */
  | ({ readonly kind: "committed" } & Done)
  /** Nothing of the batch counts, and nothing more will be written. */
  | { readonly kind: "failed"; readonly code: FaultCode; readonly message: string }
