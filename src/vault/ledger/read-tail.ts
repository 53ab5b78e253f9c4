import type { CommitQueue } from "./commit-queue.ts"
import type { History } from "./fold-meters.ts"
import { requestAsOf } from "./history.ts"
import type { RecordedRequest } from "./ledger.ts"
import type { UnheardOutcome } from "./snapshot-text.ts"
import type { HistoryRow } from "./stored-rows.ts"

/** Where a snapshot of the meters ends, and the last entry to go on to. */
export type Tail = {
  readonly seq: number
  readonly lastSeq: number
  /** Outcomes up to `seq` that may have given room back, which the snapshot doesn't hold. */
  readonly unheard: readonly UnheardOutcome[]
}

/** Reads page by page what came after a snapshot: requests, and what gave earlier ones room back. */
export function readTail(queue: CommitQueue, tail: Tail): Required<History> {
  return { requests: requestsOf(queue, tail), released: releasesOf(queue, tail) }
}

async function* requestsOf(
  queue: CommitQueue,
  { seq, lastSeq }: Tail,
): AsyncGenerator<RecordedRequest> {
  for (let after: number | undefined = seq; after !== undefined;) {
    const page: readonly HistoryRow[] = await queue.run({
      kind: "meters_tail",
      page: { kind: "requests", seq: after, lastSeq },
    })
    for (const row of page) yield requestAsOf(row, lastSeq)
    after = page.at(-1)?.seq
  }
}

async function* releasesOf(
  queue: CommitQueue,
  { seq, lastSeq, unheard }: Tail,
): AsyncGenerator<RecordedRequest> {
  const heardSince = await queue.run({
    kind: "meters_tail",
    page: { kind: "unheard", seq, outcomes: unheard },
  })
  for (const row of heardSince) yield requestAsOf(row, seq)
  for (let afterSeq: number | undefined = seq; afterSeq !== undefined;) {
    const page: readonly HistoryRow[] = await queue.run({
      kind: "meters_tail",
      page: { kind: "releases", seq, afterSeq, lastSeq },
    })
    for (const row of page) yield requestAsOf(row, lastSeq)
    afterSeq = page.at(-1)?.released?.seq
  }
}
