import type { Acts, FilesInForce } from "../active/in-force.ts"
import type { Checkpoints } from "../audit/checkpoints.ts"
import type { Custody } from "../custody/custody.ts"
import type { Keyring } from "../keyring/keyring.ts"
import type { PickedCurve } from "../keyring/pick-curve.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Outbox } from "../ledger/outbox.ts"
import type { VaultMetrics } from "../metrics/vault-metrics.ts"
import type { Clock } from "../process/clock.ts"
import type { AutoFreeze } from "../watch/auto-freeze.ts"
import type { BadTokenCount } from "../watch/bad-tokens.ts"
import type { DiskSpace } from "../watch/disk-space.ts"
import type { Heartbeats } from "../watch/heartbeats.ts"
import type { ShadowCounts } from "../watch/shadow-counts.ts"
import type { VenueClock } from "../watch/venue-clock.ts"

/** All parts of an open vault. Whoever serves a call is handed those that it needs. */
export type Vault = Acts &
  FilesInForce &
  Custody & {
    readonly surroundings: Surroundings
    /** For how long something takes. */
    readonly clock: Pick<Clock, "monotonicMs">
    readonly keyring: Keyring
    /** What the keyring signs with. */
    readonly curve: PickedCurve
    readonly ledger: Ledger
    readonly checkpoints: Checkpoints
    readonly badTokens: BadTokenCount
    readonly shadows: ShadowCounts
    readonly autoFreeze: AutoFreeze
    /** How much room the ledger's disk has. */
    readonly disk: DiskSpace
    readonly heartbeats: Heartbeats
    readonly venueClock: VenueClock
    /** What the gate sends without being asked over HTTP. */
    readonly outbox: Outbox
    /** What it counts and times of itself. */
    readonly metrics: VaultMetrics
    /** Overwrites the keys in memory and gives the ledger's lock back. */
    close(): Promise<void>
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
