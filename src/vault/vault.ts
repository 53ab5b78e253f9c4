import type { ActiveSet } from "./active-set.ts"
import type { BadTokenCount } from "./authenticate.ts"
import type { Clock } from "./clock.ts"
import type { Keyring } from "./keyring/keyring.ts"
import type { AdminEntry, Ledger, RecordId } from "./ledger/ledger.ts"

/** Everything that the calls of both sockets work on. */
export type Vault = {
  readonly clock: Clock
  readonly keyring: Keyring
  readonly ledger: Ledger
  readonly badTokens: BadTokenCount
  /** The set in force now. Take it once for each request. */
  active(): ActiveSet
  /** Records an act; the set that follows from it is in force from the moment it is queued. */
  act(entry: AdminEntry): Promise<RecordId>
  /** Overwrites the keys in memory and gives the ledger's lock back. */
  close(): Promise<void>
}
