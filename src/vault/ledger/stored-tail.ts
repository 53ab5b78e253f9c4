import type { DatabaseSync } from "node:sqlite"

import type { UnheardOutcome } from "./snapshot-text.ts"
import { historyRow, pageLength, type HistoryRow } from "./stored-rows.ts"

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
export function tailPager(database: DatabaseSync): (page: TailPage) => readonly HistoryRow[] {
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
