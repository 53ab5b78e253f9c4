import type { OneAtATime } from "../../std/one-at-a-time.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { Checkpoints } from "../audit/checkpoints.ts"
import type { FileSet } from "../config/file-set.ts"
import type { Installation } from "../config/installation.ts"
import type { Keyring } from "../keyring/keyring.ts"
import type { PickedCurve } from "../keyring/pick-curve.ts"
import type { LedgerTime, Clock } from "../process/clock.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Outbox } from "../ledger/outbox.ts"
import type { AdminEntry } from "../ledger/records/admin-entry.ts"
import type { RecordId } from "../ledger/records/record-id.ts"
import type { VaultMetrics } from "../metrics/vault-metrics.ts"
import type { AutoFreeze } from "../watch/auto-freeze.ts"
import type { BadTokenCount } from "../watch/bad-tokens.ts"
import type { DiskSpace } from "../watch/disk-space.ts"
import type { Heartbeats } from "../watch/heartbeats.ts"
import type { ShadowCounts } from "../watch/shadow-counts.ts"
import type { VenueClock } from "../watch/venue-clock.ts"

/** Everything that the calls of both sockets work on. */
export type Vault = {
  readonly installation: Installation
  readonly surroundings: Surroundings
  /** The time that all is decided at and ends by. The wall clock is the ledger's to read. */
  readonly now: () => LedgerTime
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
  /** The set in force now. Take it once for each request. */
  active(): ActiveSet
  /** Why the files on disk aren't the ones in force, in a sentence; `undefined` when they are. */
  alarm(): string | undefined
  /** For changes of the files in force, so that none read earlier replace what was read later. */
  readonly inTurn: OneAtATime
  /** Records an act; the set that follows from it is in force from the moment it is queued. */
  act(entry: AdminEntry): Promise<RecordId>
  /** Follows an act that says nothing new, so that it isn't recorded: a restart begins from the last that was. */
  hear(entry: AdminEntry): void
  /**
   * Puts files in force. What their limits have used is counted from the ledger; then set and meters are
   * exchanged in one step. Once it resolves, that is durable and nothing is signed under the old set.
   * `alarm` says why they aren't those on disk, where they aren't.
   */
  adopt(files: FileSet, alarm?: string): Promise<void>
  /** When the keys were loaded last, in milliseconds. */
  unlockedAtMs(): number
  /**
   * Overwrites the named keys in memory, or all; they sign nothing from now on. Recorded. `by` says who
   * or what asked for it.
   *
   * @throws {Fault} `usage` when the keys are in memory alone, and would be lost.
   */
  lock(by: string, names?: readonly string[]): Promise<void>
  /** Loads the keys anew; without `secret`, from the file, credential or keychain of countersign.yaml. @throws {Fault} */
  unlock(secret?: Uint8Array): Promise<void>
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
