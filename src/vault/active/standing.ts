import type { Raise, StoredPrice } from "../ledger/records/admin-entry.ts"
import type { Freeze } from "../ledger/records/freeze.ts"

/** What operators and feeds said: it changes from minute to minute, so it isn't part of the hash. */
export type Standing = {
  readonly prices: FedPrices
  /** Limits that are raised for a while; those that have ended may still be in it. */
  readonly raises: readonly Raise[]
  /** The files that a person accepted last, by `filesHash`. */
  readonly acceptedHash: string | undefined
  /** Those that nobody thawed. */
  readonly freezes: readonly Freeze[]
  /** Clients whose silence counts, for they were heard and weren't missed since. */
  readonly armed: readonly string[]
}

/** The last price that was fed for each symbol, confirmed or not. */
export type FedPrices = ReadonlyMap<number, StoredPrice>
