import type { CommitQueue } from "./commit-queue.ts"
import type { RecordedRequest } from "./ledger.ts"
import { recordedRequest } from "./recorded-request.ts"
import type { HistoryCursor, HistoryRow } from "./stored-rows.ts"

/**
 * Reads page by page the requests that count from `sinceMs` on. The call itself draws the line: what was
 * queued before it is there, what is queued after it isn't, neither requests nor what gives room back.
 */
export function readHistory(queue: CommitQueue, sinceMs: number): AsyncIterable<RecordedRequest> {
  return requestsFrom(queue, Promise.resolve(sinceMs), drawLine(queue))
}

/**
 * Reads what it takes to count anew what is used at `sinceMs` and later, of entries up to `lastSeq`: also
 * requests from before it whose room was given back since, for how much may be given back is limited
 * within a window too.
 */
export function readForCounting(
  queue: CommitQueue,
  sinceMs: number,
  lastSeq: Promise<number>,
): AsyncIterable<RecordedRequest> {
  return requestsFrom(queue, countingStart(queue, sinceMs), lastSeq)
}

/** The last entry of all that was queued before the call. */
export function drawLine(queue: CommitQueue): Promise<number> {
  const lastSeq = queue.run({ kind: "count" })
  lastSeq.catch(() => undefined) // whoever reads the first page learns of it
  return lastSeq
}

/** A request of a row, with the release that an entry up to `lastSeq` made. */
export function requestAsOf({ row, released }: HistoryRow, lastSeq: number): RecordedRequest {
  const isReleased = released !== undefined && released.seq <= lastSeq
  return recordedRequest(row, isReleased ? released.atMs : undefined)
}

function countingStart(queue: CommitQueue, sinceMs: number): Promise<number> {
  const startMs = queue.run({ kind: "meters_start", sinceMs: Math.ceil(sinceMs) })
  startMs.catch(() => undefined)
  return startMs
}

async function* requestsFrom(
  queue: CommitQueue,
  start: Promise<number>,
  end: Promise<number>,
): AsyncGenerator<RecordedRequest> {
  const lastSeq = await end
  const first: HistoryCursor = { countedAtMs: Math.ceil(await start), seq: 0 }
  for (let after: HistoryCursor | undefined = first; after !== undefined;) {
    const page: readonly HistoryRow[] = await queue.run({ kind: "history", after, lastSeq })
    for (const row of page) yield requestAsOf(row, lastSeq)
    after = page.at(-1)
  }
}
