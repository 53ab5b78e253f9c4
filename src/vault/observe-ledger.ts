import { Fault } from "../std/fault.ts"
import type { Ledger } from "./ledger/ledger.ts"
import type { Reservation } from "./ledger/records/reservation.ts"
import type { DecisionCounts } from "./metrics/counts.ts"
import { openVaultMetrics, type VaultMetrics } from "./metrics/vault-metrics.ts"
import { type VaultListener, noListener } from "./process/vault-listener.ts"
import type { AutoFreeze } from "./watch/auto-freeze.ts"
import type { DiskSpace } from "./watch/disk-space.ts"

/** The same ledger, seen by all who want to know what goes through it, and what is counted of that. */
export function seenLedger(
  ledger: Ledger,
  by: {
    readonly disk: DiskSpace
    readonly autoFreeze: AutoFreeze
    readonly listener: VaultListener
  },
): { readonly ledger: Ledger; readonly metrics: VaultMetrics } {
  const metrics = openVaultMetrics()
  const heard = countedListener(by.listener, metrics.decisions)
  const watched = watchedLedger(sparingLedger(ledger, by.disk), by.autoFreeze, heard)
  return { ledger: countedLedger(watched, metrics.decisions), metrics }
}

/** The same ledger; what is refused is counted, whether there is room to record it or not. */
function countedLedger(ledger: Ledger, counts: DecisionCounts): Ledger {
  return {
    ...ledger,
    note(entry, nowMs) {
      counts.refused(entry.client, entry.operation, entry.refusal)
      return ledger.note(entry, nowMs)
    },
  }
}

/** The same listener; what is allowed is counted once its record is durable. */
function countedListener(listener: VaultListener, counts: DecisionCounts): VaultListener {
  return {
    ...listener,
    reserved(entry, record) {
      counts.allowed(entry.client, entry.operation)
      listener.reserved?.(entry, record)
    },
  }
}

/** The same ledger; while the disk is nearly full refusals are only counted, so that they can't fill it. */
function sparingLedger(ledger: Ledger, disk: Pick<DiskSpace, "low" | "leaveOut">): Ledger {
  return {
    ...ledger,
    note(entry, nowMs) {
      if (disk.low() === undefined) return ledger.note(entry, nowMs)
      disk.leaveOut()
      return null
    },
  }
}

/**
 * The same ledger. What it refuses, and what is refused through it, is seen by the automatic freeze;
 * `listener` hears of what it recorded.
 */
export function watchedLedger(
  ledger: Ledger,
  seen: AutoFreeze,
  listener: Pick<VaultListener, "refused" | "reserved"> = noListener,
): Ledger {
  return {
    ...ledger,
    // What is watched stands beside the answer: who waits for it waits no turn longer.
    reserve(ask, make) {
      const reserving = ledger.reserve(ask, make)
      reserving.then(
        (reserved) => {
          if (isPaced(reserved)) seen.paced(ask.entry.key)
          if (reserved.kind === "reserved") listener.reserved?.(ask.entry, reserved.record)
        },
        (error: unknown) => {
          if (error instanceof Fault && error.code === "clock_unsafe") seen.clockUnsafe()
        },
      )
      return reserving
    },
    note(entry, nowMs) {
      seen.refused(entry.client, entry.refusal)
      const record = ledger.note(entry, nowMs)
      if (record !== null) listener.refused(entry, record)
      return record
    },
  }
}

function isPaced(reserved: Reservation<unknown>): boolean {
  return reserved.kind === "refused" && reserved.refusal.code === "signer_pace"
}
