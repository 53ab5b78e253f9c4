import type { DiskSpace } from "./disk-space.ts"
import type { Ledger } from "./ledger/ledger.ts"

/** The same ledger; while the disk is nearly full refusals are only counted, so that they can't fill it. */
export function sparingLedger(ledger: Ledger, disk: Pick<DiskSpace, "low" | "leaveOut">): Ledger {
  return {
    ...ledger,
    note(entry, nowMs) {
      if (disk.low() === undefined) return ledger.note(entry, nowMs)
      disk.leaveOut()
      return null
    },
  }
}
