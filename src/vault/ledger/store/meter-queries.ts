import type { RecordId } from "../records/record-id.ts"
import type { RequestRow } from "../records/row.ts"

/** What of a snapshot isn't parts. */
export type SnapshotHead = {
  readonly version: number
  /** Names what the meters were counted by. */
  readonly countedBy: string
  /** `null` when nothing was ever counted. */
  readonly highWaterMs: number | null
  /** What was queued before it, and may give room back that isn't given back in it. */
  readonly unheard: readonly UnheardOutcome[]
}

/** An outcome's entry, and the request that it is about. */
export type UnheardOutcome = { readonly record: RecordId; readonly outcome: RecordId }

/** The newest whole snapshot as it lies in the database: it holds all that entries up to `seq` say. */
export type StoredSnapshot = {
  readonly seq: number
  /** A SnapshotHead as JSON. */
  readonly head: string
  readonly texts: readonly string[]
}

/** What a snapshot is kept by, step by step, so that other work can go between. */
export type SnapshotStep =
  /** It holds all that is in the journal by now. One that was begun before is given up. */
  | { readonly kind: "begin" }
  | { readonly kind: "add"; readonly text: string }
  /** Makes it whole, and the newest: earlier ones go. */
  | { readonly kind: "end"; readonly head: SnapshotHead }

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

/** What a store is asked so that the meters need not be counted from the beginning. */
export type MeterQueries = {
  /** From when on requests bear on what is used at `sinceMs` and later. */
  readonly countingStart: (sinceMs: number) => number
  readonly takeSnapshot: (step: SnapshotStep) => void
  readonly newestSnapshot: () => StoredSnapshot | undefined
  readonly tailPage: (page: TailPage) => readonly HistoryRow[]
}

/** A request as history holds it. */
export type HistoryRow = {
  readonly row: RequestRow
  readonly seq: number
  /** What gave its room back, if anything did. */
  readonly released: { readonly atMs: number; readonly seq: number } | undefined
}

/** Where a page of history begins: after `seq` of those that count from `countedAtMs` on. */
export type HistoryCursor = { readonly countedAtMs: number; readonly seq: number }
