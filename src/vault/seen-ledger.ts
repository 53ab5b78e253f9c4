import type { AutoFreeze } from "./auto-freeze.ts"
import { rememberDecisions, type RecentDecisions } from "./console/decision-feed.ts"
import { decidedLedger, decidedListener } from "./decided-ledger.ts"
import type { DiskSpace } from "./disk-space.ts"
import type { Ledger } from "./ledger/ledger.ts"
import { openVaultMetrics, type VaultMetrics } from "./metrics/vault-metrics.ts"
import { sparingLedger } from "./sparing-ledger.ts"
import type { VaultListener } from "./vault-listener.ts"
import { watchedLedger } from "./watched-ledger.ts"

/** The same ledger, seen by all who want to know what goes through it, and what is counted of that. */
export function seenLedger(
  ledger: Ledger,
  by: {
    readonly disk: DiskSpace
    readonly autoFreeze: AutoFreeze
    readonly listener: VaultListener
  },
): {
  readonly ledger: Ledger
  readonly metrics: VaultMetrics
  readonly decisions: RecentDecisions
} {
  const metrics = openVaultMetrics()
  const decisions = rememberDecisions()
  const decided = { counts: metrics.decisions, recent: decisions }
  const heard = decidedListener(by.listener, decided)
  const watched = watchedLedger(sparingLedger(ledger, by.disk), by.autoFreeze, heard)
  return { ledger: decidedLedger(watched, decided), metrics, decisions }
}
