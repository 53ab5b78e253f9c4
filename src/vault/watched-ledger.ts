import { Fault } from "../std/fault.ts"
import type { AutoFreeze } from "./auto-freeze.ts"
import type { Ledger, Reservation } from "./ledger/ledger.ts"

/** The same ledger; what it refuses, and what is refused through it, is seen by the automatic freeze. */
export function watchedLedger(ledger: Ledger, seen: AutoFreeze): Ledger {
  return {
    ...ledger,
    // What is watched stands beside the answer: who waits for it waits no turn longer.
    reserve(ask) {
      const reserving = ledger.reserve(ask)
      reserving.then(
        (reserved) => {
          if (isPaced(reserved)) seen.paced(ask.entry.key)
        },
        (error: unknown) => {
          if (error instanceof Fault && error.code === "clock_unsafe") seen.clockUnsafe()
        },
      )
      return reserving
    },
    note(entry, nowMs) {
      seen.refused(entry.client, entry.refusal)
      return ledger.note(entry, nowMs)
    },
  }
}

function isPaced(reserved: Reservation): boolean {
  return reserved.kind === "refused" && reserved.refusal.code === "signer_pace"
}
