import type { Ledger } from "../ledger/ledger.ts"
import type { VaultListener } from "../vault-listener.ts"
import type { RecentDecisions } from "./decision-feed.ts"

/** The same ledger; what is refused is remembered, whether there is room to record it or not. */
export function rememberingLedger(ledger: Ledger, decisions: RecentDecisions): Ledger {
  return {
    ...ledger,
    note(entry, nowMs) {
      const record = ledger.note(entry, nowMs)
      decisions.refused(entry, record, nowMs)
      return record
    },
  }
}

/** The same listener; what is allowed is remembered once its record is durable. */
export function rememberingListener(
  listener: VaultListener,
  decisions: RecentDecisions,
): VaultListener {
  return {
    ...listener,
    reserved(entry, record) {
      decisions.allowed(entry, record)
      listener.reserved(entry, record)
    },
  }
}
