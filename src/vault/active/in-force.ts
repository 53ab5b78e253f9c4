import type { OneAtATime } from "../../std/one-at-a-time.ts"
import type { FileSet } from "../config/file-set.ts"
import type { Installation } from "../config/installation.ts"
import type { Bindings } from "../ledger/bindings.ts"
import type { AdminEntry } from "../ledger/records/admin-entry.ts"
import type { RecordId } from "../ledger/records/record-id.ts"
import type { LedgerTime } from "../process/clock.ts"
import { boundSet, type ActiveSet } from "./active-set.ts"

/** The set in force, read only. */
export type SetInForce = {
  /** The set in force now. Take it once for each request. */
  readonly active: () => ActiveSet
  /** The ledger's time, by which everything is decided and expires. Only the ledger reads the wall clock. */
  readonly now: () => LedgerTime
}

/** Changes the bindings, prices and raises of the set in force. */
export type Acts = SetInForce & {
  /** Records an act. The set that results is in force as soon as the act is queued. */
  act(entry: AdminEntry): Promise<RecordId>
  /** Applies an act without recording it, because it says nothing new. A restart begins with the last one recorded. */
  hear(entry: AdminEntry): void
}

/** Changes the files of the set in force. */
export type FilesInForce = SetInForce & {
  /** Where files are read from. */
  readonly installation: Installation
  /** Why the files on disk aren't the ones in force, in a sentence; `undefined` when they are. */
  readonly alarm: () => string | undefined
  /** A queue, so that files that were read earlier never replace files that were read later. */
  readonly inTurn: OneAtATime
  /**
   * Puts files in force. First it counts from the ledger what their limits have used, then it exchanges set and
   * meters in one step. When it resolves, this is durable and nothing is signed under the old set any more.
   * `alarm` says why the files on disk are others, if they are.
   */
  adopt(files: FileSet, alarm?: string): Promise<void>
}

/** The set in force, and how to exchange it. */
export type ExchangedSet = Pick<FilesInForce, "active" | "alarm"> & {
  /** Puts other files in force, at once. */
  exchange(files: FileSet, alarm: string | undefined): void
}

/** Starts with `files`. Bindings always come from the ledger. */
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
