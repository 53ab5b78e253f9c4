import type { DatabaseSync } from "node:sqlite"

import type { Journal } from "../store/journal.ts"
import {
  historyRow,
  pageLength,
  type HistoryRow,
  countingStartFinder,
} from "../store/stored-rows.ts"
import { openSnapshotStore, type SnapshotStep } from "./snapshot-store.ts"
import type { UnheardOutcome, StoredSnapshot } from "./snapshot-text.ts"

/** What came after a snapshot of the meters. */
export type TailPage =
  /** Requests of entries after `seq`, up to `lastSeq`. */
  | { readonly kind: "requests"; readonly seq: number; readonly lastSeq: number }
  /** Earlier requests whose room was given back by entries after `afterSeq`, up to `lastSeq`. */
  | {
      readonly kind: "releases"
      readonly seq: number
      readonly afterSeq: number
      readonly lastSeq: number
    }
  /** Requests whose room was given back by one of these outcomes, if it is an entry up to `seq`. */
  | {
      readonly kind: "unheard"
      readonly seq: number
      readonly outcomes: readonly UnheardOutcome[]
    }

/** Prepares the look-ups, which visit no row of the journal but those that they return. */
function tailPager(database: DatabaseSync): (page: TailPage) => readonly HistoryRow[] {
  const columns = "requests.seq, entries.row, counted_at, released_at, released_seq"
  const findRequests = database.prepare(
    `SELECT ${columns} FROM requests JOIN entries USING (seq)
     WHERE requests.seq > ? AND requests.seq <= ? ORDER BY requests.seq LIMIT ${pageLength}`,
  )
  const findReleases = database.prepare(
    `SELECT ${columns} FROM requests JOIN entries USING (seq)
     WHERE released_seq > ? AND released_seq <= ? AND requests.seq <= ?
     ORDER BY released_seq LIMIT ${pageLength}`,
  )
  const findUnheard = database.prepare(
    `SELECT ${columns} FROM requests JOIN entries ON entries.seq = requests.seq
       JOIN entries AS outcomes ON outcomes.seq = released_seq
     WHERE requests.id = ? AND outcomes.id = ? AND released_seq <= ?`,
  )
  const find = (page: TailPage) => {
    switch (page.kind) {
      case "requests":
        return findRequests.all(page.seq, page.lastSeq)
      case "releases":
        return findReleases.all(page.afterSeq, page.lastSeq, page.seq)
      case "unheard":
        return page.outcomes.flatMap(({ record, outcome }) =>
          findUnheard.all(record, outcome, page.seq),
        )
    }
  }
  return (page) => find(page).map(historyRow)
}

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
