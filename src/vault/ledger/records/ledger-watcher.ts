import type { RefusalEntry, RequestEntry } from "./entries.ts"
import type { RecordId } from "./record-id.ts"
import type { RequestRow } from "./row.ts"

/** Hears what goes through a ledger. Nothing waits for it, and it throws nothing. */
export type LedgerWatcher = {
  /** The record of a request is durable, so it is signed. */
  reserved?(entry: RequestEntry, record: RecordId): void
  /** Another host recorded a request. */
  followed?(row: RequestRow): void
  /** A request was refused; `record` is `null` where that was only counted. */
  noted?(entry: RefusalEntry, record: RecordId | null): void
  /** The signer of this key couldn't have a nonce for its pace. */
  paced?(key: string): void
  /** A request wasn't recorded for the clock. */
  clockUnsafe?(): void
}
