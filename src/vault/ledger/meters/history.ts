import { countedAt } from "../records/request-row.ts"
import type { RequestRow } from "../records/row.ts"
import type { HistoryCursor, HistoryRow, UnheardOutcome } from "../store/meter-queries.ts"
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
  for (let after: HistoryCursor | undefined = first; after !== undefined;) {
    const page: readonly HistoryRow[] = await store.run("history", after, lastSeq)
    for (const found of page) yield asOf(found, lastSeq)
    const last = page.at(-1)
    after = last && { countedAtMs: countedAt(last.row), seq: last.seq }
  }
}

/** Where a snapshot of the meters ends, and the last entry to go on to. */
type Tail = {
  readonly seq: number
  readonly lastSeq: number
  /** Outcomes up to `seq` that may have given room back, which the snapshot doesn't hold. */
  readonly unheard: readonly UnheardOutcome[]
}

/** Reads page by page what came after a snapshot: requests, and what gave earlier ones room back. */
export function readTail(store: LedgerStore, tail: Tail): Required<History> {
  return { requests: requestsOf(store, tail), released: releasesOf(store, tail) }
}

async function* requestsOf(store: LedgerStore, { seq, lastSeq }: Tail): AsyncGenerator<HistoryRow> {
  for (let after: number | undefined = seq; after !== undefined;) {
    const page: readonly HistoryRow[] = await store.run("tailPage", {
      kind: "requests",
      seq: after,
      lastSeq,
    })
    for (const found of page) yield asOf(found, lastSeq)
    after = page.at(-1)?.seq
  }
}

async function* releasesOf(
  store: LedgerStore,
  { seq, lastSeq, unheard }: Tail,
): AsyncGenerator<HistoryRow> {
  const heardSince = await store.run("tailPage", { kind: "unheard", seq, outcomes: unheard })
  for (const found of heardSince) yield asOf(found, seq)
  for (let afterSeq: number | undefined = seq; afterSeq !== undefined;) {
    const page: readonly HistoryRow[] = await store.run("tailPage", {
      kind: "releases",
      seq,
      afterSeq,
      lastSeq,
    })
    for (const found of page) yield asOf(found, lastSeq)
    afterSeq = page.at(-1)?.released?.seq
  }
}
