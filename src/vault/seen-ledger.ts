import type { AutoFreeze } from "./auto-freeze.ts"
import { countedLedger, countedListener } from "./counted-ledger.ts"
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
): { readonly ledger: Ledger; readonly metrics: VaultMetrics } {
  const metrics = openVaultMetrics()
  const heard = countedListener(by.listener, metrics.decisions)
  const watched = watchedLedger(sparingLedger(ledger, by.disk), by.autoFreeze, heard)
  return { ledger: countedLedger(watched, metrics.decisions), metrics }
}
