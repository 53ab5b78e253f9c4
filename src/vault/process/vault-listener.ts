import type { Act } from "../ledger/records/row.ts"
import type { LedgerWatcher } from "../ledger/records/ledger-watcher.ts"
import type { RecordId } from "../ledger/records/record-id.ts"

/** What a vault does before it is open, in words that people read. */
export type OpeningStep =
  "loading policies" | "unlocking keys" | "checking the ledger" | "waiting for PostgreSQL"

/** Hears what a vault does. Nothing waits for it. */
export type VaultListener = Pick<LedgerWatcher, "reserved" | "noted"> & {
  opening(step: OpeningStep): void
  /** An act is in force, and durable. */
  acted(entry: Act, record: RecordId): void
}

const nothing = (): void => undefined

/** Hears nothing. */
export const noListener: VaultListener = {
  opening: nothing,
  acted: nothing,
}
