import type { EntryFilter } from "../../src/audit/entry-filter.ts"
import { entriesAfter } from "../../src/audit/read-entries.ts"
import type { StoredEntry } from "../../src/audit/stored-entry.ts"
import { ledgerReading, type Admin } from "../../src/commands/installation/admin.ts"
import type { AdminResults } from "../../src/link/calls/methods.ts"
import type { TestVault } from "./open-test-vault.ts"

/** The admin socket's calls of a vault in this process, and its ledger to be read. */
export function adminOf({
  admin,
  installation,
}: Pick<TestVault, "admin" | "installation">): Pick<Admin, "call" | "readLedger"> {
  const call: Admin["call"] = (method, params) => {
    // The table pairs each method with its own parameters; TypeScript can't follow that through a union.
    const run = admin[method] as (params: unknown) => Promise<AdminResults[typeof method]>
    return run(params)
  }
  return { call, readLedger: ledgerReading(installation, call) }
}

/** The entries that a vault's ledger has by now, the oldest first. */
export function entriesOf(
  test: Pick<TestVault, "admin" | "installation">,
  filter: EntryFilter = {},
): Promise<readonly StoredEntry[]> {
  return adminOf(test).readLedger((ledger) => entriesAfter(ledger, 0, filter).toArray())
}
