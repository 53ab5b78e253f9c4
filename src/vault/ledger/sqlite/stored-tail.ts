import type { DatabaseSync } from "node:sqlite"

import type { HistoryRow, MeterJob, MeterResults, TailPage } from "../store/meter-jobs.ts"
import type { Journal } from "./journal.ts"
import { openSnapshotStore } from "./snapshot-store.ts"
import { historyRow, pageLength, countingStartFinder } from "./stored-rows.ts"

/** Prepares the look-ups, which visit no row of the journal but those that they return. */
function tailPager(database: DatabaseSync): (page: TailPage) => readonly HistoryRow[] {
  const columns = "requests.seq, entries.row, released_at, released_seq"
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
