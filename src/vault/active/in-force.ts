import type { OneAtATime } from "../../std/one-at-a-time.ts"
import type { FileSet } from "../config/file-set.ts"
import type { Installation } from "../config/installation.ts"
import type { Bindings } from "../ledger/bindings.ts"
import type { AdminEntry } from "../ledger/records/admin-entry.ts"
import type { RecordId } from "../ledger/records/record-id.ts"
import type { LedgerTime } from "../process/clock.ts"
import { boundSet, type ActiveSet } from "./active-set.ts"

/** The set in force, to be read alone. */
export type SetInForce = {
  /** The set in force now. Take it once for each request. */
  readonly active: () => ActiveSet
  /** The time that all is decided at and ends by. The wall clock is the ledger's to read. */
  readonly now: () => LedgerTime
}

/** Changes bindings and standing of the set in force. */
export type Acts = SetInForce & {
  /** Records an act; the set that follows from it is in force from the moment it is queued. */
  act(entry: AdminEntry): Promise<RecordId>
  /** Follows an act that says nothing new, so that it isn't recorded: a restart begins from the last that was. */
  hear(entry: AdminEntry): void
}

/** Changes the files of the set in force. */
export type FilesInForce = SetInForce & {
  /** Where files are read from. */
  readonly installation: Installation
  /** Why the files on disk aren't the ones in force, in a sentence; `undefined` when they are. */
  readonly alarm: () => string | undefined
  /** So that no files read earlier replace what was read later. */
  readonly inTurn: OneAtATime
  /**
   * Puts files in force. What their limits have used is counted from the ledger; then set and meters are
   * exchanged in one step. Once it resolves, that is durable and nothing is signed under the old set.
   * `alarm` says why they aren't those on disk, where they aren't.
   */
  adopt(files: FileSet, alarm?: string): Promise<void>
}

/** The set in force, which whoever holds this exchanges. */
export type ExchangedSet = Pick<FilesInForce, "active" | "alarm"> & {
  /** Puts other files in force, at once. */
  exchange(files: FileSet, alarm: string | undefined): void
}

/** Starts with `files`; what is bound is the ledger's word at each moment. */
export function putInForce(
  files: FileSet,
  alarm: string | undefined,
  ledger: { bindings(): Bindings },
): ExchangedSet {
  let bound = ledger.bindings()
  let now = { set: boundSet(files, bound), alarm }
  return {
    active() {
      const bindings = ledger.bindings()
      if (bindings === bound) return now.set
      bound = bindings
      now = { ...now, set: boundSet(now.set, bindings, now.set) }
      return now.set
    },
    alarm: () => now.alarm,
    exchange(next, why) {
      bound = ledger.bindings()
      now = { set: boundSet(next, bound), alarm: why }
    },
  }
}
