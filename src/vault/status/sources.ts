import type { FilesInForce } from "../active/active-set.ts"
import type { Checkpoints } from "../watch/checkpoints.ts"
import type { GuardedAccounts } from "../guards/accounts.ts"
import type { KeyLocks } from "../keyring/keyring.ts"
import type { PickedCurve } from "../keyring/curve.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { VaultMetrics } from "../metrics/vault-metrics.ts"
import type { DiskSpace } from "../watch/disk-space.ts"
import type { VenueClock } from "../watch/venue-clock.ts"

/** What a vault tells of itself from. No key is in it. */
export type StatusSources = Pick<FilesInForce, "active" | "now" | "installation" | "differ"> & {
  readonly surroundings: Surroundings
  readonly keyring: KeyLocks
  /** What the keyring signs with. */
  readonly curve: PickedCurve
  readonly ledger: Ledger
  readonly checkpoints: Pick<Checkpoints, "alarms">
  /** How much room the ledger's disk has. */
  readonly disk: DiskSpace
  readonly venueClock: VenueClock
  /** What guards know of the accounts that venue.yaml names. */
  readonly accounts: GuardedAccounts
  /** What the vault counts and times of itself. */
  readonly metrics: VaultMetrics
}

/** Who runs the vault, and what of its sandbox is known not to hold. */
export type Surroundings = {
  /**
   * `service`: a unit of systemd, which has the vault for itself. `serve`: `countersign serve`, which starts
   * vault and gate as one user. `command`: a command that opened the vault without a daemon.
   */
  readonly startedBy: "service" | "serve" | "command"
  readonly warnings: readonly string[]
}

/** Of a command that opened the vault in its own process. */
export const inACommand: Surroundings = { startedBy: "command", warnings: [] }
