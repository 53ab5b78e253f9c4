import type { DatabaseSync } from "node:sqlite"

import type { HistoryRow, MeterQueries, TailPage } from "../store/meter-queries.ts"
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

/** Prepares these queries. */
export function meterQueries(database: DatabaseSync, journal: Journal): MeterQueries {
  const snapshots = openSnapshotStore(database, () => journal.length())
  return {
    countingStart: countingStartFinder(database),
    takeSnapshot: (step) => snapshots.take(step),
    newestSnapshot: () => snapshots.newest(),
    tailPage: tailPager(database),
  }
}
