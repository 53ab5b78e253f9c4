import type { RecentDecisions } from "./console/decision-feed.ts"
import type { Ledger } from "./ledger/ledger.ts"
import type { DecisionCounts } from "./metrics/decision-counts.ts"
import type { VaultListener } from "./vault-listener.ts"

/** What is kept of decisions: how many there were, and the last of them. */
export type Decided = { readonly counts: DecisionCounts; readonly recent: RecentDecisions }

/** The same ledger; what is refused is counted and remembered, whether there is room to record it or not. */
export function decidedLedger(ledger: Ledger, { counts, recent }: Decided): Ledger {
  return {
    ...ledger,
    note(entry, nowMs) {
      counts.refused(entry.client, entry.operation, entry.refusal)
      const record = ledger.note(entry, nowMs)
      recent.refused(entry, record, nowMs)
      return record
    },
  }
}

/** The same listener; what is allowed is counted and remembered once its record is durable. */
export function decidedListener(
  listener: VaultListener,
  { counts, recent }: Decided,
): VaultListener {
  return {
    ...listener,
    reserved(entry, record) {
      recent.allowed(entry, record)
      counts.allowed(entry.client, entry.operation)
      listener.reserved(entry, record)
    },
  }
}
