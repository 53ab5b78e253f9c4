import type { RecordedRequest } from "../records/entries.ts"
import { recordedRequest } from "../records/request-row.ts"
import type { HistoryCursor, HistoryRow, UnheardOutcome } from "../store/meter-jobs.ts"
import type { LedgerStore } from "../store/store.ts"
import type { History } from "./fold-meters.ts"

/**
 * Reads page by page the requests that count from `sinceMs` on. The first step draws the line: what was
 * queued before it is there, what is queued after it isn't, neither requests nor what gives room back. One
 * that is never taken asks nothing of the ledger.
 */
export async function* readHistory(
  store: LedgerStore,
  sinceMs: number,
): AsyncGenerator<RecordedRequest> {
  yield* requestsFrom(store, Promise.resolve(sinceMs), drawLine(store))
}

/**
 * Reads what it takes to count anew what is used at `sinceMs` and later, of entries up to `lastSeq`: also
 * requests from before it whose room was given back since, for how much may be given back is limited
 * within a window too.
 */
export function readForCounting(
  store: LedgerStore,
  sinceMs: number,
  lastSeq: Promise<number>,
): AsyncIterable<RecordedRequest> {
  return requestsFrom(store, countingStart(store, sinceMs), lastSeq)
}

/** The last entry of all that was queued before the call. */
export function drawLine(store: LedgerStore): Promise<number> {
  const lastSeq = store.run({ kind: "count" })
  lastSeq.catch(() => undefined) // whoever reads the first page learns of it
  return lastSeq
}

/** A request of a row, with the release that an entry up to `lastSeq` made. */
function requestAsOf({ row, released }: HistoryRow, lastSeq: number): RecordedRequest {
  const isReleased = released !== undefined && released.seq <= lastSeq
  return recordedRequest(row, isReleased ? released.atMs : undefined)
}

function countingStart(store: LedgerStore, sinceMs: number): Promise<number> {
  const startMs = store.run({ kind: "meters_start", sinceMs: Math.ceil(sinceMs) })
  startMs.catch(() => undefined)
  return startMs
}

async function* requestsFrom(
  store: LedgerStore,
  start: Promise<number>,
  end: Promise<number>,
): AsyncGenerator<RecordedRequest> {
  const lastSeq = await end
  const first: HistoryCursor = { countedAtMs: Math.ceil(await start), seq: 0 }
  for (let after: HistoryCursor | undefined = first; after !== undefined;) {
    const page: readonly HistoryRow[] = await store.run({ kind: "history", after, lastSeq })
    for (const row of page) yield requestAsOf(row, lastSeq)
    after = page.at(-1)
  }
}

/** Where a snapshot of the meters ends, and the last entry to go on to. */
export type Tail = {
  readonly seq: number
  readonly lastSeq: number
  /** Outcomes up to `seq` that may have given room back, which the snapshot doesn't hold. */
  readonly unheard: readonly UnheardOutcome[]
}

/** Reads page by page what came after a snapshot: requests, and what gave earlier ones room back. */
export function readTail(store: LedgerStore, tail: Tail): Required<History> {
  return { requests: requestsOf(store, tail), released: releasesOf(store, tail) }
}

async function* requestsOf(
  store: LedgerStore,
  { seq, lastSeq }: Tail,
): AsyncGenerator<RecordedRequest> {
  for (let after: number | undefined = seq; after !== undefined;) {
    const page: readonly HistoryRow[] = await store.run({
      kind: "meters_tail",
      page: { kind: "requests", seq: after, lastSeq },
    })
    for (const row of page) yield requestAsOf(row, lastSeq)
    after = page.at(-1)?.seq
  }
}

async function* releasesOf(
  store: LedgerStore,
  { seq, lastSeq, unheard }: Tail,
): AsyncGenerator<RecordedRequest> {
  const heardSince = await store.run({
    kind: "meters_tail",
    page: { kind: "unheard", seq, outcomes: unheard },
  })
  for (const row of heardSince) yield requestAsOf(row, seq)
  for (let afterSeq: number | undefined = seq; afterSeq !== undefined;) {
    const page: readonly HistoryRow[] = await store.run({
      kind: "meters_tail",
      page: { kind: "releases", seq, afterSeq, lastSeq },
    })
    for (const row of page) yield requestAsOf(row, lastSeq)
    afterSeq = page.at(-1)?.released?.seq
  }
}
