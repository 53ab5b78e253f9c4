import type { Ledger } from "./ledger/ledger.ts"
import type { DecisionCounts } from "./metrics/decision-counts.ts"
import type { VaultListener } from "./vault-listener.ts"

/** The same ledger; what is refused is counted, whether there is room to record it or not. */
export function countedLedger(ledger: Ledger, counts: DecisionCounts): Ledger {
  return {
    ...ledger,
    note(entry, nowMs) {
      counts.refused(entry.client, entry.operation, entry.refusal)
      return ledger.note(entry, nowMs)
    },
  }
}

/** The same listener; what is allowed is counted once its record is durable. */
export function countedListener(listener: VaultListener, counts: DecisionCounts): VaultListener {
  return {
    ...listener,
    reserved(entry, record) {
      counts.allowed(entry.client, entry.operation)
      listener.reserved(entry, record)
    },
  }
}
