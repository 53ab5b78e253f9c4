import type { KeyObject } from "node:crypto"

import type { ArchivedFields, CheckpointFields, RefusalRow } from "../records/row.ts"

/** Which entries are wanted; all where nothing is said. */
export type EntryFilter = {
  readonly client?: string | undefined
  readonly key?: string | undefined
  readonly kind?: string | undefined
  /** Recorded at this wall time or later. */
  readonly sinceMs?: number | undefined
}

export type EntryAsk = {
  /** Upwards from after an entry, or downwards from before one. */
  readonly from: { readonly after: number } | { readonly before: number }
  readonly limit: number
  readonly filter: EntryFilter
}

/** In the order in which they were asked for: upwards or downwards. */
export type EntryPage = {
  readonly entries: readonly StoredEntry[]
  /** The last entry that was looked at, to go on from. */
  readonly next: number
  /** Whether there are no more for now. */
  readonly isEnd: boolean
}

/** An entry and those that are about it. */
export type AboutEntry = {
  readonly entry: StoredEntry
  /** Its outcomes, repeats and acts, and those of its hold; in their order, at most 200. */
  readonly others: readonly StoredEntry[]
}

/** One step of a check. */
export type CheckStep = {
  readonly position: ChainPosition
  /** How many entries it took. */
  readonly checked: number
  readonly flaw: Flaw | null
  /** Whether it came to the end of the journal. */
  readonly isEnd: boolean
}

/** Where a check of the tables goes on. */
export type TablesCursor = { readonly table: "requests" | "refusals"; readonly rowid: number }

export type TablesStep = {
  /** `null` when all were looked at. */
  readonly next: TablesCursor | null
  readonly flaw: Flaw | null
}

/** What has to stay, all in milliseconds since 1970. */
export type ArchiveBounds = {
  /** Entries that are this young. */
  readonly beforeMs: number
  /** Requests that count in limits from here on. */
  readonly countedSinceMs: number
  readonly nowMs: number
}

export type ArchivablePage = {
  readonly entries: readonly StoredEntry[]
  /** `undefined` while there may be more. */
  readonly end: "journal_ends" | { readonly seq: number; readonly why: StayReason } | undefined
}

/** Why an entry can't go yet, and so all after it can't. */
export type StayReason = "young" | "limits" | "valid" | "hold"

/** A refusal as it was recorded. */
export type RecentRefusal = {
  readonly row: RefusalRow
  /** How many more refusals like it came within its second. */
  readonly repeats: number
}

/** What a store is asked by those who read, prove or archive the journal: see LedgerAudit. */
export type AuditQueries = {
  readonly journalEnds: () => JournalEnds
  readonly entryPage: (ask: EntryAsk) => EntryPage
  readonly entryAbout: (id: string) => AboutEntry | undefined
  readonly checkEntries: (from: ChainPosition | null, maxEntries: number) => CheckStep
  readonly checkTables: (from: TablesCursor | null, position: ChainPosition) => TablesStep
  readonly archivable: (after: number, bounds: ArchiveBounds) => ArchivablePage
  readonly trimArchived: () => number
  readonly archiveOf: (atMs: number) => string | undefined
  /** Returns whether there was anything new to sign. */
  readonly signCheckpoint: (
    key: LedgerKey,
    at: { readonly id: string; readonly atMs: number },
  ) => boolean
}

/** Where the journal begins and ends, and what it has of checkpoints and archives. */
export type JournalEnds = {
  readonly seq: number
  /** Hex. */
  readonly hash: string
  /** The last entry that is in an archive; 0 for none. */
  readonly archivedSeq: number
  readonly archivedHash: string
  readonly archivedAtMs: number | undefined
  readonly checkpoint:
    { readonly seq: number; readonly atMs: number; readonly publicKey: string } | undefined
}

/** An entry as it is stored, in the database or in an archive. */
export type StoredEntry = {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly at_ms: number
  readonly row: string
  readonly hash: Uint8Array
}

/** The first entry that isn't what it should be. */
export type Flaw = {
  readonly seq: number
  /** `null` where the entry is missing. */
  readonly id: string | null
  /** What is wrong, in a sentence without its full stop. */
  readonly what: string
  /** The machine failed: nothing is known of this entry and what follows. */
  readonly isUnread?: true
}

/** How far a chain was checked, and what the entries up to there said. Crosses as JSON. */
export type ChainPosition = {
  readonly seq: number
  /** Of the entry `seq`, hex. */
  readonly hash: string
  /** Of the checkpoints so far. */
  readonly publicKey: string | null
  /** The last nonce of each signer so far. */
  readonly nonces: Readonly<Record<string, number>>
  /** What each meter that counts for ever has counted so far. */
  readonly ever: Readonly<Record<string, string>>
  readonly checkpoint: Checkpoint | null
  /** The last act of archiving so far. */
  readonly archived: ArchivedFields | null
  /** A head that was kept elsewhere: the entry that must have this hash. */
  readonly kept: { readonly seq: number; readonly hash: string } | null
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
export type Checkpoint = CheckpointFields & { readonly at_ms: number }
