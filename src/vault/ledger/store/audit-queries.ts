import type { KeyObject } from "node:crypto"

import type { RefusalRow, RowsOf } from "../records/row.ts"

/** What has to stay, all in milliseconds since 1970. */
export type ArchiveBounds = {
  /** Entries that are this young. */
  readonly beforeMs: number
  /** Requests that count in limits from here on. */
  readonly countedSinceMs: number
  readonly nowMs: number
}

export type ArchivableStep = {
  /** The last entry that may go; `undefined` where none may. */
  readonly last: JournalHead | undefined
  /** `undefined` while there may be more. */
  readonly end: "journal_ends" | { readonly seq: number; readonly why: string } | undefined
}

/** A refusal as it was recorded. */
export type RecentRefusal = {
  readonly row: RefusalRow
  /** How many more refusals like it came within its second. */
  readonly repeats: number
}

/** What a store is asked for the proofs that the daemon keeps: see `ledgerAudit`. */
export type AuditQueries = {
  readonly journalEnds: () => JournalEnds
  /** The hash of an entry, hex. */
  readonly hashAt: (seq: number) => string | undefined
  readonly archivable: (after: number, bounds: ArchiveBounds) => ArchivableStep
  readonly trimArchived: () => number
  readonly archiveOf: (atMs: number) => string | undefined
  /** Returns whether there was anything new to sign. */
  readonly signCheckpoint: (
    key: LedgerKey,
    at: { readonly id: string; readonly atMs: number },
  ) => boolean
}

/** Where the journal begins and ends, and its last checkpoint. */
export type JournalEnds = JournalHead & {
  /** The last entry that is in an archive; 0 for none. */
  readonly archived: JournalHead
  readonly checkpoint:
    { readonly seq: number; readonly atMs: number; readonly publicKey: string } | undefined
}

/** What checkpoints and batches are signed with. It signs nothing else and is worth nothing to a venue. */
export type LedgerKey = {
  readonly secret: KeyObject
  /** 32 bytes, hex. */
  readonly publicKey: string
}

/** An entry's number and hash, hex. */
export type JournalHead = { readonly seq: number; readonly hash: string }

/** A journal's head at some time, signed: what is kept elsewhere to be compared with later. */
export type Checkpoint = Omit<RowsOf["checkpoint"], "kind" | "id">
