import type { LedgerStore } from "../store/store.ts"
import { foldHistory, type BuildClaims } from "./fold-meters.ts"
import { drawLine, readForCounting, readTail } from "./history.ts"
import { openMeters, type Meters } from "./meters.ts"
import { readSnapshot } from "./snapshot-text.ts"

/** What shall be counted. */
export type Recount = {
  readonly build: BuildClaims
  readonly sinceMs: number
  /** Names what `build` counts by; left out when no snapshot shall be used or made. */
  readonly countedBy?: string
  /** Is called in the turn in which the meters are exchanged. */
  readonly exchanged?: () => void
}

export type Counted = {
  readonly meters: Meters
  /** How many requests were counted, or gave room back, since a snapshot; `undefined` without one. */
  readonly sinceSnapshot: number | undefined
}

/**
 * Counts what was recorded before the call. It goes on from the newest snapshot where that was counted by
 * the same limits, so the work doesn't grow with the ledger; else it counts all that is in any window.
 */
export async function countRecorded(store: LedgerStore, recount: Recount): Promise<Counted> {
  const { build, sinceMs, countedBy } = recount
  const end = drawLine(store) // both in this turn, so that the snapshot isn't newer than the line
  const newest = countedBy === undefined ? undefined : store.run("newestSnapshot")
  const [lastSeq, stored] = await Promise.all([end, newest])
  const snapshot = stored === undefined ? undefined : readSnapshot(stored, countedBy)
  if (snapshot === undefined) {
    const meters = openMeters()
    await foldHistory(meters, build, { requests: readForCounting(store, sinceMs, end) })
    return { meters, sinceSnapshot: undefined }
  }
  const meters = openMeters(snapshot.image)
  const tail = readTail(store, { ...snapshot, lastSeq })
  return { meters, sinceSnapshot: await foldHistory(meters, build, tail) }
}
