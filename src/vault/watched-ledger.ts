import { Fault } from "../std/fault.ts"
import type { AutoFreeze } from "./auto-freeze.ts"
import type { Ledger, Reservation } from "./ledger/ledger.ts"
import { noListener, type VaultListener } from "./vault-listener.ts"

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
          if (reserved.kind === "reserved") listener.reserved(ask.entry, reserved.record)
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
