import type { DatabaseSync } from "node:sqlite"

import type { Journal } from "./journal.ts"
import { openSnapshotStore, type SnapshotStep, type StoredSnapshot } from "./snapshot-store.ts"
import { countingStartFinder, type HistoryRow } from "./stored-rows.ts"
import { tailPager, type TailPage } from "./stored-tail.ts"

/** What the worker does so that the meters need not be counted from the beginning. */
export type MeterJob =
  /** From when on requests bear on what is used at `sinceMs` and later. */
  | { readonly kind: "meters_start"; readonly sinceMs: number }
  | { readonly kind: "meters_snapshot"; readonly step: SnapshotStep }
  | { readonly kind: "meters_newest" }
  | { readonly kind: "meters_tail"; readonly page: TailPage }

export type MeterResults = {
  readonly meters_start: number
  readonly meters_snapshot: undefined
  readonly meters_newest: StoredSnapshot | undefined
  readonly meters_tail: readonly HistoryRow[]
}

/** Whether a job is one of these. */
export function isMeterJob<Job extends { readonly kind: string }>(
  job: Job,
): job is Extract<Job, MeterJob> {
  return job.kind.startsWith("meters_")
}

/** Prepares what these jobs need. */
export function meterRunner(
  database: DatabaseSync,
  journal: Journal,
): (job: MeterJob) => MeterResults[MeterJob["kind"]] {
  const findStart = countingStartFinder(database)
  const snapshots = openSnapshotStore(database, () => journal.length())
  const findTail = tailPager(database)
  return (job) => {
    switch (job.kind) {
      case "meters_start":
        return findStart(job.sinceMs)
      case "meters_snapshot":
        snapshots.take(job.step)
        return undefined
      case "meters_newest":
        return snapshots.newest()
      case "meters_tail":
        return findTail(job.page)
    }
  }
}
