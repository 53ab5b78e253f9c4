import type { AdminEntry } from "../ledger/records/admin-entry.ts"
import type { RefusalEntry, RequestEntry } from "../ledger/records/entries.ts"
import type { RecordId } from "../ledger/records/record-id.ts"

/** What a vault does before it is open, in words that people read. */
export type OpeningStep = "loading policies" | "unlocking keys" | "checking the ledger"

/** Hears what a vault does. Nothing waits for it. */
export type VaultListener = {
  opening(step: OpeningStep): void
  /** An act is in force, and durable; without `record` where the ledger broke over it. */
  acted(entry: AdminEntry, record: RecordId | undefined): void
  /** A refusal has a record, or is counted on one; identical ones within a second share it. */
  refused(entry: RefusalEntry, record: RecordId): void
  /** The record of a request is durable, so it is signed. */
  reserved?(entry: RequestEntry, record: RecordId): void
}

const nothing = (): void => undefined

/** Hears nothing. */
export const noListener: VaultListener = {
  opening: nothing,
  acted: nothing,
  refused: nothing,
}
