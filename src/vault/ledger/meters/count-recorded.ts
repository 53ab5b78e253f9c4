import type { Claim } from "../../policy/terms.ts"
import { countedAt, refundsOf } from "../records/request-row.ts"
import type { RequestRow } from "../records/row.ts"
import type { HistoryRow } from "../store/meter-queries.ts"
import type { LedgerStore } from "../store/store.ts"
import { drawLine, type History, readForCounting, readTail } from "./history.ts"
import { openMeters, type Meters } from "./meters.ts"
import { readSnapshot } from "./snapshot-text.ts"

/** Makes the claims of a recorded request, by the limits that shall hold from now on. */
export type BuildClaims = (row: RequestRow) => readonly Claim[]

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
  const meters = openMeters(snapshot?.image)
  const history =
    snapshot === undefined
      ? { requests: readForCounting(store, sinceMs, end) }
      : readTail(store, { ...snapshot, lastSeq })
  let folded = 0
  for await (const event of inOrder(history, build)) {
    follow(meters, event)
    folded += 1
  }
  return { meters, sinceSnapshot: snapshot === undefined ? undefined : folded }
}

/** A request was counted, or its room given back. */
export type MeterEvent = {
  readonly kind: "counted" | "released"
  readonly row: RequestRow
  /** When it counts from, or was given back. */
  readonly atMs: number
}

/** With what the limits make of the request: the same for both of its events, so that no more comes back than was counted. */
type Claimed = MeterEvent & { readonly claims: readonly Claim[] }

/** Follows one event: live as well as where all is counted anew. */
export function follow(meters: Meters, { kind, row, atMs, claims }: Claimed): void {
  if (kind === "counted") meters.count(claims, atMs)
  else meters.release(refundsOf(claims), countedAt(row), atMs)
}

/** Tells of requests in the order of counting, and of room between them at the time when it was given back. */
async function* inOrder(
  { requests, released }: History,
  build: BuildClaims,
): AsyncGenerator<Claimed> {
  const waiting: Claimed[] = []
  for await (const found of released ?? []) wait(waiting, found, build(found.row))
  for await (const found of requests) {
    const { row } = found
    const atMs = countedAt(row)
    const later = waiting.findIndex((release) => release.atMs > atMs)
    yield* waiting.splice(0, later === -1 ? waiting.length : later)
    const claims = build(row)
    yield { kind: "counted", row, atMs, claims }
    wait(waiting, found, claims)
  }
  yield* waiting
}

/** Keeps the list in the order of time. */
function wait(waiting: Claimed[], { row, released }: HistoryRow, claims: readonly Claim[]): void {
  if (released === undefined) return
  const { atMs } = released
  const before = waiting.findLastIndex((release) => release.atMs <= atMs)
  waiting.splice(before + 1, 0, { kind: "released", row, atMs, claims })
}
