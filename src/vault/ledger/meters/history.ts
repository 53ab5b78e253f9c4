import { countedAt } from "../records/request-row.ts"
import type { RequestRow } from "../records/row.ts"
import type { HistoryCursor, HistoryRow, UnheardOutcome } from "../store/meter-queries.ts"
import type { LedgerStore } from "../store/store.ts"

/** What is counted, or was given back. */
export type History = {
  /** In the order of counting. */
  readonly requests: AsyncIterable<HistoryRow>
  /** Requests that are counted already, and whose room was given back since. */
  readonly released?: AsyncIterable<HistoryRow>
}

/**
 * Reads page by page the requests that count from `sinceMs` on. The first step draws the line: what was
 * queued before it is there, what is queued after it isn't, neither requests nor what gives room back. One
 * that is never taken asks nothing of the ledger.
 */
export async function* readHistory(
  store: LedgerStore,
  sinceMs: number,
): AsyncGenerator<RequestRow> {
  const found = requestsFrom(store, Promise.resolve(sinceMs), drawLine(store))
  for await (const { row } of found) yield row
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
): AsyncIterable<HistoryRow> {
  return requestsFrom(store, countingStart(store, sinceMs), lastSeq)
}

/** The last entry of all that was queued before the call. */
export function drawLine(store: LedgerStore): Promise<number> {
  const lastSeq = store.run("count")
  lastSeq.catch(() => undefined) // whoever reads the first page learns of it
  return lastSeq
}

/** As it was after entry `lastSeq`: a release that came later is left out. */
function asOf({ released, ...request }: HistoryRow, lastSeq: number): HistoryRow {
  const isReleased = released !== undefined && released.seq <= lastSeq
  return { ...request, released: isReleased ? released : undefined }
}

function countingStart(store: LedgerStore, sinceMs: number): Promise<number> {
  const startMs = store.run("countingStart", Math.ceil(sinceMs))
  startMs.catch(() => undefined)
  return startMs
}

async function* requestsFrom(
  store: LedgerStore,
  start: Promise<number>,
  end: Promise<number>,
): AsyncGenerator<HistoryRow> {
  const lastSeq = await end
  const first: HistoryCursor = { countedAtMs: Math.ceil(await start), seq: 0 }
  yield* pages(first, {
    read: (after) => store.run("history", after, lastSeq),
    next: ({ row, seq }) => ({ countedAtMs: countedAt(row), seq }),
    lastSeq,
  })
}

/** Reads page by page, as it was after entry `lastSeq`, up to the first page with nothing. */
async function* pages<After>(
  first: After,
  by: {
    readonly read: (after: After) => Promise<readonly HistoryRow[]>
    readonly next: (last: HistoryRow) => After | undefined
    readonly lastSeq: number
  },
): AsyncGenerator<HistoryRow> {
  for (let after: After | undefined = first; after !== undefined;) {
    const page = await by.read(after)
    for (const found of page) yield asOf(found, by.lastSeq)
    const last = page.at(-1)
    after = last && by.next(last)
  }
}

/** Reads page by page what came after a snapshot that ends at `seq`: requests, and what gave earlier ones room back. */
export function readTail(
  store: LedgerStore,
  tail: {
    readonly seq: number
    readonly lastSeq: number
    /** Outcomes up to `seq` that may have given room back, which the snapshot doesn't hold. */
    readonly unheard: readonly UnheardOutcome[]
  },
): Required<History> {
  const { seq, lastSeq } = tail
  const requests = pages(seq, {
    read: (after) => store.run("tailPage", { kind: "requests", seq: after, lastSeq }),
    next: (last) => last.seq,
    lastSeq,
  })
  return { requests, released: releasesOf(store, tail) }
}

async function* releasesOf(
  store: LedgerStore,
  { seq, lastSeq, unheard }: Parameters<typeof readTail>[1],
): AsyncGenerator<HistoryRow> {
  yield* await store.run("tailPage", { kind: "unheard", seq, outcomes: unheard })
  yield* pages(seq, {
    read: (afterSeq) => store.run("tailPage", { kind: "releases", seq, afterSeq, lastSeq }),
    next: ({ released }) => released?.seq,
    lastSeq,
  })
}
